"""Order and prefix are the product's on databases that sort as people do, as on those that sort by bytes."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connections

from backoffice.databases.postgresql.base import DatabaseWrapper
from projections.engine.text_column_collation_change import order_by_bytes
from tests.integration.store.test_sessions import made_so
from tests.servers import PostgreSQL
from tests.support.processes import scratch_databases

ICU = "ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C.UTF-8' TEMPLATE template0"
OURS = "SELECT oid FROM pg_collation WHERE collname = 'C'"
DEFAULT = """
SELECT c.relname || '.' || a.attname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
    AND a.attcollation = (SELECT oid FROM pg_collation WHERE collname = 'default')
    AND c.relname NOT LIKE 'pitledger%'
"""
NAMES = ["G1", "g1", "g10", "g2", "G-10", "_x", "Ä", "z", "ά"]


@pytest.fixture
def linguistic(postgres_server: PostgreSQL) -> Iterator[str]:
    with made_so(postgres_server, "linguistic", f"CREATE DATABASE {{}} {ICU}") as url:
        yield url


def test_every_text_column_of_a_new_house_is_in_byte_order(
    linguistic: str, django_db_setup: None, django_db_blocker: pytest.MonkeyPatch
) -> None:
    with django_db_blocker.unblock(), scratch_databases.migrated(linguistic) as alias:  # type: ignore[attr-defined]
        assert isinstance(connections[alias], DatabaseWrapper)
        scratch_databases.access_log(linguistic)
        with psycopg.connect(linguistic) as connection:
            assert connection.execute(DEFAULT).fetchall() == []


def test_text_columns_of_an_older_house_come_to_it_with_their_rows(
    linguistic: str, django_db_setup: None, django_db_blocker: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(linguistic, autocommit=True) as connection:
        connection.execute("CREATE TABLE house (id varchar(40) PRIMARY KEY, note text, count int)")
        connection.execute("CREATE INDEX house_note ON house (note, count)")
        for name in NAMES:
            connection.execute("INSERT INTO house VALUES (%s, %s, 1)", (name, name))
        before = [row[0] for row in connection.execute("SELECT id FROM house ORDER BY id")]
        assert before != sorted(NAMES)
    with django_db_blocker.unblock(), scratch_databases.database_alias(linguistic) as alias:  # type: ignore[attr-defined]
        assert order_by_bytes(connections[alias]) == ["house"]
        assert order_by_bytes(connections[alias]) == []
    with psycopg.connect(linguistic) as connection:
        for column in ("id", "note"):
            order = connection.execute(f"SELECT {column} FROM house ORDER BY {column}".encode())
            assert [row[0] for row in order] == sorted(NAMES)
        rows = connection.execute("SELECT id FROM house WHERE id >= 'g1' AND id < 'g1~' ORDER BY id").fetchall()
        assert rows == [("g1",), ("g10",)]
