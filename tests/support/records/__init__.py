"""Recorded timelines, journals and cases, read for comparison."""
