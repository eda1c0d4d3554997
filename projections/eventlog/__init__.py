"""The event log: every event a row, found by any mix of filters."""

VERSION = 2  # increases with every change of an event's effect on the rows: a rebuild is then necessary
