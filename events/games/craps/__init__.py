"""Craps, Greek and Belarusian: one set of functions, driven by the ruleset's data."""
