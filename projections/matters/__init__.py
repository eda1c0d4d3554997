"""Tasks for people at a progressive."""
