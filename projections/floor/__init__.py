"""The floor: the tables that stand there, the rounds that were played, and what a person must clear."""

VERSION = 2  # counts up with every change of what an event does to the rows: a rebuild is due then
