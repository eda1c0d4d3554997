"""Progressives on the pages: meters, contributions, liability, what-if."""
