"""The floor: the tables that stand there, the rounds that were played, and what somebody must clear."""
