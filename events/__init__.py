"""What happened at the tables, and what may happen: rules, deciders, the event store and the relay."""
