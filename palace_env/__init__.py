"""Palace Poker: 2 to 10 players, banners, soldiers and palaces, battles between two, one pot."""
