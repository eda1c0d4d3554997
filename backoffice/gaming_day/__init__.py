"""The report of a gaming day for people: on a terminal, as sheets; and what the house's programs say for its close."""
