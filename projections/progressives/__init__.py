"""The progressives: meters, what fed them, rounds, hits, locks, envy. (For people: `projections/matters`.)"""

VERSION = 5  # counts up with every change of what an event does to the rows: a rebuild is due then
