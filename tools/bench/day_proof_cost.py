"""Cost of the proof of a gaming day: to make it, and to check it with the reader's program, in processor time.

`python -m tools.bench.day_proof_cost [--events N]`: roulette at eight tables, their day still open, a head over all of
it.
"""

import argparse
import contextlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from events.desk.desk import Desk
from events.integrity.day_proof import proof
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import MemoryHeads
from events.signing import house_signing_key
from events.store import EventStore, open_store
from tools import verify_day
from tools.bench import generated_roulette_actions


def export(store: EventStore, folder: Path) -> tuple[Path, str]:
    """The file, and the key that its head is signed with."""
    heads, by, path = MemoryHeads(), house_signing_key.signer(folder), folder / "day.jsonl"
    make_head(store, heads, generated_roulette_actions.PROPERTY, by)
    begun = time.process_time()
    day_proof = proof(
        store, heads, generated_roulette_actions.PROPERTY, generated_roulette_actions.DAY, store.position()
    )
    summed = time.process_time()
    with path.open("wb") as file:
        file.writelines(day_proof.lines(store))
    write_s = time.process_time() - summed
    print(f"{store.position():,} events, {path.stat().st_size / 1e6:.0f} MB: report {summed - begun:.1f} s", end="")
    print(f", file {write_s:.1f} s")
    return path, by.public


def check(path: Path, key: str) -> None:
    """By the reader's program, in a process that has nothing of ours."""
    subprocess.run([sys.executable, "-I", verify_day.__file__, str(path), "--key", key], check=True)
    spent = getrusage(RUSAGE_CHILDREN)
    print(f"checked in {spent.ru_utime + spent.ru_stime:.1f} s")


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100_000)
    options = parser.parse_args(arguments)
    store = open_store("memory://", clock=lambda: generated_roulette_actions.TIME)
    store.create()
    with contextlib.closing(Desk(store, generated_roulette_actions.PROPERTY)) as desk:
        generated_roulette_actions.fill(
            desk, generated_roulette_actions.furnish(desk, generated_roulette_actions.names("J", 8)), options.events
        )
    with tempfile.TemporaryDirectory() as folder:
        check(*export(store, Path(folder)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
