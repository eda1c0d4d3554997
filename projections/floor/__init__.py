"""The floor: its tables, the rounds played, and irregularities for a person to clear."""

VERSION = 2  # increases with every change of an event's effect on the rows: a rebuild is then necessary
