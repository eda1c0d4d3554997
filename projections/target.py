"""Where a projection is written: a database, and the live tables or a copy beside them.

Rows are written in bulk by our own SQL, not row by row through the ORM: COPY on PostgreSQL, `executemany` on SQLite,
and one upsert a changed row.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

# PostgreSQL takes 65,535 parameters a statement, SQLite 32,766.
PARAMETERS_MAX = 30_000


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
        columns = self.columns(model)
        into = f"{self.table(model)} ({self.quoted(columns)})"
        if self.is_postgres:
            self._copy(f"COPY {into} FROM STDIN", rows)
            return
        marks = ", ".join(["%s"] * len(columns))
        with self.connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", rows)

    def _copy(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        with self.connection.cursor() as cursor, self.connection.wrap_database_errors, cursor.copy(statement) as copy:
            write = copy.write_row
            for row in rows:
                write(row)

    def upsert(self, model: type[models.Model], rows: Sequence[Sequence[Any]]) -> None:
        """Write whole rows, new or not, by their primary key."""
        if not rows:
            return
        columns = self.columns(model)
        key = self.key(model)
        changes = ", ".join(
            f"{name} = excluded.{name}" for name in map(self.quoted, ([c] for c in columns if c != key))
        )
        a_row = f"({', '.join(['%s'] * len(columns))})"
        start = f"INSERT INTO {self.table(model)} ({self.quoted(columns)}) VALUES "
        end = f" ON CONFLICT ({self.quoted([key])}) DO UPDATE SET {changes}"
        step = PARAMETERS_MAX // len(columns)
        with self.connection.cursor() as cursor:
            for first in range(0, len(rows), step):
                part = rows[first : first + step]
                values = [value for row in part for value in row]
                cursor.execute(start + ", ".join([a_row] * len(part)) + end, values)

    def load(self, model: type[models.Model], keys: Sequence[str]) -> list[Any]:
        """The rows with these primary keys, as instances of the model."""
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
        with self.connection.cursor() as cursor:
            cursor.execute(statement, list(values))
            return [model.from_db(self.using, names, row) for row in cursor.fetchall()]


LIVE = Target()
