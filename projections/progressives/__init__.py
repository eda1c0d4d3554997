"""The progressives: meters, contributions, rounds, hits, locks, envy. (For people: `projections/matters`.)"""

VERSION = 5  # increases with every change of an event's effect on the rows: a rebuild is then necessary
