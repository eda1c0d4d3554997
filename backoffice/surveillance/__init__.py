"""Surveillance on the pages: alerts, the event log, timelines."""
