"""The session of every PostgreSQL connection: set by the product, against all settings of role, database or
environment.

`ALTER ROLE ... SET`, `ALTER DATABASE ... SET`, PGOPTIONS, PGCLIENTENCODING, PGDATESTYLE and PGTZ change how a session
reads and writes text, times and numbers, and which rules it keeps. Each connection sets the product's needs after it is
made, in one round trip: the environment of libpq wins over earlier settings. Settings that only the database's owner
can change are checked, and refused with their cure before anything is written.
"""

import os
from collections.abc import Mapping
from typing import Any, Self

import psycopg
from psycopg import Connection
from psycopg.rows import tuple_row

from events.error_codes import coded
from events.errors import Invalid
from events.store.array_dumpers import register_dumpers

ENCODING = "UTF8"
SESSION: Mapping[str, str] = {
    "client_encoding": ENCODING,
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "TimeZone": "UTC",
    "search_path": "public",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",
    "array_nulls": "on",
    "row_security": "on",
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "off",
    "default_transaction_deferrable": "off",
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "jit": "off",  # compiling a statement takes up to a second, which no timeout ends
}
_TRANSACTION_TIMEOUT_SINCE = 170_000  # PostgreSQL 17
# An acknowledged event is on the disk. A house that waits for its standby as well ("remote_apply") keeps that.
_DURABLE = (
    "set_config('synchronous_commit',"
    " CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END,"
    " false)"
)
_SET = f"SELECT {', '.join('set_config(%s, %s, false)' for _ in SESSION)}, {_DURABLE}"
_VALUES = [part for pair in SESSION.items() for part in pair]
_TRIGGERS = "SELECT current_setting('session_replication_role')"
_REPLACE = "createdb --encoding UTF8 --template template0 NAME"

register_dumpers()  # before the first connection: Django copies the list of dumpers once


class ProductConnection(Connection[Any]):
    """A connection with the product's session, for pools. Raises Invalid for a database that does not fit."""

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> Self:
        connection = super().connect(conninfo, **options, **at_start())
        try:
            set_session(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def connect(url: str, *, session: Mapping[str, str] | None = None, **options: Any) -> Connection[Any]:
    """Connect to the database at this URL. `session`: this connection's own settings.

    Raises Invalid for a database that does not fit, and psycopg.Error.
    """
    connection = ProductConnection.connect(url, **options)
    if session:
        _executed(connection, [("SELECT set_config(%s, %s, false)", [name, value]) for name, value in session.items()])
    return connection


def at_start() -> dict[str, Any]:
    """Return the options of a new connection: its encoding, and no statement timeout until the rest is set."""
    options = f"{os.environ.get('PGOPTIONS', '')} -c statement_timeout=0".strip()
    return {"client_encoding": ENCODING, "options": options}


def set_session(connection: Connection[Any], setting: str = "PITLEDGER_STORE") -> None:
    """Set the product's needs, and check those that it cannot set. `setting`: the setting that names this database.

    Raises Invalid with the cure where the database does not fit.
    """
    must_be_unicode(connection.info.parameter_status("server_encoding"), setting)
    statements: list[tuple[str, list[str]]] = [(_SET, _VALUES)]
    if connection.info.server_version >= _TRANSACTION_TIMEOUT_SINCE:
        statements.append(("SELECT set_config(%s, %s, false)", ["transaction_timeout", "0"]))
    rows = _executed(connection, [*statements, (_TRIGGERS, [])])
    if rows[-1] != "origin":
        raise Invalid(
            setting,
            coded("session-role-without-triggers", role=str(rows[-1])),
        )


def must_be_unicode(encoding: str | None, setting: str) -> None:
    """Raise Invalid for a database that cannot hold every text, or does not know which text its bytes are."""
    if encoding != ENCODING:
        raise Invalid(
            setting,
            coded("database-encoding", encoding=encoding, needed=ENCODING, command=_REPLACE),
        )


def _executed(connection: Connection[Any], statements: list[tuple[str, list[str]]]) -> list[Any]:
    """The first value of each, outside of any transaction: one that is rolled back would take the settings along."""
    before, connection.autocommit = connection.autocommit, True
    try:
        with psycopg.Cursor(connection, row_factory=tuple_row) as cursor:
            values = []
            for statement, parameters in statements:
                row = cursor.execute(statement.encode(), parameters).fetchone()
                values.append(row[0] if row else None)
            return values
    finally:
        connection.autocommit = before
