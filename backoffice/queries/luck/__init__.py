"""Actual win of a gaming day's bets against their theoretical win, with its probability: from the events."""
