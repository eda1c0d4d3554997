"""Theoretical win and variance against simulated play. The rounds come from a seed; the rules of each game settle them.

`python -m tests.chance --rounds 1000000` plays a million rounds of each game; the suite plays a few thousand.
"""
