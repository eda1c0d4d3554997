"""The house as an installation: its backups, and how a copy becomes a house again."""
