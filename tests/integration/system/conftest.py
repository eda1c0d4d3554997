"""Fixtures of the tests of the whole system."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.integration.system.demo_day_without_faults import undisturbed
from tests.integration.system.running_house import Installation, installation
from tests.support.processes.scratch_databases import read_models


@pytest.fixture
def here(tmp_path: Path, free_port: Callable[[], int]) -> Iterator[Installation]:
    """An installation with an empty data folder, on embedded parts."""
    data = tmp_path / "data"
    data.mkdir()
    with installation(data, free_port(), SWEEP_S="0.5") as installed:
        yield installed


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Callable[..., str]:
    """The digest of an undisturbed day, by seed and hours; `closed` as the demo closes it."""
    known: dict[tuple[int, float, bool], str] = {}

    def digest(seed: int, hours: float, closed: bool = False) -> str:
        if (seed, hours, closed) not in known:
            url = f"sqlite:///{tmp_path_factory.mktemp('undisturbed') / 'read.sqlite3'}"
            with django_db_blocker.unblock(), read_models(url) as alias:
                known[seed, hours, closed] = undisturbed(seed, hours, alias, closed=closed)
        return known[seed, hours, closed]

    return digest
