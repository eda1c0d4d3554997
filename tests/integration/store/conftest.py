"""The same store on every backend."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.store import EventStore, open_store

SERVERS = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


def _url(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if backend == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return "memory://" if backend == "memory" else f"sqlite:///{tmp_path}/events.sqlite3"


@pytest.fixture(params=["memory", *SERVERS])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    """An empty store."""
    store = open_store(_url(request.param, request, tmp_path))
    store.create()
    yield store
    store.close()


@pytest.fixture(params=SERVERS)
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a store that several processes may open, still without tables."""
    return _url(request.param, request, tmp_path)
