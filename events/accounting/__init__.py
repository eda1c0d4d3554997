"""The accountant's figures, folded from events alone: one fold in parts, a part for each kind of count
(docs/adr/0060)."""
