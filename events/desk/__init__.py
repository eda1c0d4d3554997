"""The desk: actions in, events out, in batches, with dry runs and action keys."""
