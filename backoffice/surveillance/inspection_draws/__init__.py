"""Pages of the random draw: commitments, results, and inspections with their findings."""
