"""A house with an open table, and the way from the pages to its desk."""

from collections.abc import Iterator

import pytest

from backoffice.table_screen import device_authentication
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, serving
from tests.support.pages.page_actors import open_door


@pytest.fixture
def house(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setattr(device_authentication, "REMEMBERED_S", -1.0)
    house = House()
    house.open_table("FR1")
    with serving(house), open_door(house):
        evening_with_everything.project(house)
        yield house
    house.close()
