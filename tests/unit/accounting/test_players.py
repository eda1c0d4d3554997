"""Cash by player and gaming day: in and out apart, pit and cage together, warned of and reported (31 CFR 1021)."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from events.accounting import player_cash_totals
from events.accounting.event_with_position import AccountingEvent
from events.house.settings import DEFAULTS
from events.progressives.event_types import HousePaid, HouseVoided
from events.store import open_store
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import WorkedDay, chips

pytestmark = pytest.mark.django_db(databases="__all__")
NEXT = "2026-11-21"


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{tmp_path / 'events.sqlite3'}")
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    made = WorkedDay(open_store(f"sqlite:///{tmp_path / 'events.sqlite3'}"))
    made.begin()
    made.lead("drop.put", drop_box="one")
    yield made
    made.close()


def command_output(*options: str) -> list[dict[str, Any]]:
    out = StringIO()
    call_command("cash", DAY, "--json", *options, stdout=out)
    lines: list[dict[str, Any]] = json.loads(out.getvalue())
    return lines


def test_pit_and_cage_are_one_and_the_two_ways_are_apart(house: WorkedDay) -> None:
    for amount, tender in ((300_000, "cash"), (50_000, "marker"), (10_000, "promotional")):
        house.buy(amount, tender)
    house.cage("cage.cash_in", chips=chips(200_000), player="Ann")
    house.cage("cage.cash_out", chips=chips(120_000), player="Ann")
    house.cage("cage.cash_out", chips=chips(5_000))
    assert command_output("--all") == [{"player": "Ann", "in_minor": 500_000, "out_minor": 120_000, "level": ""}]
    assert command_output() == []


@pytest.mark.parametrize(
    ("amount", "level"), [(799_500, None), (800_000, "warning"), (1_000_000, "warning"), (1_000_500, "report")]
)
def test_from_the_warning_on_and_over_the_report(house: WorkedDay, amount: int, level: str | None) -> None:
    house.cage("cage.cash_out", chips=chips(amount - 300_000), player="Ann")
    house.cage("cage.cash_out", chips=chips(300_000), player="Ann")
    assert [line["level"] for line in command_output()] == ([level] if level else [])


def test_the_bounds_are_settings_of_the_house(house: WorkedDay) -> None:
    house.buy(300_000)
    change = house.action("setting.change", setting="cash_warning_minor", value=300_000)
    house.agreed("house", "", ("anna", "cage"), change)
    assert [line["level"] for line in command_output()] == ["warning"]


def test_what_the_house_took_back_was_not_paid_out() -> None:
    about: dict[str, Any] = {
        "progressive": "blazing",
        "level": "mega",
        "table": "BJ1",
        "gaming_day": DAY,
        "round": 1,
        "box": 1,
    }
    slip: dict[str, Any] = {"amount_minor": 900_000, "reason": "a card misread", "slip": 4, "slip_year": "2026"}
    paid = HousePaid(**about, **slip, hit=None, player="Ann", paid_gaming_day=NEXT, tender="cash", approvals=())
    void = HouseVoided(**about, **slip, approvals=())
    facts = [AccountingEvent(at, "", "", data, "") for at, data in enumerate((paid, void))]
    assert player_cash_totals.cash_lines(player_cash_totals.fold(facts[:1], NEXT), DEFAULTS)[0].level == "warning"
    assert player_cash_totals.fold(facts, NEXT) == {"Ann": player_cash_totals.CashTotals()}
    assert player_cash_totals.fold(facts, DAY) == {}
