"""Reports on paper. Each carries title, period, who asked, position, software version and a hash."""
