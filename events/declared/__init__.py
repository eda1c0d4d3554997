"""The kinds of streams of every house, one module each: here a decision meets other streams."""
