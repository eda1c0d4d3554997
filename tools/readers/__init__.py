"""A small bridge between readers at a table (card shoe, wheel, dice) and the house, and a simulator of readers.

How to use it: docs/howto/connect-a-reader.md.
"""
