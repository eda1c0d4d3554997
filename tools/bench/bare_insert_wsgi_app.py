"""The best case of the web server: a WSGI application with a bare INSERT, a transaction of its own, behind it."""

import os
import threading
from collections.abc import Callable, Iterable
from typing import Any

import psycopg

from events.store.postgres_session_settings import connect

CREATE = "CREATE TABLE bare (id bigserial PRIMARY KEY, body bytea NOT NULL)"
ANSWER = b'{"position": 1}'
HEADERS = [("Content-Type", "application/json"), ("Content-Length", str(len(ANSWER)))]

_mine = threading.local()


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Keep the body of a POST; any other request only shows that the server is there."""
    if environ["REQUEST_METHOD"] == "POST":
        _connection().execute("INSERT INTO bare (body) VALUES (%s)", (environ["wsgi.input"].read(),), prepare=True)
    start_response("200 OK", HEADERS)
    return [ANSWER]


def _connection() -> "psycopg.Connection[Any]":
    if not hasattr(_mine, "connection"):
        _mine.connection = connect(os.environ["PITLEDGER_BENCH_BARE"], autocommit=True)
    connection: psycopg.Connection[Any] = _mine.connection
    return connection
