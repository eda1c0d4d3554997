"""Ending the work of a database at a moment, however many statements it takes."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

_STEPS = 2_000  # of SQLite's machine, between two looks at the clock
_CANCELED = "57014"  # PostgreSQL's code for a statement that took too long
_SET_AGAIN_MS = 10  # PostgreSQL limits each statement: its limit is set again when so much less time is left


class OutOfTime(Exception):
    """The database was stopped before it had an answer."""


def now() -> float:
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
    if (left_s := until - now()) <= 0:
        raise OutOfTime
    return left_s


class _PostgresLimit:
    """Limits each statement to the time that is left for all of them."""

    def __init__(self, until: float, command: str) -> None:
        """`command`: SET or SET LOCAL."""
        self._until, self._command = until, command
        self._limit_ms: int | None = None

    @property
    def is_set(self) -> bool:
        """Return whether the connection has a limit."""
        return self._limit_ms is not None

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        left_ms = max(1, int(_checked(self._until) * 1_000))
        if self._limit_ms is None or self._limit_ms - left_ms >= _SET_AGAIN_MS:
            context["connection"].connection.execute(f"{self._command} statement_timeout = {left_ms}")
            self._limit_ms = left_ms
        return execute(sql, params, many, context)


@contextmanager
def _postgres(connection: BaseDatabaseWrapper, until: float) -> Iterator[None]:
    block = _in_transaction if connection.in_atomic_block else _in_session
    try:
        with block(connection, until):
            yield
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") == _CANCELED:
            raise OutOfTime from error
        raise


@contextmanager
def _in_session(connection: BaseDatabaseWrapper, until: float) -> Iterator[None]:
    limit = _PostgresLimit(until, "SET")
    try:
        with connection.execute_wrapper(limit):
            yield
    finally:
        if limit.is_set and not connection.connection.closed:
            from events.store.postgres_session_settings import SESSION  # here: a house on SQLite never loads the driver

            with connection.cursor() as cursor:
                cursor.execute(f"SET statement_timeout = {SESSION['statement_timeout']}")


@contextmanager
def _in_transaction(connection: BaseDatabaseWrapper, until: float) -> Iterator[None]:
    """A savepoint keeps the transaction usable after a statement that was stopped."""
    with transaction.atomic(connection.alias):
        with connection.cursor() as cursor:
            cursor.execute("SHOW statement_timeout")
            (before,) = cursor.fetchone()
        with connection.execute_wrapper(_PostgresLimit(until, "SET LOCAL")):
            yield
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [before])


@contextmanager
def _sqlite(connection: BaseDatabaseWrapper, until: float) -> Iterator[None]:
    def execute_in_time(execute: Callable[..., Any], *statement: Any) -> Any:
        _checked(until)
        return execute(*statement)

    raw_connection = connection.connection
    raw_connection.set_progress_handler(lambda: now() >= until, _STEPS)
    try:
        with connection.execute_wrapper(execute_in_time):
            yield
    except OperationalError as error:
        if "interrupted" in str(error):
            raise OutOfTime from error
        raise
    finally:
        raw_connection.set_progress_handler(None, 0)
