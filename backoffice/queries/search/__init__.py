"""Search: one grammar for the page, the interface, the command and what is kept of it."""
