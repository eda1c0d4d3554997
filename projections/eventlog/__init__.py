"""The event log: every event a row, found by any mix of filters."""
