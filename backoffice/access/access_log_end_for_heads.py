"""The end of the access log, for signers of heads in processes without Django."""

import sqlite3
from contextlib import closing
from urllib.parse import unquote

from events.errors import Invalid
from events.integrity.head_signing import make_head
from events.integrity.signed_head_format import Looked
from events.integrity.signed_head_stores import Heads
from events.signing import house_signing_key
from events.store import EventStore
from events.store.driver_exception_classes import database_errors

_LAST = "SELECT number, digest FROM access_look ORDER BY number DESC LIMIT 1"
_FILE = "sqlite:///"
WAIT_S = 2  # the longest wait of a head for this database
LAST_HEAD_S = 2.0  # the longest that the last head delays the stop of a house


def end_at(url: str) -> Looked | None:
    """Return the number of lines and the last digest of the access log at this URL; None if it cannot be read."""
    try:
        row = _of_file(unquote(url.removeprefix(_FILE))) if url.startswith(_FILE) else _of_server(url)
    except Invalid:
        return None
    except database_errors():
        return None
    return Looked(lines=row[0], digest=row[1]) if row else Looked(lines=0, digest="")


def sign_last_head(store: EventStore, heads: Heads, property_: str, access: str) -> None:
    """Sign a head when the house stops, if there are new lines or events. Raises PitledgerError."""
    make_head(store, heads, property_, house_signing_key.signer(), LAST_HEAD_S, lambda: end_at(access))


def _of_file(path: str) -> tuple[int, str] | None:
    with closing(sqlite3.connect(path, timeout=WAIT_S)) as connection:
        row: tuple[int, str] | None = connection.execute(_LAST).fetchone()
    return row


def _of_server(url: str) -> tuple[int, str] | None:
    from events.store.postgres_session_settings import connect  # here: a house on SQLite never loads the driver

    with connect(url, connect_timeout=WAIT_S) as connection:
        row: tuple[int, str] | None = connection.execute(_LAST).fetchone()
    return row
