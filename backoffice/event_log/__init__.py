"""The event log for every page: filters in addresses, sums, times, figures hidden before a count."""
