"""A house of twenty tables with a long history, compared with the same house at a tenth of its age.

Costs that grow with its history show a ratio of ten, constant ones a ratio of one.
"""

from collections.abc import Iterable
from statistics import median

import msgspec

from events.signing import house_signing_key
from events.store.postgres_session_settings import connect
from tools.bench import house_ageing_process, start_on_old_house
from tools.bench.benchmark_report_formats import Line
from tools.bench.measurement_servers import MeasurementServers, child, next_line
from tools.bench.turns_medians_and_percentiles import Options

YOUNG = 10  # the tenth of its life after which it is measured first
FIRST_HIT = house_ageing_process.TABLES * house_ageing_process.HIT_EVERY  # sessions, and there is one to be explained


FIRSTS = 5  # processes whose first action is measured, each at a table of its own


class Age(msgspec.Struct, frozen=True):
    """How it is: what filled it, a process that begins on it, and the first action of some that do no longer."""

    aged: house_ageing_process.StageFigures
    firsts: list[float]
    woken: start_on_old_house.StartCosts


def measure(options: Options, parts: MeasurementServers) -> Iterable[Line]:
    """Start, first action, reconcile, explain, closed days, verify and memory."""
    with parts.database() as url, parts.folder() as data:
        house_signing_key.signer(data)
        stops = [
            (young := max(FIRST_HIT, options.sessions // YOUNG)),
            max(young + house_ageing_process.TABLES, options.sessions),
        ]
        with child(
            "tools.bench.house_ageing_process", house_ageing_process.AgeingJob(url, str(data), stops)
        ) as growing:
            ages = []
            for _ in stops:
                aged = msgspec.json.decode(next_line(growing), type=house_ageing_process.StageFigures)
                options.tell(f"  {aged.days:,} days, {aged.events:,} events, {aged.a_second:,.0f}/s")
                _finish_deferred_writes(url)
                ages.append(Age(aged, _first_answer_times(url, str(data), aged), _woken(url, str(data), aged)))
                assert growing.stdin is not None
                growing.stdin.write(b"\n")
                growing.stdin.flush()
    return _lines(stops[0], stops[1], *ages)


def _finish_deferred_writes(url: str) -> None:
    """Let the server do its deferred writes, as in a real history: years of it were written in minutes."""
    with connect(url, autocommit=True) as connection:
        for statement in ("CHECKPOINT", "VACUUM ANALYZE"):
            connection.execute(statement)


def _first_answer_times(url: str, data: str, aged: house_ageing_process.StageFigures) -> list[float]:
    figures = []
    for number in range(2, 2 + FIRSTS):
        job = start_on_old_house.OldHouseStartJob(url, data, aged.days, "", table=f"R{number}", only_first=True)
        with child("tools.bench.start_on_old_house", job) as running:
            figures.append(msgspec.json.decode(next_line(running), type=float))
    return figures


def _woken(url: str, data: str, aged: house_ageing_process.StageFigures) -> start_on_old_house.StartCosts:
    hit = aged.hits[len(aged.hits) // 2]
    with child(
        "tools.bench.start_on_old_house", start_on_old_house.OldHouseStartJob(url, data, aged.days, hit)
    ) as running:
        return msgspec.json.decode(next_line(running), type=start_on_old_house.StartCosts)


def _lines(before: int, sessions: int, young: Age, old: Age) -> list[Line]:
    against = f"after {before:,} sessions"

    def line(work: str, unit: str, ours: float, peer: float) -> Line:
        return Line(work=f"{sessions:,} sessions: {work}", ours=ours, unit=unit, peer=peer, against=against)

    now, then = old.woken, young.woken
    return [
        line("events in the store", "events", old.aged.events, young.aged.events),
        line("days opened, played and closed", "events/s", old.aged.a_second, young.aged.a_second),
        line("memory of the desk that did it", "MiB", old.aged.mebibytes, young.aged.mebibytes),
        line("a process begins, progressives at hand", "ms", now.start, then.start),
        line("the same with a new version of the fold", "ms", now.rebuilt, then.rebuilt),
        line(f"its first action, a table opens, median of {FIRSTS}", "ms", median(old.firsts), median(young.firsts)),
        line("the slowest of them", "ms", max(old.firsts), max(young.firsts)),
        line("each further action", "ms", now.next, then.next),
        line("reconcile", "ms", now.reconcile, then.reconcile),
        line("explain, a hit of the middle", "ms", now.explain, then.explain),
        line("a table's closed day looked at", "ms", now.old_day, then.old_day),
        line(f"memory before {start_on_old_house.OLD_DAYS} of them were looked at", "MiB", now.before, then.before),
        line("memory afterwards", "MiB", now.after, then.after),
        line("verify", "events/s", now.verified, then.verified),
        line("memory after verify", "MiB", now.verifying, then.verifying),
    ]
