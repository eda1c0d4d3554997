"""The floor: its tables, the rounds played, and irregularities for a person to clear."""

VERSION = 2  # counts up with every change of what an event does to the rows: a rebuild is due then
