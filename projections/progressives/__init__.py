"""The progressives: meters, what fed them, hits, locks, envy."""
