"""Streams: the declaration of a kind, times of actions, problems as callers get them."""
