"""Searching a long log: its creation, the queries, and the cost of each index for the writer."""
