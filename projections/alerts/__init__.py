"""The alerts of the house, as rows: what the watches of `events/alerts` raise, and what people did with it."""

VERSION = 5  # counts up with every change of what an event does to the rows: a rebuild is due then
