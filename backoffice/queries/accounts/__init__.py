"""What the accountant sees of a gaming day, out of the rows of the accounts."""
