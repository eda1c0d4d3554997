"""Addresses of the live streams, which the door passes on to the live process. Imports nothing."""

ALERTS = "/live/alerts"  # of wall displays
PROGRESSIVES = "/live/progressives/"  # of a progressive, before its name
TABLES = "/live/tables/"  # of a table, before its name
