"""An evening in a house of the test's own, as the pages see it."""

from collections.abc import Callable, Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.api import desk as process
from tests import evening
from tests.house import House
from tests.scratch import read_models


@pytest.fixture
def house(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A house whose desk is the process's own; nothing was played."""
    house = House()
    monkeypatch.setattr(process, "_desk", house.desk)
    yield house
    house.close()


@pytest.fixture
def evening_house(house: House) -> House:
    """The house after the evening, everything in the read models."""
    evening.play(house)
    evening.project(house)
    return house


@pytest.fixture
def other(evening_house: House, new_database: Callable[[], str], django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of the same evening's read models on PostgreSQL."""
    with django_db_blocker.unblock(), read_models(new_database()) as alias:
        evening.project(evening_house, alias)
        yield alias
