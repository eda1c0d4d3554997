"""Ending the work of a database at a moment, however many statements it takes."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from django.db import OperationalError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

_STEPS = 2_000  # steps of SQLite's machine between two checks of the clock
_CANCELED = "57014"  # PostgreSQL's code for a statement that took too long


class OutOfTime(Exception):
    """The database was stopped before it had an answer."""


def monotonic_time() -> float:
    """Return the time that deadlines are compared with, in seconds."""
    return time.monotonic()


@contextmanager
def limited(using: str, until: float | None) -> Iterator[None]:
    """All statements inside end at this moment of `now`, and none begins after it. Without a moment there is no limit.

    Raises OutOfTime.
    """
    if until is None:
        yield
        return
    connection = connections[using]
    connection.ensure_connection()
    limit = _postgres if connection.vendor == "postgresql" else _sqlite
    with limit(connection, until):
        yield


def _checked(until: float) -> float:
    """Return the seconds left. Raises OutOfTime."""
    if (left_s := until - monotonic_time()) <= 0:
        raise OutOfTime
    return left_s


def _execute_with_postgres_limit(until: float) -> Callable[..., Any]:
    """Return a wrapper that sends each statement with its limit in one message.

    Outside of a transaction such a message is one, so that the setting ends with it.
    """

    def execute_in_time(execute: Callable[..., Any], sql: str, *statement: Any) -> Any:
        left_ms = max(1, int(_checked(until) * 1_000))
        result = execute(f"SET LOCAL statement_timeout = {left_ms}; {sql}", *statement)
        statement[-1]["cursor"].cursor.nextset()  # the first result is that of the setting
        return result

    return execute_in_time


@contextmanager
def _postgres(connection: BaseDatabaseWrapper, until: float) -> Iterator[None]:
    block = _in_transaction(connection) if connection.in_atomic_block else nullcontext()
    try:
        with block, connection.execute_wrapper(_execute_with_postgres_limit(until)):
            yield
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") == _CANCELED:
            raise OutOfTime from error
        raise


@contextmanager
def _in_transaction(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Restore the earlier limit. A savepoint keeps the transaction usable after a statement that was stopped."""
    with transaction.atomic(connection.alias):
        with connection.cursor() as cursor:
            cursor.execute("SHOW statement_timeout")
            (before,) = cursor.fetchone()
        yield
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [before])


@contextmanager
def _sqlite(connection: BaseDatabaseWrapper, until: float) -> Iterator[None]:
    def execute_in_time(execute: Callable[..., Any], *statement: Any) -> Any:
        _checked(until)
        return execute(*statement)

    raw_connection = connection.connection
    raw_connection.set_progress_handler(lambda: monotonic_time() >= until, _STEPS)
    try:
        with connection.execute_wrapper(execute_in_time):
            yield
    except OperationalError as error:
        if "interrupted" in str(error):
            raise OutOfTime from error
        raise
    finally:
        raw_connection.set_progress_handler(None, 0)
