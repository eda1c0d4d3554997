"""Views of the pages, a module for each page."""
