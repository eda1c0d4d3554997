"""Rounds of dealers and players with their results, theory and errors, posted from the store (docs/adr/0138)."""
