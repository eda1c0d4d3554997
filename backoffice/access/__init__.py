"""The access log: who was refused what, and who was given what. In a database of its own, for which no dealer waits."""
