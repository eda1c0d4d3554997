"""The cage on the pages: its counts, its window, slips on paper."""
