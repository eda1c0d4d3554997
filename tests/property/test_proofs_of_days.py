"""Days as they come, with mistakes everywhere: the reader of a proof sums what the report says."""

from pathlib import Path

import pytest

from events.errors import Unknown
from events.integrity.day import Proof, proof
from events.integrity.kept import MemoryHeads
from events.integrity.publish import make_head
from events.integrity.reports import otherwise
from events.signing import keys
from tests.accountant.floor import DAYS, Floor
from tests.house import PROPERTY
from tools import verify_day

STEPS, POSITIONS = 250, 6


@pytest.mark.parametrize("seed", [9, 15])
def test_a_reader_sums_what_the_report_says(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    floor, heads, by = Floor(seed), MemoryHeads(), keys.signer(tmp_path / "keys")
    for number in range(STEPS):
        floor.step()
        if number % 25 == 24:
            make_head(floor.store, heads, PROPERTY, by)
    last = floor.store.position()
    seen = set()
    for position in (last, *(floor.random.randint(1, last) for _ in range(POSITIONS - 1))):
        for made in proofs(floor, heads, position):
            found = verify_day.verify(made.lines(floor.store), [by.public])
            assert found["status"] == made.made.basis.status
            seen.add(found["status"])
    assert seen == {"open", "closed", "restated"}
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
