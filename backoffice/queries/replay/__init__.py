"""A round as it happened: its steps, what lay on the layout at each, and what the desk refused meanwhile."""
