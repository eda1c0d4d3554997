"""Plays a day by its seed and checks it. A failing seed is printed, and saved for every later run."""

import json
import sys
from pathlib import Path

from events.integrity.award_certificate import certificate, encode
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import MemoryHeads
from events.signing import house_signing_key
from tests.simulation.progressives.linked_tables_day import LinkedTablesDay
from tests.simulation.progressives.progressive_invariant_checks import check
from tests.support.houses.progressive_house import PROPERTY
from tools import verify_certificate

ROOT = Path(__file__).parents[3]
FAILED = ROOT / "var" / "simulation" / "failed-seeds"
FOR_EVER = Path(__file__).parent / "seeds.txt"


def play(seed: int, folder: Path | None = None, certify: Path | None = None) -> LinkedTablesDay:
    """The day of this seed, in memory or in a file of `folder`; with keys in `certify` every award is certified too."""
    day = LinkedTablesDay(seed, folder)
    try:
        day.play()
        check(day)
        if certify is not None:
            _certify(day, certify)
    except BaseException as error:
        if isinstance(error, Exception):
            keep(seed)
        raise
    finally:
        day.close()
    return day


def _certify(day: LinkedTablesDay, data: Path) -> None:
    heads, by = MemoryHeads(), house_signing_key.signer(data)
    make_head(day.store, heads, PROPERTY, by)
    for hit in day.casino.fold.state.hits.values():
        if day.casino.fold.lock(hit.id) is not None:
            made = json.loads(encode(certificate(day.store, heads, PROPERTY, hit.id)))
            verify_certificate.verify(made, [by.public])


def keep(seed: int) -> None:
    """Print the seed and write it down."""
    print(f"the simulated day of seed {seed} failed; again by: ./manage.py soak --seed {seed}", file=sys.stderr)
    if seed not in failed_seeds():
        FAILED.parent.mkdir(parents=True, exist_ok=True)
        with FAILED.open("a") as file:
            file.write(f"{seed}\n")


def failed_seeds() -> list[int]:
    """Seeds that failed once: those of this checkout, and those that every checkout plays."""
    seeds = [path.read_text().split() for path in (FOR_EVER, FAILED) if path.exists()]
    return sorted({int(word) for words in seeds for word in words})
