"""See `books` and `shaken`: seeds of them, a few in every run."""

import logging
from collections import defaultdict
from pathlib import Path

import msgspec
import pytest

from events.accounting.report import day_reports
from events.store import EventStore, everything
from events.store.stream_chain_verification import verify
from tests.simulation.killed_desks_failing_store import ShakenBooks
from tests.simulation.random_cage_days import NEXT, Books
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.records.journals import holds, positions

pytestmark = pytest.mark.simulation


@pytest.mark.parametrize("seed", range(4))
def test_shaken_days_are_those_of_which_nothing_went_wrong_and_the_journal_holds_at_every_position(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(
        logging.getLogger("events.desk.desk"), "disabled", True
    )  # it tells every fault, with its traceback
    still, shaken = Books(seed), ShakenBooks(seed)
    for books in (still, shaken):
        books.two_days()
    assert {"credit.receive", "cage.close", "day.close", "count.settle", "slip.void"} <= {*shaken.done}
    assert shaken.shaken.chances.kills > 3
    assert shaken.shaken.repeated > 20
    assert [(event.stream, event.type) for event in everything(shaken.store)] == [
        (event.stream, event.type) for event in everything(still.store)
    ]
    for day in (DAY, NEXT):
        assert digest(shaken.store, day) == digest(still.store, day)
    for kind, going in positions(shaken.store):
        holds(going, (seed, kind))
    every_number_stands_once(shaken.store)
    assert verify(shaken.store).findings == []
    for books in (still, shaken):
        books.close()


def digest(store: EventStore, day: str) -> str:
    """Return the digest of the day's report, and assert that no shift has an unexplained part."""
    report = day_reports.make(store, PROPERTY, day, store.position())
    unexplained = [shift["parts"]["rest_minor"] for table in report.figures["tables"] for shift in table["shifts"]]
    assert not any(unexplained), unexplained
    return report.digest


def every_number_stands_once(store: EventStore) -> None:
    """Assert that each series of slips counts from 1 in the order of the store."""
    numbers = defaultdict(list)
    for stored_event in everything(store, types=("slip.issued.v1",)):
        data = msgspec.json.decode(stored_event.raw)["data"]
        numbers[data["kind"], data["year"]].append(data["slip"])
    assert numbers
    assert all(numbers_ == [*range(1, len(numbers_) + 1)] for numbers_ in numbers.values())
