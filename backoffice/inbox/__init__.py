"""The inbox: open work of each person, its outcomes, mails and webhooks about it."""
