"""The action interface: what terminals send, and what they can ask."""
