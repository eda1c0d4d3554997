"""Accounting's view of a gaming day, from the rows of the accounts."""
