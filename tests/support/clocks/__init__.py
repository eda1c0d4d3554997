"""Clocks of tests: the night of the houses, and clocks that a test moves."""
