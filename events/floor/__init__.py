"""The floor: its tables, and their links. Stream PROPERTY/floor."""
