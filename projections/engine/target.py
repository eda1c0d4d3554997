"""Where a projection is written: a database, and the live tables or a copy beside them.

Rows are written in bulk by our own SQL, not row by row through the ORM: COPY on PostgreSQL, `executemany` on SQLite,
and one upsert for all rows of a model that a batch has changed.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, TypeAlias

import msgspec
import psycopg
from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

# PostgreSQL takes 65,535 parameters a statement, SQLite 32,766.
PARAMETERS_MAX = 30_000
PREPARED_AFTER = 3  # uses of the same statement
# JSON has no other values that are read again as what they were.
PLAIN = (models.TextField, models.BigIntegerField, models.IntegerField, models.BooleanField)


Rows: TypeAlias = Sequence[Sequence[Any]]  # a value for every column of the model
Changes: TypeAlias = tuple[type[models.Model], Rows]


class Target(msgspec.Struct, frozen=True):
    """`using` is Django's alias of the database; `suffix` names a copy ("": the live tables)."""

    using: str = "default"
    suffix: str = ""

    @property
    def connection(self) -> BaseDatabaseWrapper:
        """This thread's connection."""
        return connections[self.using]

    @property
    def is_postgres(self) -> bool:
        """PostgreSQL or SQLite: there are no others."""
        return self.connection.vendor == "postgresql"

    def table(self, model: type[models.Model]) -> str:
        """The table's name, quoted."""
        return self.connection.ops.quote_name(model._meta.db_table + self.suffix)

    def columns(self, model: type[models.Model]) -> tuple[str, ...]:
        """The model's columns, in the order of its fields."""
        return tuple(field.column or field.attname for field in model._meta.concrete_fields)

    def key(self, model: type[models.Model]) -> str:
        """The column of its primary key."""
        return model._meta.pk.column or model._meta.pk.attname

    def quoted(self, names: Iterable[str]) -> str:
        """Column names for a statement."""
        return ", ".join(map(self.connection.ops.quote_name, names))

    def insert(self, model: type[models.Model], rows: Sequence[Sequence[Any]]) -> None:
        """Add new rows, each with a value for every column of the model."""
        if not rows:
            return
        statement, types = _insert(self, model, on_postgres=self.is_postgres)
        if self.is_postgres:
            self._copy(statement, types, rows)
            return
        with self.connection.cursor() as cursor:
            cursor.executemany(statement, rows)

    def _copy(self, statement: str, types: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """In binary: bytes as they are, and not as hexadecimal digits; the server parses nothing."""
        with self._of_psycopg() as cursor, cursor.copy(statement) as copy:
            copy.set_types(types)
            write = copy.write_row
            for row in rows:
                write(row)

    @contextmanager
    def _of_psycopg(self) -> Iterator["psycopg.Cursor[Any]"]:
        """A cursor under Django's: PostgreSQL gets the parameters and keeps the plans of what comes again."""
        self.connection.ensure_connection()
        connection = self.connection.connection
        connection.prepare_threshold = PREPARED_AFTER
        with self.connection.wrap_database_errors, psycopg.Cursor(connection) as cursor:
            yield cursor

    def _cursor(self) -> AbstractContextManager[Any]:
        return self._of_psycopg() if self.is_postgres else self.connection.cursor()

    def execute(self, statement: str, values: Sequence[Any]) -> int:
        """Run a statement of our own; how many rows it changed."""
        with self._cursor() as cursor:
            cursor.execute(statement, values)
            changed: int = cursor.rowcount
        return changed

    def commit_without_waiting(self) -> None:
        """From now on this connection's commits do not wait for the disk.

        A server that crashes may forget the last of them, whole and in order, each with the reader's position: they
        are read again. Only for what events can rebuild.
        """
        if self.is_postgres:
            self.execute("SET synchronous_commit TO off", ())

    def upsert(self, changes: Iterable[Changes]) -> None:
        """Write whole rows, new or not, by their primary key. They hold text, whole numbers and booleans only.

        PostgreSQL gets all models' in one statement, and a model's as one value of JSON: a statement each is a wait
        each, and a parameter each costs four times as much.
        """
        if self.is_postgres:
            for together in _apart(changes):
                self.execute(_upserts(self, tuple(together)), [_as_json(self, *one) for one in together.items()])
            return
        for model, rows in changes:
            if rows:
                with self.connection.cursor() as cursor:
                    cursor.executemany(_upsert(self, model, on_postgres=False)[0], rows)

    def load(self, model: type[models.Model], keys: Sequence[str]) -> list[Any]:
        """The rows with these primary keys, as instances of the model."""
        if self.is_postgres:  # one statement, however many
            return self.select(model, f"{self.quoted([self.key(model)])} = ANY(%s)", [[*keys]])
        found: list[Any] = []
        for first in range(0, len(keys), PARAMETERS_MAX):
            part = list(keys[first : first + PARAMETERS_MAX])
            marks = ", ".join(["%s"] * len(part))
            found += self.select(model, f"{self.quoted([self.key(model)])} IN ({marks})", part)
        return found

    def select(self, model: type[models.Model], where: str, values: Sequence[Any]) -> list[Any]:
        """The rows for which `where` (our own SQL) holds, as instances of the model."""
        columns = self.columns(model)
        statement = f"SELECT {self.quoted(columns)} FROM {self.table(model)} WHERE {where}"
        names = [field.attname for field in model._meta.concrete_fields]
        with self._cursor() as cursor:
            cursor.execute(statement, list(values))
            return [model.from_db(self.using, names, row) for row in cursor.fetchall()]


def _apart(changes: Iterable[Changes]) -> Iterator[dict[type[models.Model], Rows]]:
    """Those that go into one statement, by model: none twice, for no part of it sees what another writes."""
    together: dict[type[models.Model], Rows] = {}
    for model, rows in changes:
        if model in together:
            yield together
            together = {}
        if rows:
            together[model] = rows
    if together:
        yield together


def _as_json(target: Target, model: type[models.Model], rows: Rows) -> str:
    columns = target.columns(model)
    return msgspec.json.encode([dict(zip(columns, row, strict=True)) for row in rows]).decode()


@cache
def _insert(target: Target, model: type[models.Model], *, on_postgres: bool) -> tuple[str, list[str]]:
    """The statement that adds rows of a model, and what PostgreSQL calls its columns' types."""
    columns = target.columns(model)
    into = f"{target.table(model)} ({target.quoted(columns)})"
    if on_postgres:
        types = [str(field.db_type(target.connection)) for field in model._meta.concrete_fields]
        return f"COPY {into} FROM STDIN (FORMAT BINARY)", types
    return f"INSERT INTO {into} VALUES ({', '.join(['%s'] * len(columns))})", []


@cache
def _upserts(target: Target, kinds: tuple[type[models.Model], ...]) -> str:
    """PostgreSQL's statement that writes rows of several models."""
    *parts, last = (_upsert(target, kind, on_postgres=True)[0] for kind in kinds)
    before = ", ".join(f"w{number} AS ({part})" for number, part in enumerate(parts))
    return f"WITH {before} {last}" if parts else last


@cache
def _upsert(target: Target, model: type[models.Model], *, on_postgres: bool) -> tuple[str, tuple[str, ...]]:
    """The statement that writes rows of a model, and the columns in their order."""
    assert all(isinstance(field, PLAIN) for field in model._meta.concrete_fields)
    table, columns, key = target.table(model), target.columns(model), target.key(model)
    names = target.quoted(columns)
    if on_postgres:
        values = f"SELECT {names} FROM json_populate_recordset(NULL::{table}, %s::json)"
    else:
        values = f"VALUES ({', '.join(['%s'] * len(columns))})"
    changes = ", ".join(f"{name} = excluded.{name}" for name in (target.quoted([c]) for c in columns if c != key))
    conflict = f"ON CONFLICT ({target.quoted([key])}) DO UPDATE SET {changes}"
    return f"INSERT INTO {table} ({names}) {values} {conflict}", columns


LIVE = Target()
