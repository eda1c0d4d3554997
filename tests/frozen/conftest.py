"""Each frozen house, on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from events.store import EventStore, open_store
from tests.frozen.frozen_stores import HOUSES, lines, postgres_url, sqlite_url
from tests.support.processes.scratch_databases import new_file, read_models

BACKENDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(params=HOUSES)
def house(request: pytest.FixtureRequest) -> str:
    """The name of a frozen house."""
    return str(request.param)


@pytest.fixture(params=BACKENDS)
def url(house: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of its store, thawed."""
    if request.param == "postgres":
        return postgres_url(house, str(request.getfixturevalue("postgres_url")))
    return sqlite_url(house, tmp_path)


@pytest.fixture
def store(house: str, url: str) -> Iterator[EventStore]:
    """The store of a frozen house, migrated as `up` does, at the moment of its last action."""
    last = max(line.at for line in lines(house))
    store = open_store(url, lambda: last)
    store.create()
    yield store
    store.close()


@pytest.fixture(params=BACKENDS)
def using(request: pytest.FixtureRequest, tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of fresh read models."""
    with django_db_blocker.unblock():
        if request.param == "postgres":
            url = request.getfixturevalue("new_database")()
        else:
            url = new_file(tmp_path)
        with read_models(url) as alias:
            yield alias
