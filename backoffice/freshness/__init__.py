"""Freshness of figures: consumer lag, positions, states of the parts."""
