"""Requests to the API that its document allows, and others: each answer must be as documented."""
