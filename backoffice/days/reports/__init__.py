"""Reports of a gaming day: their lines, their files, their pages."""
