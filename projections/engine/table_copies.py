"""Copies of read models' tables: made next to the live ones, compared with them, and switched in by renaming.

On PostgreSQL a copy has all its indexes before the switch. SQLite cannot rename an index. There a copy gets its
secondary indexes in the switching transaction, when the old table and its indexes' names are gone.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from django.db import models

from projections.engine.bulk_writer import WriteTarget

SUFFIX = "__copy"
SAMPLES_MAX = 20
SHOWN_MAX = 200  # characters of a value that differs


class RowDifference(msgspec.Struct, frozen=True):
    """A row that is not the same in the live table and in its copy: (live, copy) by column; None: no such row."""

    model: str
    key: str
    columns: dict[str, tuple[Any, Any]] | None
    where: str  # "live", "copy" or "both"

    def __str__(self) -> str:
        if self.columns is None:
            return f"{self.model} {self.key}: only in the {self.where} read model"
        changes = ", ".join(
            f"{name}: live {_value_text(a)}, copy {_value_text(b)}" for name, (a, b) in self.columns.items()
        )
        return f"{self.model} {self.key}: {changes}"


def _value_text(value: Any) -> str:
    """Return a value for one line; of a long fold only its beginning."""
    text = repr(value)
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}... ({len(text):,} characters)"


class Copy:
    """The copy of one model's table."""

    def __init__(self, model: type[models.Model], using: str, suffix: str = SUFFIX) -> None:
        self.model = model
        self.live = WriteTarget(using)
        self.copy = WriteTarget(using, suffix)
        self._name = model._meta.db_table

    def _run(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with self.live.connection.cursor() as cursor:
            cursor.execute(statement, list(values))
            return cursor.fetchall() if cursor.description else []

    def drop(self) -> None:
        """Remove a copy that was left behind."""
        self._run(f"DROP TABLE IF EXISTS {self.copy.table(self.model)}")

    def create(self, *, indexed: bool) -> None:
        """An empty copy; on SQLite it always has its primary key, and nothing else."""
        if self.live.is_postgres:
            self._run(
                f"CREATE TABLE {self.copy.table(self.model)} "
                f"(LIKE {self.live.table(self.model)} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)"
            )
            if indexed:
                self.index()
            return
        [(statement,)] = self._run("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = %s", self._name)
        self._run(statement.replace(self.live.table(self.model), self.copy.table(self.model), 1))

    def index(self) -> None:
        """Make the indexes of a copy on PostgreSQL: those that the live table has."""
        if not self.live.is_postgres:
            return
        for name, definition in self._postgres_indexes():
            _, _, rest = definition.partition(" USING ")
            unique = "UNIQUE " if definition.startswith("CREATE UNIQUE") else ""
            self._run(
                f'CREATE {unique}INDEX "{_short(name, self.copy.suffix)}" ON {self.copy.table(self.model)} USING {rest}'
            )
        [(key,)] = self._run(_PRIMARY_KEY, self._name)
        table, name = self.copy.table(self.model), _short(key, self.copy.suffix)
        self._run(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" PRIMARY KEY USING INDEX "{name}"')
        self._run(f"ANALYZE {table}")

    def _postgres_indexes(self) -> list[tuple[Any, ...]]:
        return self._run(
            "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename = %s"
            " ORDER BY indexname",
            self._name,
        )

    def switch(self) -> None:
        """The copy becomes the live table, in the caller's transaction."""
        live, copy = self.live.table(self.model), self.copy.table(self.model)
        if self.live.is_postgres:
            names = [name for name, _ in self._postgres_indexes()]
            self._run(f"DROP TABLE {live}")
            self._run(f"ALTER TABLE {copy} RENAME TO {self.live.quoted([self._name])}")
            for name in names:
                self._run(f'ALTER INDEX "{_short(name, self.copy.suffix)}" RENAME TO "{name}"')
            return
        indexes = self._run(
            "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = %s AND sql IS NOT NULL", self._name
        )
        self._run(f"DROP TABLE {live}")
        self._run(f"ALTER TABLE {copy} RENAME TO {live}")
        for (statement,) in indexes:
            self._run(statement)

    def count(self) -> tuple[int, int]:
        """Rows in the live table and in the copy."""
        [(live, copy)] = self._run(
            f"SELECT (SELECT count(*) FROM {self.live.table(self.model)}), "
            f"(SELECT count(*) FROM {self.copy.table(self.model)})"
        )
        return live, copy

    def differences(self, limit: int = SAMPLES_MAX) -> Iterator[RowDifference]:
        """Rows that differ, at most `limit` of each kind, by primary key."""
        key = self.live.key(self.model)
        live, copy = self.live.table(self.model), self.copy.table(self.model)
        quote = self.live.connection.ops.quote_name
        columns = self.live.columns(self.model)
        yield from self._only("live", live, copy, key, limit)
        yield from self._only("copy", copy, live, key, limit)
        unlike = "IS DISTINCT FROM" if self.live.is_postgres else "IS NOT"
        where = " OR ".join(f"l.{quote(name)} {unlike} c.{quote(name)}" for name in columns if name != key)
        sides = ", ".join(f"{side}.{quote(name)}" for side in "lc" for name in columns)
        rows = self._run(
            f"SELECT {sides} FROM {live} l JOIN {copy} c ON l.{quote(key)} = c.{quote(key)} "
            f"WHERE {where} ORDER BY l.{quote(key)} LIMIT {limit}"
        )
        for row in rows:
            yield self._difference(columns, key, row[: len(columns)], row[len(columns) :])

    def _only(self, where: str, here: str, there: str, key: str, limit: int) -> Iterator[RowDifference]:
        name = self.live.connection.ops.quote_name(key)
        rows = self._run(
            f"SELECT h.{name} FROM {here} h WHERE NOT EXISTS "
            f"(SELECT 1 FROM {there} t WHERE t.{name} = h.{name}) ORDER BY 1 LIMIT {limit}"
        )
        for (differing,) in rows:
            yield RowDifference(self.model.__name__, str(differing), None, where)

    def _difference(self, columns: Sequence[str], key: str, old: Sequence[Any], new: Sequence[Any]) -> RowDifference:
        pairs = {
            name: (a, b)
            for name, a, b in zip(columns, map(_plain_value, old), map(_plain_value, new), strict=True)
            if a != b
        }
        return RowDifference(self.model.__name__, str(old[columns.index(key)]), pairs, "both")


_PRIMARY_KEY = """
SELECT c.conname FROM pg_constraint c
WHERE c.contype = 'p' AND c.conrelid = to_regclass(quote_ident(%s))
"""


def _plain_value(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def _short(index: str, suffix: str) -> str:
    """A copy's index while the live one has the name; PostgreSQL cuts names at 63 characters."""
    return f"copy_{hashlib.sha256((index + suffix).encode()).hexdigest()[:24]}"
