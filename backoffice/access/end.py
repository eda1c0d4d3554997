"""How far the log of who looked is, for the worker, which has no Django: it signs the heads."""

import sqlite3
from contextlib import closing
from urllib.parse import unquote

import psycopg

from events.integrity.heads import Looked

_LAST = "SELECT number, digest FROM access_look ORDER BY number DESC LIMIT 1"
_FILE = "sqlite:///"
WAIT_S = 2  # a head must not wait long for it


def end_at(url: str) -> Looked | None:
    """The number of lines and the digest of the last, in the access log at this URL; None where it cannot be read."""
    try:
        row = _of_file(unquote(url.removeprefix(_FILE))) if url.startswith(_FILE) else _of_server(url)
    except (sqlite3.Error, psycopg.Error):
        return None
    return Looked(lines=row[0], digest=row[1]) if row else Looked(lines=0, digest="")


def _of_file(path: str) -> tuple[int, str] | None:
    with closing(sqlite3.connect(path, timeout=WAIT_S)) as connection:
        row: tuple[int, str] | None = connection.execute(_LAST).fetchone()
    return row


def _of_server(url: str) -> tuple[int, str] | None:
    with psycopg.connect(url, connect_timeout=WAIT_S) as connection:
        row: tuple[int, str] | None = connection.execute(_LAST).fetchone()
    return row
