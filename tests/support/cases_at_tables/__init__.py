"""Settlement cases that a robot dealer plays at tables."""
