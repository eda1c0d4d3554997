"""The journal's entries, one row each, posted from the store (docs/adr/0070)."""
