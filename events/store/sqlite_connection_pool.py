"""The connection pool of an SQLite store: a connection stays open while a thread reads."""

import sqlite3
from time import monotonic, sleep

from eventsourcing.persistence import ConnectionPoolClosedError
from eventsourcing.sqlite import SQLiteConnection, SQLiteConnectionPool

LOCK_SECONDS = 10  # as long as another process waits for the file
AGAIN_SECONDS = 0.01  # before another try at a new file


class Connections(SQLiteConnectionPool):
    """The library's pool with another end: a connection in use is closed when it is given back.

    The library closes it at once. If another thread is reading from it, SQLite then uses freed memory, and the process
    crashes.
    """

    def close(self) -> None:
        """Close the idle connections, and refuse further requests for one."""
        with self._put_condition:
            self._in_use.clear()
            super().close()

    def put_connection(self, conn: SQLiteConnection) -> None:
        """Take a connection back, and close it if the pool is closed."""
        try:
            super().put_connection(conn)
        except ConnectionPoolClosedError:
            conn.close()

    def _create_connection(self) -> SQLiteConnection:
        if self._closed:  # while this thread waited
            raise ConnectionPoolClosedError
        return self._when_it_keeps_a_log()

    def _when_it_keeps_a_log(self) -> SQLiteConnection:
        """Let one of the first connections to a new file turn on the write-ahead log.

        SQLite reports a locked file at once, whatever the timeout: both connections may hold the file for reading, and
        would wait for each other permanently.
        """
        deadline = monotonic() + LOCK_SECONDS
        while True:
            try:
                return super()._create_connection()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > deadline:
                    raise
            sleep(AGAIN_SECONDS)


def like(pool: SQLiteConnectionPool) -> Connections:
    """Return a pool for the same file."""
    return Connections(
        db_name=pool.db_name,
        lock_timeout=pool.lock_timeout,
        pool_size=pool.pool_size,
        max_overflow=pool.max_overflow,
        pool_timeout=pool.pool_timeout,
        max_age=pool.max_age,
        pre_ping=pool.pre_ping,
    )
