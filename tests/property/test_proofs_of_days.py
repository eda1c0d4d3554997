"""Days as they come, with mistakes everywhere: the reader of a proof sums what the report says."""

from pathlib import Path

import pytest

from events.errors import Unknown
from events.integrity.day import Proof, proof
from events.integrity.kept import MemoryHeads
from events.integrity.publish import make_head
from events.integrity.reports import otherwise
from events.signing import keys
from tests.accountant.floor import Floor
from tests.accountant.winning import DAYS
from tests.house import PROPERTY
from tools import verify_day

STEPS, POSITIONS = 250, 6
LONG_AGO = "2026-11-10T12:00:00.000Z"


@pytest.mark.parametrize(("seed", "is_whole"), [(12, True), (20, False), (12, False)])
def test_a_reader_sums_what_the_report_says(
    seed: int, is_whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that begin with the house, and files that begin with the last head before the day."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    floor, heads, by = Floor(seed), MemoryHeads(), keys.signer(tmp_path / "keys")
    for number in range(STEPS):
        floor.step()
        if number % 25 == 24:
            now = floor.store.clock
            floor.store.clock = now if is_whole else lambda: LONG_AGO
            make_head(floor.store, heads, PROPERTY, by)
            floor.store.clock = now
    last = floor.store.position()
    seen, sums = set(), set()
    for position in (last, *(floor.random.randint(1, last) for _ in range(POSITIONS - 1))):
        for made in proofs(floor, heads, position):
            found = verify_day.verify(made.lines(floor.store), [by.public])
            assert found["status"] == made.made.basis.status
            seen.add(found["status"])
            left = {one.partition("/")[0] for one in found["not_recomputed"]}
            summed = {one for one in ("cage", "chips") if one in found["figures"] and one not in left}
            assert made.before is None or "chips" not in summed, "where all chips are takes the house's first event"
            assert made.before is not None or "cage" not in left
            sums |= summed
    assert seen == {"open", "closed", "restated"}
    assert sums >= ({"cage", "chips"} if is_whole else {"cage"}), "some of each could be summed"
    assert [*otherwise(floor.store, PROPERTY)] == [], "every closing says what its events make"
    floor.close()


def proofs(floor: Floor, heads: MemoryHeads, position: int) -> list[Proof]:
    """Of the days of which there is anything by then."""
    found = []
    for day in DAYS:
        try:
            found.append(proof(floor.store, heads, PROPERTY, day, position))
        except Unknown:
            continue
    return found
