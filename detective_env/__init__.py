"""Detective Poker: 3 or 4 players who guess, street by street, who holds the best poker hand."""
