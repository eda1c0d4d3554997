"""Searching a long log: how it is made, what is searched, what each index costs who writes it."""
