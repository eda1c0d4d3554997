"""Actual win against theoretical win, with the probability of the difference."""
