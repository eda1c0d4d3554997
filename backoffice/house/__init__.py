"""The house as an installation: how it begins, its backups, and how a copy becomes a house again."""
