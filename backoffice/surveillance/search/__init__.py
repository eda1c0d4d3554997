"""Search: one grammar for the page, the interface, the command and saved searches."""
