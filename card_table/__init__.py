"""What multi-player hidden-information card games share: cards, compiled rules, batches, PettingZoo tables."""
