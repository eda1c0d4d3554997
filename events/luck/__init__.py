"""What was won against what the bets that were laid had to bring: theory, spread, and how rare such a result is."""
