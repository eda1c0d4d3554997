"""A used PostgreSQL database is reset for its next test. One that cannot be reset is not used again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from pytest_django.plugin import DjangoDbBlocker

from projections.engine.models import Reader
from tests import servers
from tests.servers import reused_databases
from tests.support.processes.scratch_databases import read_models


def does(url: str, statement: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(statement.encode())


@contextmanager
def spare_ones(admin_url: str) -> Iterator[list[str]]:
    """Every empty one that is spare."""
    taken: list[str] = []
    while url := reused_databases.take(admin_url):
        taken.append(url)
    yield taken
    for url in taken:
        reused_databases.give_back(url)


def test_an_empty_one_is_empty_again(postgres_server: servers.PostgreSQL) -> None:
    url = postgres_server.new_database()
    does(url, "CREATE TABLE slip (number int); CREATE FUNCTION told() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    assert reused_databases.give_back(url) == reused_databases.EMPTY
    with spare_ones(postgres_server.url()) as all_of_them:
        for spare_url in all_of_them:
            with psycopg.connect(spare_url) as connection:
                assert connection.execute("SELECT to_regclass('slip'), to_regproc('told')").fetchone() == (None, None)


def test_read_models_are_without_rows_again(
    postgres_server: servers.PostgreSQL, new_database: Callable[[], str], django_db_blocker: DjangoDbBlocker
) -> None:
    url = postgres_server.new_database()
    with django_db_blocker.unblock():
        with read_models(url) as alias:
            Reader.objects.using(alias).create(projection="floor", version=1)
        assert reused_databases.give_back(url) == reused_databases.MIGRATED
        with read_models(new_database()) as alias:
            assert not Reader.objects.using(alias).exists()


@pytest.mark.parametrize(
    ("done", "kind"),
    [
        ("ALTER TABLE projections_reader DROP COLUMN digest", reused_databases.EMPTY),
        ("ALTER TABLE projections_reader DISABLE TRIGGER ALL; DELETE FROM django_migrations", reused_databases.EMPTY),
        ("CREATE INDEX of_ours ON projections_reader (digest)", reused_databases.EMPTY),
        ("CREATE SCHEMA of_ours", None),
    ],
)
def test_read_models_that_differ_are_nobody_s(
    postgres_server: servers.PostgreSQL, django_db_blocker: DjangoDbBlocker, done: str, kind: str | None
) -> None:
    url = postgres_server.new_database()
    with django_db_blocker.unblock(), read_models(url):
        does(url, done)
    assert reused_databases.give_back(url) == kind


def test_one_that_is_in_use_or_gone_is_no_trouble(postgres_server: servers.PostgreSQL) -> None:
    url = postgres_server.new_database()
    left_open = psycopg.connect(url, autocommit=True)
    assert reused_databases.give_back(url) == reused_databases.EMPTY
    with pytest.raises(psycopg.OperationalError):
        left_open.execute("SELECT 1")
    assert reused_databases.give_back(url) is None
