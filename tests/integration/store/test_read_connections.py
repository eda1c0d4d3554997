"""Connections to read models on SQLite: one serves many requests, and none serves a file that was replaced."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.db.utils import ConnectionHandler
from pytest_django.plugin import DjangoDbBlocker

from backoffice.databases.connections_to_replaced_files import close_replaced
from backoffice.live.progressive_live_state_hub import Hub
from backoffice.running.database_and_mail_settings import database

ALIAS = "lasting"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "read.sqlite3"


@pytest.fixture
def read(path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[Any]:
    connections.settings[ALIAS] = ConnectionHandler({"default": database(f"sqlite:///{path}")}).settings["default"]
    with django_db_blocker.unblock():
        try:
            yield connections[ALIAS]
        finally:
            connections[ALIAS].close()
            del connections.settings[ALIAS], connections[ALIAS]


def value(read: Any) -> int:
    """The one value of the database, read in a request."""
    connections[ALIAS].close_if_unusable_or_obsolete()
    close_replaced()
    with read.cursor() as cursor:
        cursor.execute("SELECT value FROM row")
        number = int(cursor.fetchone()[0])
    connections[ALIAS].close_if_unusable_or_obsolete()
    return number


def fill(read: Any, number: int) -> None:
    with read.cursor() as cursor:
        cursor.execute("CREATE TABLE row (value INTEGER)")
        cursor.execute("INSERT INTO row VALUES (%s)", [number])


def test_a_connection_serves_the_next_request(read: Any) -> None:
    fill(read, 1)
    assert value(read) == 1
    first = read.connection
    assert value(read) == 1
    assert read.connection is first


def replace(read: Any, path: Path, tmp_path: Path) -> None:
    """Put a copy with the value 2 in place of the file, whose value becomes 3."""
    with read.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.execute("UPDATE row SET value = 2")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    restored = tmp_path / "restored.sqlite3"
    shutil.copyfile(path, restored)
    with read.cursor() as cursor:
        cursor.execute("UPDATE row SET value = 3")
    for name in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        name.unlink(missing_ok=True)
    restored.rename(path)


def test_the_next_request_reads_the_file_that_has_the_name_now(read: Any, path: Path, tmp_path: Path) -> None:
    fill(read, 1)
    assert value(read) == 1
    replace(read, path, tmp_path)
    assert value(read) == 2


def test_the_next_look_of_a_live_stream_reads_the_file_that_has_the_name_now(
    read: Any, path: Path, tmp_path: Path
) -> None:
    def look() -> int:
        with connections[ALIAS].cursor() as cursor:
            cursor.execute("SELECT value FROM row")
            return int(cursor.fetchone()[0])

    fill(read, 1)
    hub = Hub()
    assert asyncio.run(hub.in_thread(look)) == 1
    replace(read, path, tmp_path)
    assert asyncio.run(hub.in_thread(look)) == 2
    asyncio.run(hub.in_thread(lambda: connections[ALIAS].close()))  # noqa: PLW0108 - each thread has its own
    hub.close()
