"""Events of the tables and the rules over them: deciders, the event store, the relay."""
