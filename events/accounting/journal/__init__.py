"""The double-entry journal: rules as data turn the named amounts of every event into entries (docs/adr/0069)."""
