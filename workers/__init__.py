"""The Celery worker: tasks that wake up work which the streams themselves define. They carry no truth of their own."""
