"""The action interface: actions of terminals, and their queries."""
