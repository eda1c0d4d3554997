"""Backups and restores by the commands, on files and on PostgreSQL."""
