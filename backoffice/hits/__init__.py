"""Hits of progressives: how each amount arose, on the page and on paper."""
