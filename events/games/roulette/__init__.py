"""Roulette with a single zero, American and French."""
