"""One module a page: read, render."""
