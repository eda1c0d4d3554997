"""Buy-ins stay hidden from all possible counters until the count.

The event log and its totals, the floor and the API hide them. After the count, all of them show the buy-ins again.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.tables.event_types.money import BuyinMade
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, serving
from tests.support.houses.worked_day import WorkedDay
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import words

pytestmark = pytest.mark.django_db

# Who may count the tray while the table runs, who its boxes until they are counted; who counts nothing.
OF_TRAY, OF_BOX, NEITHER = "ines", "anna", "sven"
BOUGHT = "3,000.00"


@pytest.fixture
def house(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    """Yield a house in its first shift, with buy-ins of 3,000.00 in cash, 500.00 by marker and 100.00 by voucher."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made = WorkedDay()
    made.begin()
    made.first_shift()
    with serving(made):
        evening_with_everything.project(made)
        yield made
    made.close()


def bought_in(house: WorkedDay) -> int:
    """The position of the first buy-in."""
    return next(event.position for event in house.store.after(0, 10_000) if event.type == BuyinMade.TYPE)


def api(person: str, url: str) -> Any:
    answer = at(person).get(f"/api/v1{url}")
    assert answer.status_code == 200, url
    return answer.json()


def logged(person: str, query: str) -> list[str]:
    return [entry["event"]["type"] for entry in api(person, f"/events?{query}")["events"]]


@pytest.mark.parametrize("person", [OF_TRAY, OF_BOX])
def test_the_log_keeps_buyins_back(house: WorkedDay, person: str) -> None:
    query, position = f"type={BuyinMade.TYPE}", bought_in(house)
    assert (logged(person, query), len(logged(NEITHER, query))) == ([], 3)
    assert logged(person, "table=FR1&limit=5"), "everything else is there"
    assert "Buy-ins of 1 table are hidden" in words(at(person), "/events")
    assert "are hidden" not in words(at(NEITHER), "/events")
    for url in (f"/events/{position}", f"/events?q={position}"):
        assert at(person).get(url, follow=True).status_code == 404, url
        assert at(NEITHER).get(url, follow=True).status_code == 200, url
    lines = at(person).get("/events/export.jsonl").getvalue()
    assert b"session.opened.v1" in lines
    assert b"buyin.made" not in lines


@pytest.mark.parametrize("person", [OF_TRAY, OF_BOX])
@pytest.mark.parametrize("name", ["buyins", "promotional-chips", "drop-variance", "inventory-estimate"])
def test_sums_with_buyins_leave_the_table_out(house: WorkedDay, person: str, name: str) -> None:
    assert logged(person, f"sum={name}") == []
    assert logged(NEITHER, f"sum={name}")
    assert BOUGHT not in words(at(person), f"/events/total?sum={name}")


@pytest.mark.parametrize("person", [OF_TRAY, OF_BOX])
def test_floor_and_interface_say_sealed(house: WorkedDay, person: str) -> None:
    [mine], [others] = (
        [table for pit in api(who, "/tables")["pits"] for table in pit["tables"]] for who in (person, NEITHER)
    )
    assert (mine["drop_minor"], mine["is_sealed"]) == (None, True)
    assert (others["drop_minor"], others["is_sealed"]) == (350_000, False)
    assert api(person, "/tables")["totals"]["drop_minor"] is None
    page = words(at(person), "/")
    assert "hidden until counted" in page
    assert "3,500.00" not in page
    hidden, shown = (api(who, f"/tables/FR1/{DAY}") for who in (person, NEITHER))
    names = ("buyins_cash_minor", "buyins_marker_minor", "buyins_promotional_minor", "expected_minor", "closer_minor")
    assert [hidden[name] for name in names] == [None] * 5
    assert [shown[name] for name in names[:3]] == [300_000, 50_000, 10_000]


def test_each_is_told_when_what_he_counts_is_counted(house: WorkedDay) -> None:
    for step in (house.count_first, house.second_shift):
        step()
    evening_with_everything.project(house)
    assert api(OF_TRAY, f"/tables/FR1/{DAY}")["buyins_cash_minor"] == 420_000, "the tray is counted"
    assert api(OF_BOX, f"/tables/FR1/{DAY}")["buyins_cash_minor"] is None, "its boxes are not"
    assert api(OF_BOX, "/tables")["pits"][0]["tables"][0]["reckoning"]["inventory_win_minor"] is None
    house.count_boxes()
    evening_with_everything.project(house)
    assert api(OF_BOX, f"/tables/FR1/{DAY}")["buyins_cash_minor"] == 420_000
    assert len(logged(OF_BOX, f"type={BuyinMade.TYPE}")) == 4
    assert api(OF_BOX, "/tables")["totals"]["drop_minor"] == api(NEITHER, "/tables")["totals"]["drop_minor"] > 0
