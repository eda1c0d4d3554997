"""The site: all pages of the house in one list."""
