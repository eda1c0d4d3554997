"""The demo's house through many gaming days, at the desk's own speed.

`consecutive_gaming_days.nights` plays one after another.
"""
