"""The tables by gaming day: the money of float and box, what bets won and lost, and the two wins."""
