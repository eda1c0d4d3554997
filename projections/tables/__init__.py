"""Rows about tables by gaming day, what events change in them, and the two wins; each kind of bet at a table."""

VERSION = 5  # counts up with every change of what an event does to the rows: a rebuild is due then
