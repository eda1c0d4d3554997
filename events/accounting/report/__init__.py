"""The canonical report of a gaming day: a pure function of the events up to a position (docs/adr/0062)."""
