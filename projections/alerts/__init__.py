"""The alerts of the house, as rows: what the watches of `events/alerts` raise, and what people did with it."""
