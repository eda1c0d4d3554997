"""Tables to which a projection is written: a database, and the live tables or a copy of them.

Rows are written in bulk by own SQL, not row by row through the ORM. PostgreSQL uses COPY, SQLite `executemany`, and one
upsert writes all rows of a model that a batch has changed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

from events.store.list_types_for_postgres_arrays import Bigints, Byteas, TextArray, TimestampArray

if TYPE_CHECKING:
    import psycopg

# PostgreSQL takes 65,535 parameters a statement, SQLite 32,766.
PARAMETERS_MAX = 30_000
PREPARED_AFTER = 3  # uses of the same statement
# JSON has no other values that are read back unchanged. A float is written in the fewest digits that name it.
PLAIN = (models.TextField, models.BigIntegerField, models.IntegerField, models.BooleanField, models.FloatField)
# By PostgreSQL's name of a column's type: the type of the one value that is passed.
ARRAYS: Mapping[str, type[list[Any]]] = {
    "text": TextArray,
    "bigint": Bigints,
    "bytea": Byteas,
    "timestamp with time zone": TimestampArray,
}


Rows: TypeAlias = Sequence[Sequence[Any]]  # a value for every column of the model
Changes: TypeAlias = tuple[type[models.Model], Rows]


class FewerRowsChanged(Exception):
    """A statement changed fewer rows than it had to: nothing of its transaction was done."""


class WriteTarget(msgspec.Struct, frozen=True):
    """`using` is Django's alias of the database; `suffix` names a copy ("": the live tables)."""

    using: str = "default"
    suffix: str = ""

    @property
    def connection(self) -> BaseDatabaseWrapper:
        """Return this thread's connection."""
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

    def insert(self, model: type[models.Model], rows: Rows) -> None:
        """Add new rows, each with a value for every column of the model."""
        if not rows:
            return
        if self._is_going:  # COPY wants answers
            kinds = [ARRAYS[kind] for kind in _types(self, model)]
            columns = zip(*rows, strict=True)
            self.execute(
                _insert_arrays(self, model), [kind(column) for kind, column in zip(kinds, columns, strict=True)]
            )
        elif self.is_postgres:
            self._copy(model, rows)
        else:
            with self.connection.cursor() as cursor:
                cursor.executemany(_insert(self, model), rows)

    def _copy(self, model: type[models.Model], rows: Rows) -> None:
        """Copy rows in binary: bytes stay bytes, and the server parses nothing."""
        with self._of_psycopg() as cursor, cursor.copy(_copy(self, model)) as copy:
            copy.set_types(_types(self, model))
            write = copy.write_row
            for row in rows:
                write(row)

    @contextmanager
    def _of_psycopg(self) -> Iterator["psycopg.Cursor[Any]"]:
        """Yield a cursor under Django's: PostgreSQL gets the parameters and keeps the plans of repeated statements."""
        import psycopg  # here: a house on SQLite never loads the driver

        connection = self.connected()
        connection.prepare_threshold = PREPARED_AFTER
        with self.connection.wrap_database_errors, psycopg.Cursor(connection) as cursor:
            yield cursor

    def connected(self) -> "psycopg.Connection[Any]":
        """PostgreSQL's connection under Django's."""
        self.connection.ensure_connection()
        connection: psycopg.Connection[Any] = self.connection.connection
        return connection

    def _cursor(self) -> AbstractContextManager[Any]:
        return self._of_psycopg() if self.is_postgres else self.connection.cursor()

    def execute(self, statement: str, values: Sequence[Any]) -> int:
        """Run a statement of our own; how many rows it changed (-1 where the answer is not waited for)."""
        with self._cursor() as cursor:
            cursor.execute(statement, values)
            changed: int = cursor.rowcount
        return changed

    def change(self, statement: str, values: Sequence[Any], rows: int) -> None:
        """Run an UPDATE that must change exactly `rows` rows.

        Raises FewerRowsChanged, now or at the end of the `pipelined` block.

        PostgreSQL counts them itself where its answer is not awaited: a wrong count divides by zero.
        """
        if self._is_going:
            count = f"WITH changed AS ({statement} RETURNING 1) SELECT 1 / (count(*) = %s)::int FROM changed"
            self.execute(count, [*values, rows])
        elif self.execute(statement, values) != rows:
            raise FewerRowsChanged(f"fewer than {rows} rows were changed")

    @property
    def _is_going(self) -> bool:
        """Return whether statements are sent without waiting for answers (`pipelined_transaction.py`)."""
        return self.is_postgres and bool(self.connected().pgconn.pipeline_status)  # 0: PipelineStatus.OFF

    def commit_without_waiting(self) -> None:
        """Commit on this connection without waiting for the disk, from now on.

        A server that crashes may lose the last of them, whole and in order, each with the reader's position: they are
        read again. Only for tables that events can rebuild.
        """
        if self.is_postgres:
            self.execute("SET synchronous_commit TO off", ())

    def upsert(self, changes: Iterable[Changes]) -> None:
        """Write whole rows, new or not, by their primary key. They hold text, numbers and booleans only.

        On PostgreSQL one statement writes all models, with one JSON value for each. A statement for each model would
        cost a round trip each, and a parameter for each value four times as much.
        """
        if self.is_postgres:
            for rows_by_model in _statement_groups(changes):
                self.execute(
                    _upserts(self, tuple(rows_by_model)),
                    [_as_json(self, model, rows) for model, rows in rows_by_model.items()],
                )
            return
        for model, rows in changes:
            if rows:
                with self.connection.cursor() as cursor:
                    cursor.executemany(_upsert(self, model, on_postgres=False)[0], rows)

    def load(self, model: type[models.Model], keys: Sequence[str]) -> list[Any]:
        """The rows with these primary keys, as instances of the model."""
        if self.is_postgres:  # one statement, however many
            return self.select(model, f"{self.quoted([self.key(model)])} = ANY(%s)", [[*keys]])
        instances: list[Any] = []
        for first in range(0, len(keys), PARAMETERS_MAX):
            part = list(keys[first : first + PARAMETERS_MAX])
            marks = ", ".join(["%s"] * len(part))
            instances += self.select(model, f"{self.quoted([self.key(model)])} IN ({marks})", part)
        return instances

    def select(self, model: type[models.Model], where: str, values: Sequence[Any]) -> list[Any]:
        """The rows for which `where` (our own SQL) holds, as instances of the model."""
        columns = self.columns(model)
        statement = f"SELECT {self.quoted(columns)} FROM {self.table(model)} WHERE {where}"
        names = [field.attname for field in model._meta.concrete_fields]
        with self._cursor() as cursor:
            cursor.execute(statement, list(values))
            return [model.from_db(self.using, names, row) for row in cursor.fetchall()]


def _statement_groups(changes: Iterable[Changes]) -> Iterator[dict[type[models.Model], Rows]]:
    """Yield groups of rows for one statement each, by model.

    No row is twice in a group, because no part of a statement sees the rows that another part writes.
    """
    rows_by_model: dict[type[models.Model], Rows] = {}
    for model, rows in changes:
        if model in rows_by_model:
            yield rows_by_model
            rows_by_model = {}
        if rows:
            rows_by_model[model] = rows
    if rows_by_model:
        yield rows_by_model


def _as_json(target: WriteTarget, model: type[models.Model], rows: Rows) -> str:
    columns = target.columns(model)
    return msgspec.json.encode([dict(zip(columns, row, strict=True)) for row in rows]).decode()


def _into(target: WriteTarget, model: type[models.Model]) -> str:
    return f"{target.table(model)} ({target.quoted(target.columns(model))})"


@cache
def _insert(target: WriteTarget, model: type[models.Model]) -> str:
    """The statement that adds a row of a model."""
    return f"INSERT INTO {_into(target, model)} VALUES ({', '.join(['%s'] * len(target.columns(model)))})"


@cache
def _copy(target: WriteTarget, model: type[models.Model]) -> str:
    """PostgreSQL's statement that adds rows which are then written to it."""
    return f"COPY {_into(target, model)} FROM STDIN (FORMAT BINARY)"


@cache
def _insert_arrays(target: WriteTarget, model: type[models.Model]) -> str:
    """PostgreSQL's statement that adds rows by their columns, an array each."""
    arrays = ", ".join(f"%s::{kind}[]" for kind in _types(target, model))
    return f"INSERT INTO {_into(target, model)} SELECT * FROM unnest({arrays})"


@cache
def _types(target: WriteTarget, model: type[models.Model]) -> list[str]:
    """Return the names that PostgreSQL gives to the types of a model's columns."""
    kinds = (str(field.db_type(target.connection)) for field in model._meta.concrete_fields)
    return [kind.partition(" COLLATE ")[0] for kind in kinds]


@cache
def _upserts(target: WriteTarget, kinds: tuple[type[models.Model], ...]) -> str:
    """PostgreSQL's statement that writes rows of several models."""
    *parts, last = (_upsert(target, kind, on_postgres=True)[0] for kind in kinds)
    before = ", ".join(f"w{number} AS ({part})" for number, part in enumerate(parts))
    return f"WITH {before} {last}" if parts else last


@cache
def _upsert(target: WriteTarget, model: type[models.Model], *, on_postgres: bool) -> tuple[str, tuple[str, ...]]:
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


LIVE = WriteTarget()
