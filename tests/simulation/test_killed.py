"""Tables, cashiers and counters work at once, each at a desk of its own, and are killed at any step.

No number is used twice or missing, every box is counted once, and all processes make the same report.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from events.accounting.report import (
    canonical_report_bytes,
    canonical_report_from_ledger,
    checklist_system_state_source,
    day_reports,
)
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.ledger_cache_for_day_close import cached_ledger
from events.store import EventStore, everything, open_store
from events.store.stream_chain_verification import verify
from tests.accountant.independent_report_figures import Accountant
from tests.accountant.test_days import OF_PEERS
from tests.support.houses.small_house import DAY, PROPERTY, reopened_house
from tests.support.houses.worked_day import CASH, WorkedDay, chips

TABLES = ("FR1", "BJ1", "BJ2")
LIVES = 2  # of each
BEGINS = "import django; django.setup(); from tests.simulation.killed_table_process import main; main()"
CHECKOUT = Path(__file__).parents[2]


def begun(url: str) -> None:
    """A house with its cage and its tables open."""
    store = open_store(url)
    house = WorkedDay(store)
    house.cage("cage.open", gaming_day=DAY, chips={}, cash_minor=CASH)
    issue = house.action("chips.issue", chips={"500": 90_000}, way="brought in", reason="opening of the house")
    house.agreed("house", "", ("cage", "sven"), issue)
    for table in TABLES:
        lead = house.action("session.open", gaming_day=DAY, opener=chips(2_000_000))
        house.ok("tables", table, "ines", lead)
        for post, person in (("dealer", "dora"), ("inspector", "ines")):
            house.ok("tables", table, "ines", house.action("staff.assign", post=post, person=person))
    house.close()


@contextmanager
def alive(url: str, table: str, seed: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", BEGINS, url, table, str(seed)]
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    process = subprocess.Popen(command, cwd=CHECKOUT, env=env, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def live_and_die(url: str, random: Random) -> None:
    """Run all processes at once, and kill each after a random number of its lines, in the middle of an action."""
    with (
        alive(url, TABLES[0], random.randrange(10**6)) as first,
        alive(url, TABLES[1], random.randrange(10**6)) as second,
        alive(url, TABLES[2], random.randrange(10**6)) as third,
    ):
        for process in (first, second, third):
            assert process.stdout is not None
            for _ in range(random.randint(8, 15)):
                assert process.stdout.readline(), "it died by itself"
            os.kill(process.pid, signal.SIGKILL)


def numbers(store: EventStore) -> dict[str, list[int]]:
    slips: dict[str, list[int]] = {"fill": [], "credit": []}
    for stored_event in everything(store, types=("slip.issued.v1",)):
        data = json.loads(stored_event.raw)["data"]
        slips[data["kind"]].append(data["slip"])
    return slips


def settled(store: EventStore) -> list[str]:
    return [json.loads(event.raw)["data"]["drop_box"] for event in everything(store, types=("count.settled.v1",))]


@pytest.mark.simulation
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_killed_anywhere_no_number_is_missing_and_nothing_stands_twice(
    database: str, tmp_path: Path, new_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    url = new_database() if database == "postgresql" else f"sqlite:///{tmp_path / 'events.sqlite3'}"
    begun(url)
    random = Random(7)
    for _ in range(LIVES):
        live_and_die(url, random)
    store = open_store(url)
    issued, boxes = numbers(store), settled(store)
    assert issued["fill"] == [*range(1, len(issued["fill"]) + 1)] != []
    assert issued["credit"] == [*range(1, len(issued["credit"]) + 1)] != []
    assert len(boxes) == len(set(boxes)) > 0
    assert verify(store).findings == []
    the_same_report(store)
    closed_by_two_at_once(store)
    store.close()


def the_same_report(store: EventStore) -> None:
    """Assert that the report is the same from the cached accounts, from a new fold, and from the second accountant."""
    ours = day_reports.make(store, PROPERTY, DAY, store.position())
    accounts = cached_ledger(store, PROPERTY)
    accounts.catch_up(store)
    assert (
        canonical_report_bytes.digest(canonical_report_from_ledger.figures(accounts.ledger, DAY, store.position()))
        == ours.digest
    )
    lines = [(stored_event.position, stored_event.raw.decode()) for stored_event in everything(store)]
    figures = json.loads(canonical_report_bytes.encode(ours.figures))
    theirs = Accountant(lines).report(DAY, store.position())
    assert {name: value for name, value in figures.items() if name not in OF_PEERS} == theirs


def closed_by_two_at_once(store: EventStore) -> None:
    """Assert that a second close is refused, and that the report has the digest of the events."""
    checklist_system_state_source.register_source(store, lambda: SystemState(readers={}, head=10**9, aside={}))
    first, second = reopened_house(store), reopened_house(store)
    for item in ("sessions_closed", "boxes_counted", "slips_settled", "discrepancies_explained", "cage_closed"):
        first.send("days", "", "anna", first.action("day.override", item=item, reason="it is late"))
        requests = list(everything(store, types=("approval.requested.v1",)))[-1:]
        for pending in requests:
            data = json.loads(pending.raw)["data"]
            give = first.action("approval.give", request=data["request"], content=data["content"])
            first.send("days", "", "sven", give)  # whom no box or slip is about
    first.ok("days", "", "anna", first.action("day.close", _key="close-1"))
    assert "is closed" in second.no("days", "", "anna", second.action("day.close", _key="close-2")).detail
    report = day_reports.make(store, PROPERTY, DAY, store.position())
    assert (report.basis.status, report.is_as_said) == ("closed", True)
