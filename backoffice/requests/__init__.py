"""Rules that every request obeys: rates, probes, observers, passes between processes."""
