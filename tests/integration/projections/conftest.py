"""Every test of the projections runs on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.processes.scratch_databases import new_file, read_models


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def using(request: pytest.FixtureRequest, tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of fresh, migrated read models."""
    with django_db_blocker.unblock():
        url = new_file(tmp_path) if request.param == "sqlite" else request.getfixturevalue("new_database")()
        with read_models(url) as alias:
            yield alias
