"""The store of heads on PostgreSQL: a table in the database of the event store (`signed_head_stores.py`)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from events.error_codes import coded
from events.errors import Unknown
from events.store.database_login_errors import failure_of
from events.store.postgres_session_settings import connect
from events.store.store_base_classes import damaged

WAIT_S = 10  # for the database


class PostgresHeads:
    """Heads in the store's database."""

    def __init__(self, url: str) -> None:
        self._url = url

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[Any]]:
        try:
            with connect(self._url, connect_timeout=WAIT_S) as connection:
                yield connection
        except psycopg.errors.UndefinedTable as error:
            raise Unknown(coded("heads-not-made")) from error
        except psycopg.OperationalError as error:
            raise failure_of(error, "the store's database") from error
        except psycopg.InternalError as error:
            raise damaged(error) from error

    def after(self, number: int, limit: int = 1_000) -> list[bytes]:
        return [raw for _, raw in self.numbered(number, limit)]

    def numbered(self, number: int, limit: int = 1_000) -> list[tuple[int, bytes]]:
        query = "SELECT number, head FROM pitledger_heads WHERE number > %s ORDER BY number LIMIT %s"
        with self._connected() as connection:
            return connection.execute(query, (number, limit)).fetchall()

    def last(self) -> bytes | None:
        with self._connected() as connection:
            row = connection.execute("SELECT head FROM pitledger_heads ORDER BY number DESC LIMIT 1").fetchone()
        return row[0] if row else None

    def add(self, number: int, raw: bytes) -> bool:
        query = "INSERT INTO pitledger_heads (number, head) VALUES (%s, %s) ON CONFLICT DO NOTHING"
        with self._connected() as connection:
            return connection.execute(query, (number, raw)).rowcount == 1

    def close(self) -> None:
        """Every use has a connection of its own: a head is made every few seconds."""
