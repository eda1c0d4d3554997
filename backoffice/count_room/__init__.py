"""The count room on the pages: boxes and their blind counts."""
