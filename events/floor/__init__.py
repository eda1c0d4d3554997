"""The floor: which tables stand there, and what they are linked to. Stream PROPERTY/floor."""
