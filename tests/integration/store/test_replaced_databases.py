"""Reads and writes outside of requests use the database file that has the name now, also just after a restore."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.db.utils import ConnectionHandler
from pytest_django.plugin import DjangoDbBlocker

from backoffice.access import personal_data_access_log as access_log
from backoffice.access.issued_documents import IssuedDocument
from backoffice.access.models import Access, GivenOut, Look
from backoffice.access.refusal_log_writer import AccessLog, forget_old
from backoffice.databases.connections_to_replaced_files import file_of
from backoffice.door import all_credentials_in_memory
from backoffice.people import badge_and_key_authentication
from backoffice.running.database_and_mail_settings import database
from backoffice.surveillance import people_barred_from_alert_decision
from tests.support.processes.scratch_databases import migrate


@pytest.fixture
def path(tmp_path: Path, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Path]:
    """The file of all databases of the settings, with an open connection to each."""
    path = tmp_path / "house.sqlite3"
    aliases = ("default", "access")
    before = {alias: connections[alias] for alias in aliases}
    with django_db_blocker.unblock():
        migrate(f"sqlite:///{path}")
        handler = ConnectionHandler({alias: database(f"sqlite:///{path}") for alias in aliases})
        try:
            for alias in aliases:
                connections[alias] = handler[alias]
                connections[alias].ensure_connection()
            with connections["access"].schema_editor() as editor:
                for model in (Access, GivenOut, Look):
                    editor.create_model(model)
            yield path
        finally:
            for alias in aliases:
                connections[alias].close()
                connections[alias] = before[alias]


def replace(path: Path) -> None:
    """Put an empty copy of the database in its place, as a restore does."""
    restored = path.with_name("restored.sqlite3")
    with closing(sqlite3.connect(path)) as read, closing(sqlite3.connect(restored)) as copy:
        read.backup(copy)
    for name in (path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        name.unlink(missing_ok=True)
    restored.rename(path)


def write_refusal() -> None:
    log = AccessLog()
    log.refused("dora", "t-1", "action tables/FR1", "403 no")
    log.write()


READS: dict[str, tuple[str, Callable[[], Any]]] = {
    "badges": ("default", badge_and_key_authentication.holders),
    "roster": ("default", all_credentials_in_memory.state),
    "alert": ("default", lambda: people_barred_from_alert_decision.find("a-1")),
    "view": ("access", lambda: access_log.has_looked("page", "/", person="dora", device="")),
    "last view": ("access", lambda: access_log.last_look("page", person="dora", device="", within=timedelta(1))),
    "end of the views": ("access", access_log.end_if_known),
    "old refusals": ("access", lambda: forget_old(1)),
}
WRITES: dict[str, tuple[str, Callable[[], Any]]] = {
    "refusal": ("access_access", write_refusal),
    "view": ("access_look", lambda: access_log.add("page", "/", person="dora")),
    "document": ("access_givenout", lambda: IssuedDocument("slip", "s-1", 1, "d").record("dora")),
}


@pytest.mark.parametrize("name", READS)
def test_a_read_outside_of_a_request_opens_the_replaced_file(path: Path, name: str) -> None:
    alias, read = READS[name]
    replace(path)
    read()
    connection: Any = connections[alias]
    assert connection.pitledger_file == file_of(connection)


@pytest.mark.parametrize("name", WRITES)
def test_a_line_of_the_access_log_is_in_the_replaced_file(path: Path, name: str) -> None:
    table, write = WRITES[name]
    replace(path)
    write()
    connections["access"].close()
    with closing(sqlite3.connect(path)) as read:
        assert read.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)
