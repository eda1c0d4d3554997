"""The SQLSTATE of a refused login, in every language of the server.

libpq keeps only the server's sentence when a login fails, and that is in the server's language (`lc_messages`). Its
protocol trace has the code. So a login that failed is tried once more, with the trace on, in memory.
"""

import os
import re
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg import pq
from psycopg.conninfo import make_conninfo

WITHIN_S = 5.0  # for the second login
_CODE = re.compile(rb'\bErrorResponse\b.*? C "([0-9A-Z]{5})"')
_ANSWERED = re.compile(r": +\w+: +\S")  # "...failed: FATAL:  ...": a server wrote this, in any language


def login_sqlstate(error: Exception) -> str:
    """Return the code of the server that refused this login; "" where no server did, or the code is not to be had."""
    connection = _failed_connection(error)
    if connection is None or not _ANSWERED.search(str(error)):
        return ""
    options = {option.keyword.decode(): option.val.decode() for option in connection.info if option.val}
    with suppress(psycopg.Error, OSError, UnicodeDecodeError), _memory() as trace:
        _log_in(make_conninfo(**options), trace)
        return _code_in(trace)
    return ""


def _failed_connection(error: BaseException | None) -> "pq.abc.PGconn | None":
    """Return the connection that psycopg reports as failed; Django and the pool raise errors of their own."""
    while error is not None:
        if isinstance(error, psycopg.OperationalError) and error.sqlstate is None and error.pgconn is not None:
            return error.pgconn
        error = error.__cause__ or error.__context__
    return None


@contextmanager
def _memory() -> Iterator[int]:
    """A file in memory alone: a trace may hold a password."""
    file = os.memfd_create("login")
    try:
        yield file
    finally:
        os.close(file)


def _log_in(conninfo: str, trace: int) -> None:
    """Try to log in until the server has answered. Raises psycopg.Error and OSError."""
    until = time.monotonic() + WITHIN_S
    connection = pq.PGconn.connect_start(conninfo.encode())
    try:
        connection.trace(os.dup(trace))
        while (state := connection.connect_poll()) in (pq.PollingStatus.READING, pq.PollingStatus.WRITING):
            ready = select.poll()
            ready.register(connection.socket, select.POLLIN if state == pq.PollingStatus.READING else select.POLLOUT)
            if not ready.poll(max(until - time.monotonic(), 0) * 1_000):
                return
    finally:
        connection.untrace()
        connection.finish()


def _code_in(trace: int) -> str:
    os.lseek(trace, 0, os.SEEK_SET)
    with os.fdopen(os.dup(trace), "rb") as file:
        codes: list[bytes] = _CODE.findall(file.read())
    return codes[-1].decode() if codes else ""
