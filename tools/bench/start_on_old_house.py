"""A process that starts on an old house: its waiting time and its use of memory and CPU, as one line of JSON.

`python -m tools.bench.start_on_old_house` takes its job as a line of JSON.
"""

import contextlib
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

import msgspec

from events.desk.desk import Desk
from events.envelope import Who
from events.integrity.audit import audit
from events.progressives import due_lock_and_lapse_appending, progressive_state_following_store
from events.progressives.award_report import award
from events.store import EventStore, open_store
from tests.support.houses.progressive_house import NAME
from tools.bench import generated_roulette_actions, house_ageing_process

TIMES = 15
OLD_DAYS = 600  # more than are kept at hand


class OldHouseStartJob(msgspec.Struct, frozen=True):
    """The store, the data folder, how many days it has lived, and a hit of them; the table that opens. `only_first`:
    the answer is the first action's milliseconds alone."""

    url: str
    data: str
    days: int
    hit: str
    table: str = "R1"
    only_first: bool = False


class StartCosts(msgspec.Struct, frozen=True):
    """Milliseconds; MiB before and after many closed days were looked at, and after verifying; events a second."""

    start: float
    rebuilt: float
    first: float
    next: float
    reconcile: float
    explain: float
    old_day: float
    before: float
    after: float
    verified: float
    verifying: float


def milliseconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    began = perf_counter()
    work()
    return (perf_counter() - began) * 1000


def often(work: Callable[[], object]) -> float:
    """The median of some times."""
    return median([milliseconds(work) for _ in range(TIMES)])


def wake(job: OldHouseStartJob) -> StartCosts:
    """All of it, in the order in which it happens to a house."""
    house_ageing_process.lives_in(job.data, job.days)
    with contextlib.closing(open_store(job.url)) as store:
        begun = _begins(store, job)
        progressive_state_following_store.EVOLVE = "progressive-of-tomorrow"
        store.process_cache.clear()
        rebuilt = milliseconds(lambda: due_lock_and_lapse_appending.prepare(store, generated_roulette_actions.PROPERTY))
        began = process_time()
        audited = audit(store, generated_roulette_actions.PROPERTY, [])
        speed = audited.events / (process_time() - began)
        assert not audited.findings, audited.findings[:3]
        return StartCosts(**begun, rebuilt=rebuilt, verified=speed, verifying=house_ageing_process.resident())


def _begins(store: EventStore, job: OldHouseStartJob) -> dict[str, float]:
    """Do the work of a serving process at its start."""
    figures = {
        "start": milliseconds(lambda: due_lock_and_lapse_appending.prepare(store, generated_roulette_actions.PROPERTY))
    }
    night = house_ageing_process.AgeingTable(job.table, house_ageing_process.day(job.days))
    with contextlib.closing(Desk(store, generated_roulette_actions.PROPERTY)) as desk:
        figures["first"] = milliseconds(lambda: generated_roulette_actions.answered(desk, night.begins()))
        figures["next"] = often(lambda: generated_roulette_actions.answered(desk, night.buys()))
        figures["reconcile"] = often(
            lambda: due_lock_and_lapse_appending.reconcile(store, generated_roulette_actions.PROPERTY, NAME)
        )
        figures["explain"] = milliseconds(lambda: award(store, generated_roulette_actions.PROPERTY, job.hit))
        figures["before"] = house_ageing_process.resident()
        figures["old_day"] = median([_look_time(desk, on) for on in range(max(0, job.days - OLD_DAYS), job.days)])
        figures["after"] = house_ageing_process.resident()
        generated_roulette_actions.answered(desk, night.closing_command())
    return figures


def opens(job: OldHouseStartJob) -> float:
    """Milliseconds of the first action of a process that has its progressives at hand: a table opens, and closes."""
    house_ageing_process.lives_in(job.data, job.days)
    night = house_ageing_process.AgeingTable(job.table, house_ageing_process.day(job.days))
    with contextlib.closing(open_store(job.url)) as store:
        due_lock_and_lapse_appending.prepare(store, generated_roulette_actions.PROPERTY)
        with contextlib.closing(Desk(store, generated_roulette_actions.PROPERTY)) as desk:
            figures = milliseconds(lambda: generated_roulette_actions.answered(desk, night.begins()))
            generated_roulette_actions.answered(desk, night.closing_command())
    return figures


def _look_time(desk: Desk, on: int) -> float:
    """Milliseconds to look at a table of a day that is over."""
    who = Who(person=generated_roulette_actions.INSPECTOR.person, roles=frozenset())
    return milliseconds(lambda: desk.questions.layout("R1", house_ageing_process.day(on), who))


def main() -> None:
    """Do the job that stands on the first line."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=OldHouseStartJob)
    figures = opens(job) if job.only_first else wake(job)
    sys.stdout.buffer.write(msgspec.json.encode(figures) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
