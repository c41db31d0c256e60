"""What card games with hidden information share: cards, compiled rules, batches, PettingZoo tables."""
