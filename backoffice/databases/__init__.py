"""Database backends of ours: those of Django, with sessions that the product sets."""
