"""Two processes pay for the house at once, for the same winner: one of them does, by one slip."""

import itertools
import threading
from contextlib import closing
from pathlib import Path

import pytest

from events.progressives.event_types import HousePaid
from events.store import everything, open_store
from tests.regressions.test_forged_snapshots import reopened_casino
from tests.regressions.test_house_payments import house_pays, late
from tests.support.houses.progressive_house import Casino, DeskRefusal

RACERS = 4


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    is_file = request.param == "sqlite"
    return f"sqlite:///{tmp_path / 'events.sqlite3'}" if is_file else str(request.getfixturevalue("postgres_url"))


def test_the_house_pays_once_however_many_ask_at_once(url: str) -> None:
    casino = Casino(open_store(url))
    _, hit = late(casino)
    start, paid, denied = threading.Barrier(RACERS), list[int](), list[DeskRefusal]()

    def race(other: Casino) -> None:
        start.wait(timeout=30)
        try:
            paid.append(house_pays(other, 9_000, hit=hit).data.slip)
        except DeskRefusal as error:
            denied.append(error)

    others = [reopened_casino(casino, open_store(url)) for _ in range(RACERS)]
    for number, other in enumerate(others):
        other._keys = itertools.count(1_000 * (number + 1))
    threads = [threading.Thread(target=race, args=(other,)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    for other in others:
        other.desk.close()
        other.store.close()
    assert (len(paid), len(denied)) == (1, RACERS - 1)
    with closing(open_store(url)) as store:
        assert [event.type for event in everything(store)].count(HousePaid.TYPE) == 1
    casino.close()
