"""PostgreSQL, for Django."""
