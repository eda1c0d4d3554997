"""The Celery worker. Its tasks only start work that the streams define, and contain no facts."""
