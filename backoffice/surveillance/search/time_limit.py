"""Ending a database query when its time is up."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connections, transaction

_STEPS = 2_000  # of SQLite's machine, between two looks at the clock
_CANCELED = "57014"  # PostgreSQL's code for a statement that took too long


class OutOfTime(Exception):
    """The database was stopped before it had an answer."""


@contextmanager
def limited(using: str, until: float | None) -> Iterator[None]:
    """Queries that end at a moment of `time.monotonic`; none does without one. Raises OutOfTime."""
    if until is None:
        yield
        return
    if until <= time.monotonic():
        raise OutOfTime
    with _postgres(using, until) if connections[using].vendor == "postgresql" else _sqlite(using, until):
        yield


@contextmanager
def _postgres(using: str, until: float) -> Iterator[None]:
    """Limit the statements of this transaction, or of a savepoint in an open one."""
    try:
        with transaction.atomic(using):
            with connections[using].cursor() as cursor:
                cursor.execute("SHOW statement_timeout")
                (before,) = cursor.fetchone()
                left_ms = max(1, int((until - time.monotonic()) * 1_000))
                cursor.execute(f"SET LOCAL statement_timeout = {left_ms}")
            yield
            with connections[using].cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, true)", [before])
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") == _CANCELED:
            raise OutOfTime from error
        raise


@contextmanager
def _sqlite(using: str, until: float) -> Iterator[None]:
    connections[using].ensure_connection()
    connection = connections[using].connection
    connection.set_progress_handler(lambda: time.monotonic() >= until, _STEPS)
    try:
        yield
    except OperationalError as error:
        if "interrupted" in str(error):
            raise OutOfTime from error
        raise
    finally:
        connection.set_progress_handler(None, 0)
