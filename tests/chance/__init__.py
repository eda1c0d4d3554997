"""Luck held against play: rounds drawn with a seed and settled by the games' own rules.

`python -m tests.chance --rounds 1000000` plays a million rounds of each game; the suite plays a few thousand.
"""
