"""Errors of both databases, for code that works with either and must not load PostgreSQL's driver.

The driver takes a twentieth of the processor time of a small command. A house on SQLite never loads it.
"""

import sqlite3
import sys

NO_SUCH_TABLE = "42P01"
READ_ONLY = "25006"
MADE_MEANWHILE = frozenset({"23505", "42P07", "42710"})  # by another process: a row, a table, an object of this name


def driver_errors() -> tuple[type[Exception], ...]:
    """Return the base class of the driver's errors; nothing while this process has not loaded the driver."""
    if "psycopg" not in sys.modules:
        return ()
    import psycopg  # here: it is loaded, or another thread is loading it

    return (psycopg.Error,)


def database_errors() -> tuple[type[Exception], ...]:
    """Return the base classes of the errors of both databases, as far as this process has loaded them."""
    return (sqlite3.Error, *driver_errors())


def sqlstate_of(error: BaseException | None) -> str:
    """Return PostgreSQL's code of an error; "" for an error that comes from no server."""
    return getattr(error, "sqlstate", None) or ""


def is_unreachable(error: BaseException | None) -> bool:
    """Return whether the driver raised this error without an answer of the server, which gives each error a code."""
    if error is None or not isinstance(error, driver_errors()):
        return False
    import psycopg  # here: the error is the driver's, so it is loaded

    return isinstance(error, psycopg.OperationalError) and error.sqlstate is None
