"""An evening in a house of the test's own, as the pages see it."""

from collections.abc import Iterator

import pytest

from backoffice.api import desk as process
from tests import evening
from tests.house import House


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
