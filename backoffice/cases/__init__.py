"""Cases of surveillance: their pages, their files, their commands."""
