"""Processes, databases and brokers that tests start and end."""
