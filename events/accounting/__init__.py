"""The accountant's figures, from events alone: one fold, cut by what it counts (docs/adr/0060)."""
