"""The table screen's view of a table: places, next steps, pads, payments due, undo. Computed by the deciders."""
