"""Chips with players below zero raise an alarm that names the chips in each place. A counted-only table raises none."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from django.test import Client

from backoffice.days import total_chip_surplus_alarm as rows
from backoffice.inbox import open_items
from events import catalogue
from events.accounting.journal.journal_against_other_accounts_checks import broken
from events.accounting.report import chip_value_by_place
from events.accounting.report.property_ledger_fold import Ledger, fold
from events.alerts.overdue_and_luck_event_recorder import Watchman, count_chips, of_house
from events.alerts.system_recorded_event_types import ChipsExceeded
from events.store import everything
from tests.support.houses import evening_with_everything
from tests.support.houses.sample_event_streams import History
from tests.support.houses.small_house import DAY, PROPERTY, serving
from tests.support.houses.worked_day import CASH, WorkedDay
from tests.support.houses.worked_day import chips as in_chips
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import words
from tests.support.pages.raised_alerts import raised

ISSUED = {"500": 4_000}  # 20,000.00: the float of the table


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    """The cage is empty and all chips that were issued lie at the table."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made = WorkedDay()
    made.cage("cage.open", gaming_day=DAY, chips={}, cash_minor=CASH)
    issue = made.action("chips.issue", chips=ISSUED, way="brought in", reason="opening of the house")
    made.agreed("house", "", ("cage", "sven"), issue)
    yield made
    made.close()


def opened(house: WorkedDay) -> WorkedDay:
    house.lead("session.open", gaming_day=DAY, opener=in_chips(2_000_000))
    return house


def ledger(house: WorkedDay) -> Ledger:
    return fold(everything(house.store), PROPERTY)


def test_where_each_chip_that_was_issued_is_found_nothing_is_too_many(house: WorkedDay) -> None:
    accounts = ledger(opened(house))
    places = chip_value_by_place.places(accounts)
    assert places == {
        "tables_minor": 2_000_000,
        "cage_minor": 0,
        "transit_minor": 0,
        "issued_minor": 2_000_000,
        "players_minor": 0,
    }
    assert chip_value_by_place.too_many(accounts, places) == 0


def test_a_float_from_before_the_first_cage_comes_back_into_it_when_its_day_is_void(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    house = opened(WorkedDay())
    issue = house.action("chips.issue", chips=ISSUED, way="brought in", reason="opening of the house")
    house.agreed("house", "", ("cage", "sven"), issue)
    house.cage("cage.open", gaming_day=DAY, chips={}, cash_minor=CASH)
    void = house.action("session.void", reason="opened by mistake")
    house.agreed("tables", "FR1", ("ines", "sven"), void)
    places = chip_value_by_place.places(ledger(house))
    assert places is not None
    assert (places["tables_minor"], places["cage_minor"], places["players_minor"]) == (0, 2_000_000, 0)
    assert broken(ledger(house), [DAY]) == []
    house.close()


def test_chips_that_were_never_issued_are_said_once_a_day_and_raise_an_alert(house: WorkedDay) -> None:
    watchman = of_house(house.store, PROPERTY)
    opened(house)
    assert count_chips(house.store, watchman) == 0
    house.cage("cage.cash_out", chips=in_chips(12_500), player="Ann")
    assert count_chips(house.store, watchman) == 1
    house.cage("cage.cash_out", chips=in_chips(12_500), player="Ann")
    assert count_chips(house.store, watchman) == count_chips(house.store, Watchman(PROPERTY)) == 0
    [stored_event] = house.store.stream(f"{PROPERTY}/surveillance")
    exceeded = catalogue.decode(stored_event.type, stored_event.raw).data
    assert exceeded == ChipsExceeded(
        gaming_day=DAY,
        position=stored_event.position - 1,
        too_many_minor=12_500,
        issued_minor=2_000_000,
        tables_minor=2_000_000,
        cage_minor=12_500,
        transit_minor=0,
    )
    history = History()
    history.append("surveillance", exceeded, actorrole="system")
    [alert] = raised(history)
    about = msgspec.json.decode(alert.data)
    assert (alert.name, about["sum"], about["reason"]) == ("inventory", 12_500, "chips with players below zero")


def test_chips_that_were_never_issued_are_an_alarm(house: WorkedDay) -> None:
    opened(house)
    house.cage("cage.cash_out", chips=in_chips(12_500), player="Ann")
    accounts = ledger(house)
    assert chip_value_by_place.places(accounts)["players_minor"] == -12_500
    assert chip_value_by_place.too_many(accounts, chip_value_by_place.places(accounts)) == 12_500


def test_a_table_that_is_counted_only_is_no_alarm(house: WorkedDay) -> None:
    table = {"pit": "A", "table": "FR1", "game": "roulette", "ruleset": "roulette-french", "recorded": False}
    house.agreed("floor", "", ("adam", "paul"), house.action("table.install", **table))
    opened(house)
    house.cage("cage.cash_out", chips=in_chips(12_500), player="Ann")
    accounts = ledger(house)
    assert chip_value_by_place.places(accounts)["players_minor"] == -12_500
    assert chip_value_by_place.too_many(accounts, chip_value_by_place.places(accounts)) == 0


@pytest.mark.django_db
def test_the_inbox_and_the_day_tell_of_it_until_it_is_over(house: WorkedDay) -> None:
    opened(house)
    house.cage("cage.cash_out", chips=in_chips(12_500), player="Ann")
    with serving(house):
        evening_with_everything.project(house)
        alarm = rows.alarm()
        assert alarm is not None
        assert (alarm.day, alarm.too_many_minor, alarm.places["cage_minor"]) == (DAY, 12_500, 12_500)
        for person in ("anna", "sven"):
            page = text(at(person), "/inbox")
            assert "More chips are in the house than were issued" in page
            assert "In the cage 125.00" in page
        assert "More chips are in" not in text(at("paul"), "/inbox")
        assert "More chips are in the house than were issued" in text(at("anna"), f"/days/{DAY}")
        house.cage("cage.cash_in", chips=in_chips(12_500), player="Ann")
        evening_with_everything.project(house)
        assert rows.alarm() is None
        assert "More chips are in" not in text(at("anna"), "/inbox")


@pytest.mark.django_db
def test_as_long_as_a_box_is_sealed_the_alarm_does_not_say_how_many(house: WorkedDay) -> None:
    """Chips issued, in the cage and in transit would give the expected trays, and so the content of the box."""
    opened(house)
    house.lead("drop.put", drop_box="one")
    house.cage("cage.cash_out", chips=in_chips(12_500), player="Ann")
    with serving(house):
        evening_with_everything.project(house)
        items = [matter for matter in open_items.house_matters({}).matters if matter.kind == "chips"]
        assert [(item.stake_minor, [line.label for line in item.further_lines]) for item in items] == [
            (None, ["amount"])
        ]
        for url in ("/inbox", f"/days/{DAY}/cage"):
            page = text(at("anna"), url)
            assert "More chips are in the house than were issued" in page
            assert "hidden" in page.casefold()
            assert "20,000.00" not in page.replace("Total chips issued 20,000.00", "")
        assert text(at("olga"), f"/days/{DAY}/cage").count("20,000.00") > 1


def text(client: Client, url: str) -> str:
    return words(client, url).replace("\u00a0", " ")
