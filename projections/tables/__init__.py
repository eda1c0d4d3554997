"""Rows about tables by gaming day, changed by events, with the two wins; each kind of bet at a table."""

VERSION = 5  # increases with every change of an event's effect on the rows: a rebuild is then necessary
