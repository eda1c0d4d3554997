"""Notes between the processes of a house, in the database of the access log.

Notes are neither events nor made of events. They are the result of the last verification, the last contact of the
witness, and the keys of unverified counts. The database of the access log is restored neither with the events nor with
the read models, and the role of the house owns it. Every container reads the notes of all others.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

from events.error_codes import coded
from events.errors import Retry
from events.store.driver_exception_classes import MADE_MEANWHILE, NO_SUCH_TABLE, database_errors, sqlstate_of
from events.store.network_drive_refusal import must_be_local

T = TypeVar("T")
WAIT_S = 10
NAMES_MAX = 1_000  # names in a query
_FILE = "sqlite:///"
NOTES_TABLE = "pitledger_notes"
# TABLE_ stands for the name of the table, which is one of ours.
_CREATE = "CREATE TABLE IF NOT EXISTS TABLE_ (name TEXT PRIMARY KEY, content %s NOT NULL)"
_READ = "SELECT content FROM TABLE_ WHERE name = %s"
_INSERT = "INSERT INTO TABLE_ (name, content) VALUES (%s, %s) ON CONFLICT (name)"
_ADD, _WRITE = f"{_INSERT} DO NOTHING", f"{_INSERT} DO UPDATE SET content = excluded.content"
_REPLACE = "UPDATE TABLE_ SET content = %s WHERE name = %s AND content = %s"
_REMOVE = "DELETE FROM TABLE_ WHERE name = %s"
_CONTENTS = "SELECT name, content FROM TABLE_ WHERE name LIKE %s ORDER BY name"
_READ_MANY = "SELECT name, content FROM TABLE_ WHERE name IN (NAMES_)"
_LOCK = "SELECT content FROM TABLE_ WHERE name = %s FOR UPDATE"
_SIZES = "SELECT name, length(content) FROM TABLE_ WHERE name LIKE %s ORDER BY name"


class Notes:
    """The notes at this address of a database, "sqlite:///PATH" or "postgresql://...". Every use has its connection.

    A table of another name is in the backups of the house, which leave the house's own notes out.

    Each method raises Retry where the database does not answer.
    """

    def __init__(self, url: str, table: str = NOTES_TABLE) -> None:
        self._url = url
        self._table = table
        self._file = Path(unquote(url.removeprefix(_FILE))) if url.startswith(_FILE) else None

    def create(self) -> None:
        """Make the table where it is missing. `migrate` does it, and the first note that is written."""
        with self._connected() as connection:
            self._make(connection)

    def read(self, name: str) -> bytes | None:
        """Return the note of this name, or None."""
        if self._file is not None and not self._file.exists():
            return None  # reading makes no file
        with self._connected() as connection:
            try:
                row = self._execute(connection, _READ, name).fetchone()
            except database_errors() as error:
                if _is_no_table(error):
                    return None
                raise
        return None if row is None else bytes(row[0])

    def sizes(self, prefix: str) -> dict[str, int]:
        """Return the notes whose names begin so: bytes by name, ordered. `prefix` has no wildcard of LIKE."""
        return dict(self._rows(_SIZES, prefix))

    def contents(self, prefix: str) -> dict[str, bytes]:
        """Return the notes whose names begin so: content by name, ordered. `prefix` has no wildcard of LIKE."""
        return {name: bytes(content) for name, content in self._rows(_CONTENTS, prefix)}

    def read_many(self, names: Sequence[str]) -> dict[str, bytes]:
        """Return the notes of these names: content by name. Missing ones are left out."""
        batches = [names[first : first + NAMES_MAX] for first in range(0, len(names), NAMES_MAX)]
        queries = [(_READ_MANY.replace("NAMES_", ", ".join(["%s"] * len(batch))), batch) for batch in batches]
        return {name: bytes(content) for name, content in self._fetch_rows(queries)}

    def _rows(self, statement: str, prefix: str) -> list[tuple[str, Any]]:
        rows = self._fetch_rows([(statement, [f"{prefix}%"])])
        return [(name, value) for name, value in rows if name.startswith(prefix)]

    def _fetch_rows(self, queries: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[str, Any]]:
        """Return the rows of these statements, each with its values, on one connection."""
        if not queries or (self._file is not None and not self._file.exists()):
            return []
        with self._connected() as connection:
            try:
                return [row for query, values in queries for row in self._execute(connection, query, *values)]
            except database_errors() as error:
                if _is_no_table(error):
                    return []
                raise

    def write(self, name: str, content: bytes) -> None:
        """Put this note in the place of the one before."""
        self._change(lambda connection: self._execute(connection, _WRITE, name, content))

    def add(self, name: str, content: bytes) -> bytes:
        """Write a new note, and return the present one: of two writers the first wins."""
        self._change(lambda connection: self._execute(connection, _ADD, name, content))
        return self.read(name) or content

    def replace(self, name: str, before: bytes, content: bytes) -> bool:
        """Put a note in the place of this one; False where it was changed or deleted meanwhile."""
        return bool(
            self._change(lambda connection: self._execute(connection, _REPLACE, content, name, before).rowcount)
        )

    def remove(self, names: Iterable[str]) -> None:
        """Delete these notes, where they are there."""
        if self._file is not None and not self._file.exists():
            return
        self._change(lambda connection: [self._execute(connection, _REMOVE, name) for name in names])

    def remove_together(self, name: str, content: bytes, others: Iterable[str]) -> bool:
        """Delete a note that has this content, and the others with it; False, and nothing, where it was changed."""
        return bool(self._change(lambda connection: self._removed_together(connection, name, content, [*others])))

    def _removed_together(self, connection: Any, name: str, content: bytes, others: Sequence[str]) -> bool:
        with _transaction(connection):
            lock = _READ if isinstance(connection, sqlite3.Connection) else _LOCK
            row = self._execute(connection, lock, name).fetchone()
            is_same = row is not None and bytes(row[0]) == content
            for each in (name, *others) if is_same else ():
                self._execute(connection, _REMOVE, each)
        return is_same

    def _change(self, change: Callable[[Any], T]) -> T:
        with self._connected() as connection:
            try:
                return change(connection)
            except database_errors() as error:
                if not _is_no_table(error):
                    raise
            self._make(connection)
            return change(connection)

    def _execute(self, connection: Any, statement: str, *values: Any) -> Any:
        statement = statement.replace("TABLE_", self._table)
        is_file = isinstance(connection, sqlite3.Connection)
        return connection.execute(statement.replace("%s", "?") if is_file else statement, values)

    def _make(self, connection: Any) -> None:
        is_file = isinstance(connection, sqlite3.Connection)
        try:
            connection.execute(_CREATE.replace("TABLE_", self._table) % ("BLOB" if is_file else "BYTEA"))
        except database_errors() as error:
            if sqlstate_of(error) not in MADE_MEANWHILE:
                raise

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """Yield a connection on which each statement is durable on its own."""
        try:
            with closing(self._connect()) as connection:
                yield connection
        except database_errors() as error:
            raise Retry(coded("notes-unusable", why=str(error))) from error

    def _connect(self) -> Any:
        if self._file is None:
            from events.store.postgres_session_settings import connect  # here: a house on SQLite never loads the driver

            connection = connect(self._url, connect_timeout=WAIT_S)
            connection.autocommit = True
            return connection
        must_be_local(self._file, "PITLEDGER_ACCESS")
        self._file.parent.mkdir(parents=True, exist_ok=True)
        return sqlite3.connect(self._file, timeout=WAIT_S, isolation_level=None)


@contextmanager
def _transaction(connection: Any) -> Iterator[None]:
    """Let no one else write meanwhile (SQLite), or change a row that is read with _LOCK (PostgreSQL)."""
    if not isinstance(connection, sqlite3.Connection):
        with connection.transaction():
            yield
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:  # commits, or rolls back
        yield


def _is_no_table(error: Exception) -> bool:
    return sqlstate_of(error) == NO_SUCH_TABLE or "no such table" in str(error)
