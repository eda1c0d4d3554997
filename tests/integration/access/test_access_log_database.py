"""The access log has a database of its own: created with the others, filled with old lines, and kept for its time."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import ConnectionHandler
from django.utils import timezone

from backoffice.access.models import Access
from backoffice.access.refusal_log_writer import AccessLog, forget_old
from backoffice.running.database_and_mail_settings import database

MOVED = datetime(2026, 11, 20, 20, tzinfo=UTC)


@contextmanager
def standing_for(alias: str, url: str) -> Iterator[None]:
    """Replace one of the settings' databases."""
    before = connections[alias]
    handler = ConnectionHandler({"default": database(url), alias: database(url)})
    connections[alias] = handler[alias]
    connections[alias].inc_thread_sharing()
    try:
        yield
    finally:
        connections[alias].close()
        connections[alias] = before


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def two_databases(
    request: pytest.FixtureRequest, tmp_path: Path, django_db_setup: None, django_db_blocker: Any
) -> Iterator[None]:
    """Replace `default` and `access` by empty databases."""
    if request.param == "postgres":
        make = request.getfixturevalue("new_database")
        urls = [make(), make()]
    else:
        urls = [f"sqlite:///{tmp_path}/{name}.sqlite3" for name in ("read", "access")]
    with django_db_blocker.unblock(), standing_for("default", urls[0]), standing_for("access", urls[1]):
        yield


def tables(alias: str) -> set[str]:
    return set(connections[alias].introspection.table_names())


def test_lines_of_an_older_version_come_along_with_their_numbers(two_databases: None) -> None:
    executor = MigrationExecutor(connections["default"])
    executor.migrate([("backoffice", "0004_displays")])
    old = executor.loader.project_state([("backoffice", "0004_displays")]).apps.get_model("backoffice", "Access")
    for number in range(3):
        old.objects.create(at=MOVED, person="dora", device="t-1", what=f"action {number}", outcome="403 no")
    old.objects.filter(what="action 1").delete()
    call_command("migrate", verbosity=0)
    rows = list(Access.objects.order_by("id").values_list("id", "at", "person", "device", "what", "outcome", "count"))
    assert rows == [(n + 1, MOVED, "dora", "t-1", f"action {n}", "403 no", 1) for n in (0, 2)]
    assert Access.objects.create(what="new").id == 4
    assert "backoffice_access" not in tables("default")
    assert tables("access") == {"access_access", "access_givenout", "access_look", "django_migrations"}
    assert "access_access" not in tables("default")


def test_a_second_migration_finds_nothing_to_do(two_databases: None) -> None:
    call_command("migrate", verbosity=0)
    out = StringIO()
    call_command("migrate", stdout=out)
    assert out.getvalue() == "Every table is there: no migrations to apply.\n"


@pytest.mark.django_db
def test_lines_are_kept_for_so_many_days() -> None:
    for days in (0, 9, 11, 400):
        Access.objects.create(at=timezone.now() - timedelta(days=days), what=f"{days} days ago")
    assert forget_old(10) == 2
    assert [line.what for line in Access.objects.order_by("id")] == ["0 days ago", "9 days ago"]


def command_output(*args: str) -> str:
    out = StringIO()
    call_command("refusal-log", *args, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_the_command_counts_what_was_dropped_and_gives_every_line(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    assert command_output().startswith("0 lines; 0 were dropped\n")
    settings.ACCESS_AT_ONCE = False
    monkeypatch.setattr("backoffice.access.refusal_log_writer.MAX_LINES", 2)
    monkeypatch.setattr(AccessLog, "_see_to_it", lambda self: None)
    log = AccessLog()
    for number in range(5):
        log.refused("dora", "t-1", f"action tables/FR{number}", "403 no")
    log.too_often("dora", "t-1", "10.0.0.1")
    log.too_often("dora", "t-1", "10.0.0.1")
    log.write(counts=True)
    assert "; 3 were dropped\nLines are kept for 400 days." in command_output()
    lines = [json.loads(line) for line in command_output("--json").splitlines()]
    assert [(line["what"], line["count"]) for line in lines] == [
        ("action tables/FR0", 1),
        ("action tables/FR1", 1),
        ("too often from 10.0.0.1", 2),
        ("access log", 3),
    ]
    assert command_output("--json", "--after", str(lines[2]["id"])).count("\n") == 1
