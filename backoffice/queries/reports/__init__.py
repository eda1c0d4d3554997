"""The lines of the accountant's reports of a gaming day, each from the rows or from the events of the log."""
