"""The event log: every event a row, found by any mix of filters."""

VERSION = 2  # counts up with every change of what an event does to the rows: a rebuild is due then
