"""Reports of a gaming day: what each is, and its forms."""
