"""Random days with many mistakes: the reader of a proof calculates the report's figures."""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from events.accounting.event_types.day_close import DayClosed
from events.cage import stream_declaration as cage_stream
from events.errors import Unknown
from events.integrity.day_proof import DayProof, proof
from events.integrity.day_report_recomputation import otherwise
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import MemoryHeads
from events.signing import house_signing_key
from events.store import EventStore, Stored, everything
from events.tables import gaming_day_stream_for_action
from tests.accountant.random_gaming_days import RandomFloor
from tests.accountant.random_jackpot_events import DAYS
from tests.accountant.random_reported_facts import ReportedFactsFloor
from tests.support.houses.small_house import PROPERTY
from tools import verify_day

STEPS, POSITIONS, BETWEEN_HEADS = 400, 6, 5
A_DAY = re.compile(rb'[/"](2026-11-\d\d)["@]')  # in a stream's name or a fact, not a time


@pytest.mark.parametrize(("seeds", "is_whole"), [((0, 6), True), ((8, 3, 2), False)])
def test_a_reader_sums_what_the_report_says(
    seeds: tuple[int, ...], is_whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that begin with the house, and files that begin with the last head before the day."""
    seen, sums = set[str](), set[tuple[bool, str]]()
    for seed in seeds:
        house = tmp_path / f"house{seed}"
        monkeypatch.setenv("PITLEDGER_DATA", str(house))
        for report, begins_with_house in read(seed, house_signing_key.signer(house), is_whole=is_whole):
            left = {item.partition("/")[0] for item in report["not_recomputed"]}
            summed = {name for name in ("cage", "chips") if name in report["figures"] and name not in left}
            assert begins_with_house or "chips" not in summed, "where all chips are takes the house's first event"
            assert not begins_with_house or "cage" not in left
            seen.add(report["status"])
            sums |= {(begins_with_house, name) for name in summed}
    assert seen == {"open", "closed", "restated"}
    some = {(True, "cage"), (True, "chips")} if is_whole else {(False, "cage")}
    assert sums >= some, "some of each could be summed"


def test_a_reader_sums_what_the_report_says_of_days_that_are_only_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    assert (
        len([*read(3, house_signing_key.signer(tmp_path), is_whole=True, kind=ReportedFactsFloor, steps=250)])
        > POSITIONS - 2
    )


def test_a_house_of_before_whose_days_did_not_follow_one_another_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier versions could post late events of a closed day on a later day that had begun too early.

    The trays of the day between then differ.
    """
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setattr(gaming_day_stream_for_action, "_must_follow", lambda *_: None)
    monkeypatch.setattr(cage_stream._Cage, "_must_follow", lambda *_: None)
    left = [report["not_recomputed"] for report, _ in read(70, house_signing_key.signer(tmp_path), is_whole=True)]
    assert any(account.startswith("Assets:Chips:Tables:") for names in left for account in names)


def read(
    seed: int,
    by: house_signing_key.Signer,
    *,
    is_whole: bool,
    kind: type[RandomFloor] = RandomFloor,
    steps: int = STEPS,
) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield the result of reading each proof of a floor, and whether the proof begins with the house's first event."""
    floor, heads = kind(seed), MemoryHeads()
    for number in range(steps):
        floor.step()
        if number % BETWEEN_HEADS == BETWEEN_HEADS - 1:
            now = floor.store.clock
            floor.store.clock = now if is_whole else early(floor.store)
            make_head(floor.store, heads, PROPERTY, by)
            floor.store.clock = now
    last = floor.store.position()
    for position in (last, *(floor.random.randint(1, last) for _ in range(POSITIONS - 1))):
        for made in proofs(floor, heads, position):
            result = verify_day.verify(made.lines(floor.store), [by.public])
            assert result["status"] == made.made.basis.status
            yield result, made.before is None
    assert [*otherwise(floor.store, PROPERTY)] == [], "every closing says what its events make"
    floor.close()


def early(store: EventStore) -> Callable[[], str]:
    """Return the earliest possible clock. Events belong at most to the day after tomorrow.

    The closing of a day also belongs to the next day, as later events of the closed day are posted there.
    """
    last = max(a_day for stored_event in everything(store) for a_day in _days(stored_event))
    return lambda: (date.fromisoformat(last) - timedelta(days=2)).isoformat() + "T12:00:00.000Z"


def _days(stored: Stored) -> Iterator[str]:
    is_closed = stored.type == DayClosed.TYPE
    for match in A_DAY.findall(stored.raw):
        yield (date.fromisoformat(match.decode()) + timedelta(days=is_closed)).isoformat()


def proofs(floor: RandomFloor, heads: MemoryHeads, position: int) -> list[DayProof]:
    """Return the proofs of the days with events at this position."""
    day_proofs = []
    for day in DAYS:
        try:
            day_proofs.append(proof(floor.store, heads, PROPERTY, day, position))
        except Unknown:
            continue
    return day_proofs
