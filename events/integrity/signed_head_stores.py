"""The store of heads: a table in the database of the event store, which is never edited.

Heads are not events, since they describe events and follow a clock. A log that is cut off must not lose its proof with
its end.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Protocol
from urllib.parse import unquote

from events.error_codes import coded
from events.errors import Conflict, Invalid, Retry, Unknown
from events.integrity.signed_head_format import decode
from events.store.store_base_classes import damaged

WAIT_S = 10.0
LOWEST = -(2**63)  # no number in a database is below


class Heads(Protocol):
    """The heads of one property, numbered from 1, as bytes."""

    def after(self, number: int, limit: int = 1_000) -> list[bytes]:
        """Return the heads after `number`, in order."""

    def numbered(self, number: int, limit: int = 1_000) -> list[tuple[int, bytes]]:
        """Return the same, each with its number in the table: the owner of the database can write another one there."""

    def last(self) -> bytes | None:
        """The newest."""

    def add(self, number: int, raw: bytes) -> bool:
        """Keep the head of this number; False where there is one already. Raises Retry."""

    def close(self) -> None:
        """Give the connection back."""


class MemoryHeads:
    """Heads of stores in memory: tests and simulations."""

    def __init__(self) -> None:
        self._heads: list[bytes] = []
        self._lock = Lock()

    def after(self, number: int, limit: int = 1_000) -> list[bytes]:
        return [raw for _, raw in self.numbered(number, limit)]

    def numbered(self, number: int, limit: int = 1_000) -> list[tuple[int, bytes]]:
        first = max(number, 0)
        return [*enumerate(self._heads[first : first + limit], first + 1)]

    def last(self) -> bytes | None:
        return self._heads[-1] if self._heads else None

    def add(self, number: int, raw: bytes) -> bool:
        with self._lock:
            if number != len(self._heads) + 1:
                return False
            self._heads.append(raw)
            return True

    def close(self) -> None:
        """Do nothing: no connection is open."""


class SQLiteHeads:
    """Heads in the store's file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = sqlite3.connect(self._path, timeout=WAIT_S, isolation_level=None)
            try:
                yield connection
            finally:
                connection.close()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                raise Unknown(coded("heads-not-made")) from error
            raise Retry(coded("heads-unreadable", file=self._path.name, why=str(error))) from error
        except sqlite3.DatabaseError as error:
            raise damaged(error) from error

    def after(self, number: int, limit: int = 1_000) -> list[bytes]:
        return [raw for _, raw in self.numbered(number, limit)]

    def numbered(self, number: int, limit: int = 1_000) -> list[tuple[int, bytes]]:
        query = "SELECT number, head FROM pitledger_heads WHERE number > ? ORDER BY number LIMIT ?"
        with self._connected() as connection:
            return [(place, _bytes(raw)) for place, raw in connection.execute(query, (number, limit))]

    def last(self) -> bytes | None:
        with self._connected() as connection:
            row = connection.execute("SELECT head FROM pitledger_heads ORDER BY number DESC LIMIT 1").fetchone()
        return _bytes(row[0]) if row else None

    def add(self, number: int, raw: bytes) -> bool:
        with self._connected() as connection:
            try:
                connection.execute("PRAGMA synchronous=FULL")
                connection.execute("INSERT INTO pitledger_heads (number, head) VALUES (?, ?)", (number, raw))
            except sqlite3.IntegrityError:
                return False
        return True

    def close(self) -> None:
        """Every use has a connection of its own."""


def _bytes(raw: object) -> bytes:
    """Return the bytes of a column: SQLite returns text that an editor wrote as text."""
    return raw if isinstance(raw, bytes) else str(raw).encode()


def open_heads(url: str) -> Heads:
    """Return the heads of the store at this URL; their `create()` makes the table. Raises Invalid; when used Unknown
    where there is no such table, and Retry."""
    if url.startswith("sqlite:///"):
        return SQLiteHeads(Path(unquote(url.removeprefix("sqlite:///"))))
    if url.startswith(("postgresql://", "postgres://")):
        from events.integrity.postgres_head_store import PostgresHeads  # here: a house on SQLite never loads the driver

        return PostgresHeads(url)
    if url == "memory://":
        return MemoryHeads()
    raise Invalid("PITLEDGER_STORE", coded("store-address-format"))


def in_order(heads: Heads, number: int, limit: int = 1_000) -> Iterator[list[bytes]]:
    """Yield all heads after `number`, a batch at a time.

    Raises Conflict where one is missing or in another's place, which no signer of the house does; `Poison` for a
    malformed head.
    """
    while batch := heads.numbered(number, limit):
        for place, raw in batch:
            if place != number + 1 or decode(raw).number != place:
                raise Conflict(coded("head-order-broken", number=number))
            number = place
        yield [raw for _, raw in batch]
