"""The tables by gaming day: the money of float and box, what bets won and lost, and the two wins."""

VERSION = 5  # counts up with every change of what an event does to the rows: a rebuild is due then
