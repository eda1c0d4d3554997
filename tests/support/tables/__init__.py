"""Dealers, terminals and table screens that play for tests."""
