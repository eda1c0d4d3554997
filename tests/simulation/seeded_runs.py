"""The meaning of a seed, and the seeds that once failed. Every run begins with those."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connections

from tests.simulation.invariant_checks import check, empty
from tests.simulation.whole_house_in_one_thread import SimulatedHouse
from tests.support.processes.scratch_databases import read_models

SEEDS_FILE = Path(__file__).parent / "seeds" / "kept.txt"
EVENINGS = 20  # so that few undisturbed evenings have to be played for comparison

Aliases = tuple[str, str]


def run(seed: int, aliases: Aliases) -> SimulatedHouse:
    """Run one seed with its checks. One client plays odd seeds, and a client for each table plays even ones."""
    empty(aliases[0])
    world = SimulatedHouse(seed, seed // 2 % EVENINGS, aliases[0], clients=1 if seed % 2 else 0)
    world.run()
    check(world, aliases[1])
    return world


@contextmanager
def databases(folder: Path) -> Iterator[Aliases]:
    """Yield two databases for read models. They are fast, as no data needs to survive a power cut."""
    with (
        read_models(f"sqlite:///{folder / 'live.sqlite3'}") as live,
        read_models(f"sqlite:///{folder / 'other.sqlite3'}") as other,
    ):
        for alias in (live, other):
            with connections[alias].cursor() as cursor:
                cursor.execute("PRAGMA synchronous=OFF")
        yield live, other


def failed_seeds() -> list[int]:
    """The seeds that failed once."""
    return [
        int(line.partition("#")[0]) for line in SEEDS_FILE.read_text().splitlines() if line.partition("#")[0].strip()
    ]


def keep(seed: int, why: str) -> None:
    """Write a failing seed down, to be run first from now on."""
    if seed not in failed_seeds():
        with SEEDS_FILE.open("a") as file:
            file.write(f"{seed}  # {why.splitlines()[0][:100] if why else 'failed'}\n")
