"""Cash by player, for the compliance officer: players near the limits, and no figure that counters must not know."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from backoffice.days.cash_by_player_page import cash_of_day
from events.errors import Unknown
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, serving
from tests.support.houses.worked_day import WorkedDay, chips
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import words

pytestmark = pytest.mark.django_db

URL = f"/days/{DAY}/cash"
API = f"/api/v1/days/{DAY}/cash"


@pytest.fixture
def house(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made = WorkedDay()
    with serving(made):
        yield made
    made.close()


def read(client: Client, **query: str) -> Any:
    answer = client.get(API, query).json()
    return [
        (player["player"], player["in_minor"], player["out_minor"], player["level"]) for player in answer["players"]
    ]


def test_whom_the_bounds_concern_by_opaque_id(house: WorkedDay) -> None:
    for step in (house.begin, house.first_shift, house.count_first, house.second_shift, house.count_boxes):
        step()
    house.cage("cage.cash_out", chips=chips(800_000), player="Bob")
    house.cage("cage.cash_out", chips=chips(1_000_500), player="Cy")
    evening_with_everything.project(house)
    anna = at("anna")
    assert read(anna) == [("Bob", 0, 800_000, "warning"), ("Cy", 0, 1_000_500, "report")]
    assert read(anna, all="true")[0] == ("Ann", 420_000, 0, "")
    page = words(anna, URL).replace("\u00a0", " ")
    assert "Cy 0.00 10,005.00 CTR required" in page
    assert "Warning from 8,000.00" in page
    assert "Show 1 players below the threshold" in page
    assert "Cash by player" in words(anna, f"/days/{DAY}")
    assert anna.get(f"{URL}.csv").content.decode().count("Cy,") == 1


def test_whoever_may_count_the_boxes_reads_what_players_gave_when_they_are_counted(house: WorkedDay) -> None:
    house.begin()
    house.first_shift()
    house.cage("cage.cash_out", chips=chips(900_000), player="Ann")
    evening_with_everything.project(house)
    for roles, shown in ((["accountant"], None), (["surveillance"], 300_000), (["auditor"], 300_000)):
        [ann] = cash_of_day(DAY, roles).players
        assert (ann.in_minor, ann.out_minor, ann.level) == (shown, 900_000, "warning"), roles
    assert "300,000" not in at("anna").get(API).content.decode()
    page = words(at("anna"), URL)
    assert "3,000.00" not in page
    assert "Your role counts boxes. Cash in is hidden until every box is counted." in page
    assert "CTR currency transaction report" in page
    house.count_first()
    house.second_shift()
    evening_with_everything.project(house)
    assert cash_of_day(DAY, ["accountant"]).sealed, "the table is closed, its boxes are not counted"
    house.count("count.enter", "cora", "one", cash={"5000": 60})
    evening_with_everything.project(house)
    assert cash_of_day(DAY, ["surveillance"]).sealed, "while a count is open it is to everybody"
    house.count("count.verify", "carl", "one", cash={"5000": 60})
    for person in ("cora", "carl"):
        kind = "count.enter" if person == "cora" else "count.verify"
        house.count(kind, person, "two", cash={"1000": 120})
    evening_with_everything.project(house)
    [ann] = cash_of_day(DAY, ["accountant"]).players
    assert ann.in_minor == 420_000


def test_no_day_of_the_calendar_is_not_found(house: WorkedDay) -> None:
    with pytest.raises(Unknown):
        cash_of_day("2026-02-30", ["accountant"])
    assert cash_of_day("2026-02-03", ["accountant"]).players == ()
