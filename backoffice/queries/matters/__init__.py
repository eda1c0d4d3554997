"""The open matters of one progressive: what is due, by whom, and the action to send."""
