"""Open items of a progressive: each with the action that closes it."""
