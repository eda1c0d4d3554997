"""Every test of the projections runs on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.scratch import SQLiteFiles, read_models


@pytest.fixture(scope="session")
def sqlite_files(tmp_path_factory: pytest.TempPathFactory) -> SQLiteFiles:
    """Fresh SQLite files for read models."""

    def folder() -> Path:
        return tmp_path_factory.mktemp("read")

    return SQLiteFiles(folder)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def using(
    request: pytest.FixtureRequest, sqlite_files: SQLiteFiles, django_db_blocker: DjangoDbBlocker
) -> Iterator[str]:
    """The alias of fresh, migrated read models."""
    with django_db_blocker.unblock():
        url = sqlite_files.new() if request.param == "sqlite" else request.getfixturevalue("new_database")()
        with read_models(url) as alias:
            yield alias
