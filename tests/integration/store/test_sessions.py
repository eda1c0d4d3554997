"""Every connection has the product's session settings, for any role, database and environment.

Settings that cannot be applied are refused before any write.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from django.db import connections
from psycopg import sql

from backoffice.access.access_log_end_for_heads import end_at
from backoffice.access.models import Access
from events.envelope import Meta
from events.errors import Invalid
from events.integrity.signed_head_stores import open_heads
from events.people.role_grant_decider import RoleGranted
from events.relay.relay_lock_by_store import lock_for
from events.store import Append, NewEvent, open_store
from events.store.listen_notify import NotifiedNews
from events.store.postgres_session_settings import SESSION, connect
from tests.servers import PostgreSQL, free_port
from tests.support.processes import scratch_databases

SETTINGS_MODULE = "DJANGO_SETTINGS_MODULE"
CHECKOUT = Path(__file__).parents[3]
HOSTILE = {
    "client_encoding": "LATIN1",
    "DateStyle": "German",
    "IntervalStyle": "sql_standard",
    "TimeZone": "Asia/Kolkata",
    "search_path": "elsewhere",
    "bytea_output": "escape",
    "extra_float_digits": "-15",
    "standard_conforming_strings": "off",
    "transform_null_equals": "on",
    "array_nulls": "off",
    "default_transaction_isolation": "serializable",
    "default_transaction_read_only": "on",
    "default_transaction_deferrable": "on",
    "statement_timeout": "1ms",
    "lock_timeout": "1ms",
    "idle_in_transaction_session_timeout": "1ms",
    "idle_session_timeout": "100ms",
    "jit": "on",
    "synchronous_commit": "off",
}
ENVIRONMENT = {
    "PGCLIENTENCODING": "LATIN1",
    "PGDATESTYLE": "German",
    "PGTZ": "Asia/Kolkata",
    "PGOPTIONS": "-c statement_timeout=1 -c default_transaction_read_only=on",
}
BY = Meta(time="2026-11-20T20:00:00.000Z", actor="adam", actorrole="administrator")
GREEK = "Ελένη 骰子"


@contextmanager
def made_so(server: PostgreSQL, name: str, statement: str) -> Iterator[str]:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(sql.SQL(statement).format(sql.Identifier(name)))
    try:
        yield server.url(name)
    finally:
        server.drop_database(server.url(name))


@pytest.fixture(params=["of the database", "of the environment"])
def hostile(
    request: pytest.FixtureRequest, postgres_server: PostgreSQL, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The URL of an empty database whose session settings are those of another product."""
    with made_so(postgres_server, "hostile", "CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0") as url:
        if request.param == "of the database":
            with psycopg.connect(postgres_server.url(), autocommit=True) as connection:
                for name, value in HOSTILE.items():
                    set_ = sql.SQL("ALTER DATABASE hostile SET {} = {}").format(
                        sql.Identifier(name), sql.Literal(value)
                    )
                    connection.execute(set_)
        with monkeypatch.context() as environment:
            for name, value in ENVIRONMENT.items() if request.param == "of the environment" else ():
                environment.setenv(name, value)
            yield url


def test_all_that_is_set_is_tried() -> None:
    assert {*SESSION} - {*HOSTILE} == {"row_security"}, "only a superuser may be kept from it"


def test_a_store_on_it_reads_what_it_wrote(hostile: str) -> None:
    with closing(open_store(hostile)) as store, closing(open_heads(hostile)) as heads:
        store.create()
        granted = NewEvent(RoleGranted(person=GREEK, role="auditor"), BY)
        store.append([Append("athens/people", store.head("athens/people"), [granted])])
        (stored,) = store.after(0, 10)
        assert GREEK.encode() in stored.raw
        assert stored.type == "role.granted.v1"
        assert heads.last() is None
        assert heads.add(1, b"head")
    lock, news = lock_for(hostile), NotifiedNews(hostile)
    assert lock.acquire()
    assert lock.held()
    lock.release()
    news.close()


def test_read_models_on_it_keep_texts_and_times(hostile: str, django_db_setup: None, django_db_blocker: object) -> None:
    at = datetime(2026, 11, 20, 20, tzinfo=UTC)
    with django_db_blocker.unblock(), scratch_databases.as_access_log(hostile):  # type: ignore[attr-defined]
        scratch_databases.access_log(hostile)
        Access.objects.create(at=at, person=GREEK, what="x", outcome="done")
        (line,) = Access.objects.all()
        with connections["access"].cursor() as cursor:
            cursor.execute("SELECT name, setting FROM pg_settings")
            settings = {name.lower(): value for name, value in cursor.fetchall()}
    assert (line.person, line.at) == (GREEK, at)
    end = end_at(hostile)
    assert end is not None
    assert end.lines == 0
    for name, value in SESSION.items():
        assert settings[name.lower()] == value, name
    assert settings["synchronous_commit"] == "on"


def test_a_stronger_promise_of_the_server_stays(postgres_server: PostgreSQL) -> None:
    with made_so(postgres_server, "stronger", "CREATE DATABASE {} TEMPLATE template0") as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ALTER DATABASE stronger SET synchronous_commit = 'remote_apply'")
        with closing(connect(url)) as connection:
            assert connection.execute("SHOW synchronous_commit").fetchone() == ("remote_apply",)


def test_a_session_without_triggers_is_refused(postgres_server: PostgreSQL) -> None:
    with made_so(postgres_server, "replica", "CREATE DATABASE {} TEMPLATE template0") as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ALTER DATABASE replica SET session_replication_role = 'replica'")
        with pytest.raises(Invalid, match=r"PITLEDGER_STORE: The setting session_replication_role is replica.* RESET"):
            open_store(url)


@pytest.fixture(scope="module", params=["SQL_ASCII"])
def narrow(request: pytest.FixtureRequest, postgres_server: PostgreSQL) -> Iterator[tuple[str, str]]:
    """The URL of a database that does not hold every text, and its encoding."""
    libc = "LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'"  # ICU knows no such encoding
    how = f"CREATE DATABASE {{}} ENCODING '{request.param}' {libc} TEMPLATE template0"
    with made_so(postgres_server, f"narrow_{request.param.lower()}", how) as url:
        yield url, request.param


ENTRIES = [
    ("PITLEDGER_STORE", ["migrate"]),
    ("PITLEDGER_STORE", ["up"]),
    ("PITLEDGER_STORE", ["relay"]),
    ("PITLEDGER_STORE", ["verify"]),
    ("PITLEDGER_READ", ["migrate"]),
    ("PITLEDGER_READ", ["project"]),
    ("PITLEDGER_READ", ["books"]),
    ("PITLEDGER_ACCESS", ["migrate"]),
    ("PITLEDGER_ACCESS", ["access-log"]),
]


@pytest.mark.parametrize(("setting", "words"), ENTRIES, ids=lambda value: value if isinstance(value, str) else value[0])
def test_a_database_of_another_encoding_is_refused_at_every_entry(
    narrow: tuple[str, str], tmp_path: Path, setting: str, words: list[str]
) -> None:
    url, encoding = narrow
    environment = os.environ | {"PITLEDGER_DATA": str(tmp_path), SETTINGS_MODULE: "backoffice.settings", setting: url}
    environment |= {f"PITLEDGER_{name}_PORT": str(free_port()) for name in ("WEB", "LIVE", "PAGES")}
    command = [sys.executable, str(CHECKOUT / "manage.py"), *words]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode != 0, ended.stdout
    line = ended.stderr.strip().splitlines()[-1]
    assert f"{setting}: The encoding of the database is {encoding}; Pitledger needs UTF8." in line
    assert "createdb --encoding UTF8" in line
    assert "Traceback" not in ended.stderr
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)
