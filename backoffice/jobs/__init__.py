"""Background jobs: answers that take longer than a page may, computed once for all readers."""
