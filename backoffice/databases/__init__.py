"""The project's database backends: those of Django, with sessions that the product sets."""
