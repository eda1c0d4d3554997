"""The progressives: meters, what fed them, rounds, hits, locks, envy. (For people: `projections/matters`.)"""
