"""A round replayed: its steps, the layout at each, refusals meanwhile."""
