"""The whole pipeline in one thread, with all possible faults: no event is lost, doubled or edited.

Each seed is an evening and a mixture of faults. A failing seed is printed and written to `seeds/kept.txt`. To repeat
it, run `python -m tests.simulation.soak --seed SEED`. For more seeds, run `python -m tests.simulation.soak`.
"""

from collections.abc import Iterator
from random import Random

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.simulation import seeded_runs
from tests.simulation.seeded_process_scheduler import Scheduler, SimulatedProcess, SimulatedSigkill, Stuck

SEEDS = 30
PARTS = 3  # tests, each of a share of the seeds

pytestmark = pytest.mark.simulation


@pytest.fixture(scope="module")
def aliases(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[seeded_runs.Aliases]:
    """Two databases for read models: of the run, and for comparison."""
    with django_db_blocker.unblock(), seeded_runs.databases(tmp_path_factory.mktemp("read")) as both:
        yield both


def attempt(seed: int, aliases: seeded_runs.Aliases) -> None:
    try:
        seeded_runs.run(seed, aliases)
    except Exception as error:
        seeded_runs.keep(seed, f"{type(error).__name__}: {error}")
        pytest.fail(
            f"seed {seed}: {type(error).__name__}: {error}\nagain: python -m tests.simulation.soak --seed {seed}"
        )


def test_seeds_that_failed_once(aliases: seeded_runs.Aliases) -> None:
    for seed in seeded_runs.failed_seeds():
        attempt(seed, aliases)


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_is_lost_doubled_or_edited(part: int, aliases: seeded_runs.Aliases) -> None:
    for seed in range(part, SEEDS, PARTS):
        attempt(seed, aliases)


def test_the_same_seed_is_the_same_run(aliases: seeded_runs.Aliases) -> None:
    first, again = (seeded_runs.run(5, aliases) for _ in range(2))
    assert (first.scheduler.turns, first.scheduler.now) == (again.scheduler.turns, again.scheduler.now)
    assert [event.stream for event in first.store.after(0, 1_000)] == [
        event.stream for event in again.store.after(0, 1_000)
    ]


def test_the_faults_do_happen(aliases: seeded_runs.Aliases) -> None:
    worlds = [seeded_runs.run(seed, aliases) for seed in (8, 11, 14)]
    assert sum(world.scheduler.kills for world in worlds) > 10
    assert sum(world.repeated for world in worlds) > 10
    assert sum(world.broker.emptied for world in worlds) > 0


def test_what_never_ends_is_stuck() -> None:
    scheduler = Scheduler(Random(1))
    scheduler.start("idle", lambda: _for_ever(scheduler))
    with pytest.raises(Stuck, match="no end after 10 turns"):
        scheduler.run(lambda: False, 10, "no end")
    scheduler.stop()


def test_a_killed_process_comes_back_without_what_it_knew() -> None:
    scheduler, lives = Scheduler(Random(1)), list[str]()

    def program() -> None:
        lives.append("born")
        try:
            scheduler.sleep(1.0)
            scheduler.kill()
        except SimulatedSigkill:
            lives.append("killed")
            raise

    process: SimulatedProcess = scheduler.start("mortal", program)
    scheduler.run(lambda: len(lives) >= 4, 100, "it does not come back")
    assert lives[:4] == ["born", "killed", "born", "killed"]
    assert scheduler.kills == 2
    assert not process.done
    scheduler.stop()


def _for_ever(scheduler: Scheduler) -> None:
    while True:
        scheduler.sleep(0.1)
