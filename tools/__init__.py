"""Programs that need nothing of the system: whoever checks us runs them on his own."""
