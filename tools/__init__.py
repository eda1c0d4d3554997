"""Programs that need nothing of the system: a person who checks us runs them on his own."""
