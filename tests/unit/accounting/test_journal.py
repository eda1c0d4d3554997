"""The journal: the day calculated by hand, to the cent; every identity at every position of it."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from events.accounting.journal import balances
from events.accounting.journal.journal import entry_day
from events.accounting.journal.ledger_entry import MICRO
from events.accounting.report.property_ledger_fold import Ledger, fold
from events.store import everything, open_store
from tests.frozen import frozen_stores
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import CAGE, CASH, WorkedDay, chips
from tests.support.records.journals import holds, positions


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made = WorkedDay()
    yield made
    made.close()


def ledger(house: Any, until: int | None = None) -> Ledger:
    return fold(everything(house.store, until=until), PROPERTY)


def journal(house: Any) -> dict[str, int]:
    """The day's balances in minor units."""
    end = balances.of_day(ledger(house).journal.sums, DAY, "EUR").end
    return {account: micro // MICRO for account, micro in end.items()}


def test_the_day_that_is_worked_out(house: WorkedDay) -> None:
    house.play()
    balance = journal(house)
    tables = {
        "Assets:Chips:Tables:FR1": 1_630_500,
        "Income:Tables:FR1": -65_000,
        "Liabilities:Winnings:FR1": 0,
        "Expenses:OverShort:Payments": 2_000,
        "Expenses:OverShort:Tables": 2_500,
        "Expenses:Promotional": 10_000,
        "Assets:Cash": CASH + 420_000,
        "Assets:Markers": 50_000,
        "Assets:DropBoxes": 0,
        "Assets:Chips:Transit": 0,
        "Equity:Opening": -CASH + 5_920_000 - 3_050_000,  # the meters, but for their seeds
    }
    assert {account: balance[account] for account in tables} == tables
    assert sum(balance.values()) == 0
    assert "Expenses:OverShort:Drop" not in balance, "every box held what was bought in"


def test_every_identity_at_every_position(house: WorkedDay) -> None:
    house.play()
    for kind, going in positions(house.store):
        holds(going, kind)


@pytest.mark.parametrize("name", ["night", "evening", "tables"])
def test_every_identity_on_nights_with_jackpots(name: str, tmp_path: Path) -> None:
    """Nights of the demo, with hits that are shared, void and late: held at every event of a progressive, and often."""
    store, choose, locked = open_store(frozen_stores.sqlite_url(name, tmp_path)), Random(14), 0
    for kind, going in positions(store, frozen_stores.PROPERTY):
        locked += kind == "shares.locked.v1"
        if kind.startswith(("hit.", "jackpot.", "shares.", "deal.", "lock.")) or choose.random() < 0.005:
            holds(going, kind)
    holds(going)
    assert locked or name == "tables"
    store.close()


def test_before_the_cage_has_books_what_it_gave_is_its_own(house: WorkedDay) -> None:
    """A table opens and is filled by a slip of paper; the cage's first count puts the rest to its opening."""
    house.lead("session.open", gaming_day=DAY, opener=chips(500_000))
    house.lead("fill.receive", slip=7, chips=chips(50_000))
    issue = house.action("chips.issue", chips=CAGE, way="brought in", reason="opening of the house")
    house.agreed("house", "", ("cage", "sven"), issue)
    house.cage("cage.open", gaming_day=DAY, chips=CAGE | {"500": CAGE["500"] - 1_100}, cash_minor=CASH)
    for kind, going in positions(house.store):
        holds(going, kind)
    balance = journal(house)
    whole = balance["Liabilities:Chips:Issued"]
    assert balance["Assets:Chips:Cage"] == -whole - 550_000
    assert (balance["Assets:Chips:Tables:FR1"], balance["Assets:Chips:Transit"]) == (550_000, 0)
    assert "Expenses:OverShort:Transit" not in balance


@pytest.mark.parametrize(
    ("day", "closed", "known", "stands_on"),
    [
        ("2026-11-20", (), ("2026-11-20",), "2026-11-20"),
        ("2026-11-20", ("2026-11-20",), ("2026-11-20",), "2026-11-21"),
        ("2026-11-20", ("2026-11-20", "2026-11-21"), ("2026-11-20", "2026-11-21"), "2026-11-22"),
        ("2026-11-20", ("2026-11-20", "2026-11-21"), ("2026-11-19", "2026-11-21", "2026-11-23"), "2026-11-23"),
    ],
)
def test_what_comes_to_a_closed_day_stands_on_the_earliest_one_that_is_not(
    day: str, closed: tuple[str, ...], known: tuple[str, ...], stands_on: str
) -> None:
    assert entry_day(day, closed, known) == stands_on
