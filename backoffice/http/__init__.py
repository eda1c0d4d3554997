"""Rules that every HTTP request obeys: rate limits, probes, observers, passes between processes."""
