"""The table session: one stream a table and gaming day, its phases, its bets, its money."""
