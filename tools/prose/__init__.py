"""Checks of the English in docs, docstrings and marked words: rules for Vale, and the program that runs it."""
