"""`liability` and `whatif` begin at a progressive's last snapshot, and give the results of its whole history."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from backoffice.progressives.liability_funds_and_odds_report import report
from backoffice.progressives.what_if_day_comparison import day
from events.errors import Unknown
from events.progressives import due_lock_and_lapse_appending, history_reader
from events.progressives import full_history_for_reports as lives
from events.progressives.full_history_for_reports import Life, life, sessions
from events.progressives.liability import LevelLiability
from events.progressives.liability import liability as owed
from events.signing import house_signing_key
from events.store import EventStore, Snapshot, Stored, open_store
from events.store.snapshot_seals import name_of
from events.store.store_base_classes import RecordedStore
from events.tables.event_types.shoe_and_dealt_cards import ShoeLoaded
from tests.support.houses.progressive_house import DAY, NAME, PROPERTY, Casino

OWN = f"{PROPERTY}/progressives/{NAME}"
EVERY = 20


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def casino(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Casino]:
    """Rounds of two tables, with eight packs at one of them, and hits of two levels, one of them void."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setattr(lives, "EVERY", EVERY)
    house_signing_key.signer(tmp_path)
    url = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path / 'events.sqlite3'}"
    casino = Casino(open_store(request.getfixturevalue("postgres_url") if request.param == "postgres" else url))
    where: dict[str, Any] = {"pit": "A", "table": "BJ2", "gaming_day": DAY, "shift": "day", "ruleset": "blackjack"}
    casino.say(f"tables/BJ2/{DAY}", ShoeLoaded(**where, shoe="s1", packs=8))
    for number in range(10):
        casino.play("BJ1", hits=((1, "mega"), (2, "minor")) if number in (3, 7) else ())
        casino.play("BJ2")
        casino.reconcile()
    casino.void(f"BJ1-{DAY}-8-2")
    yield casino
    casino.close()


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The positions that a life took, one by one."""
    positions: list[int] = []
    take = Life.take

    def noted(self: Life, name: str, stored: Stored) -> None:
        positions.append(stored.position)
        take(self, name, stored)

    monkeypatch.setattr(Life, "take", noted)
    return positions


def test_a_report_reads_what_came_since_the_last_copy(casino: Casino, taken: list[int]) -> None:
    first = report(casino.store, PROPERTY, NAME)
    whole = len(taken)
    assert whole > 2 * EVERY
    taken.clear()
    casino.play("BJ1")
    again = report(casino.store, PROPERTY, NAME)
    assert len(taken) < EVERY + 5
    assert again.liability == service_says(casino)
    assert [(odds.bets, odds.observed) for odds in first.odds] == [(40, 2), (40, 0), (40, 1)]
    assert [(odds.bets, odds.observed) for odds in again.odds] == [(42, 2), (42, 0), (42, 1)]
    assert life(casino.store, PROPERTY, NAME).bets == {8: 20, 6: 22}


def service_says(casino: Casino) -> list[LevelLiability]:
    return owed(due_lock_and_lapse_appending.current(casino.store, PROPERTY, NAME))


@pytest.mark.parametrize("passed", [False, True])
def test_it_is_the_same_at_every_position(casino: Casino, taken: list[int], passed: bool) -> None:
    """The result is the same with existing snapshots and with snapshots made on the way."""
    if passed:
        life(casino.store, PROPERTY, NAME)
    opened = history_reader.start(casino.store, PROPERTY, NAME)
    for until in range(opened.at, casino.store.position() + 1, 7):
        fold = opened.copy()
        fold.take(fact for _, fact in history_reader.facts(casino.store, PROPERTY, NAME, until=until))
        assert life(casino.store, PROPERTY, NAME, until).fold.state == fold.state


def test_a_past_day_begins_at_the_copy_before_it(casino: Casino, taken: list[int]) -> None:
    life(casino.store, PROPERTY, NAME)
    start, facts = day(casino.store, PROPERTY, NAME, DAY)
    fold = start.copy()
    fold.take(facts)
    assert fold.level("mega").fed == casino.fold.level("mega").fed
    assert list(sessions(casino.store, PROPERTY, DAY)) == [
        f"{PROPERTY}/tables/{table}/{DAY}" for table in ("BJ2", "BJ1")
    ]
    with pytest.raises(Unknown, match=r"No round of blazing was armed on 2026-11-19\."):
        day(casino.store, PROPERTY, NAME, "2026-11-19")


def test_a_copy_that_nobody_sealed_is_not_believed(casino: Casino) -> None:
    if not isinstance(casino.store, RecordedStore):
        return
    honest = report(casino.store, PROPERTY, NAME)
    number = casino.store.position() // EVERY
    saved = row(casino.store, f"{OWN}#life-{number}")
    forged = Life.load(replace(saved, state=plain(casino.store, number)))
    assert forged is not None
    forged.fold.level("mega").deposited += 10**9
    with casino.store._appending() as here:
        here.save_snapshot(replace(saved, state=forged.dump()))
    assert report(casino.store, PROPERTY, NAME).liability == honest.liability


def row(store: RecordedStore, stream: str) -> Snapshot:
    with store._reading() as here:
        snapshot = here.snapshot(stream, name_of(lives._SNAPSHOT_FORMAT))
    assert snapshot is not None
    return snapshot


def plain(store: EventStore, number: int) -> bytes:
    snapshot = store.snapshot(f"{OWN}#life-{number}", lives._SNAPSHOT_FORMAT)
    assert snapshot is not None
    return snapshot.state
