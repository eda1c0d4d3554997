"""A process at run time: clock, metrics, traces, garbage collection, values derived once."""
