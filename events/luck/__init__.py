"""Actual win against theoretical win: expected value, spread, and the probability of the difference."""
