"""The house as an installation: opening, settings, backup, restore and health."""
