"""`bench search`: pages of the published list in a long log, beside SQL by hand, and what each index costs."""

from collections.abc import Iterator

from backoffice.installation.dependency_injection import installation, opened_store
from backoffice.wording import formats
from events.store import open_store
from tests.support.processes.scratch_databases import migrated, new_file
from tools.bench.benchmark_report_formats import Line
from tools.bench.measurement_servers import MeasurementServers
from tools.bench.searching import long_log_generation as searching_history
from tools.bench.searching.index_write_cost import costs
from tools.bench.searching.published_fast_queries import queries
from tools.bench.searching.query_and_sql_timing import QueryTimes, timed
from tools.bench.searching.random_query_times import slowest
from tools.bench.turns_medians_and_percentiles import Options, percentile

ON_SQLITE = 10  # a tenth of the log
PAGES = 100  # of each query
GOAL_P50, GOAL_P99 = 2.0, 5.0  # on PostgreSQL
BOUND_MS = 500.0  # of any query
WRITTEN = 100_000  # events, to see what an index costs


def measure(options: Options, parts: MeasurementServers) -> list[Line]:
    """On PostgreSQL, with its goals, and on SQLite, for comparison. A search asks an empty store for the currency."""
    empty = open_store("memory://")
    with installation().replaced(opened_store, empty), parts.folder() as folder:
        history = searching_history.history(folder / "house")
        with parts.database() as url, migrated(url) as using:
            lines = list(_lines("PostgreSQL", history, options.log, using, options, has_goals=True))
        with migrated(new_file(folder)) as using:
            lines += _lines("SQLite", history, max(options.log // ON_SQLITE, 1), using, options, has_goals=False)
    return lines


def _lines(
    name: str, history: searching_history.History, events: int, using: str, options: Options, *, has_goals: bool
) -> Iterator[Line]:
    new_events = list(history.repeated_rows(min(WRITTEN, events)))
    for index, cost in costs(using, new_events).items():
        of = {"none": "the log without indexes", "words": "the words"}.get(index, f"index {index}")
        yield Line(work=f"{name}, writing a thousand events, {of}", ours=cost, unit="ms")
    searching_history.empty(using)
    options.tell(f"  {name}: making a log of {events:,} events")
    searching_history.fill(using, history.repeated_rows(events))
    for query in queries():
        measured_times = timed(query, history, events, using, PAGES)
        if measured_times is not None:
            options.tell(f"  {name}: {query.name} {percentile(measured_times.ours, 99):.1f} ms")
            yield from _of_query(f"{name}, {events:,} events, {query.name}", measured_times, has_goals=has_goals)
    yield from _of_any(f"{name}, {events:,} events", history, events, using, options)


def _of_any(work: str, history: searching_history.History, events: int, using: str, options: Options) -> Iterator[Line]:
    """Nested queries, whatever they ask: their bound is that of a page."""
    times = slowest(history, events, using, formats.zone())
    options.tell(f"  {work}: the slowest of {len(times)} nested queries, {times[0][0]:.0f} ms: {times[0][1]}")
    in_order = [time_ms for time_ms, _ in times]
    for percent in (50, 99, 100):
        yield Line(
            work=f"{work}, nested queries, " + (f"p{percent}" if percent < 100 else "the slowest"),
            ours=percentile(in_order, percent),
            unit="ms",
            goal=BOUND_MS,
            of="amount",
        )


def _of_query(work: str, measured_times: QueryTimes, *, has_goals: bool) -> Iterator[Line]:
    for percent, goal in ((50, GOAL_P50), (99, GOAL_P99)):
        yield Line(
            work=f"{work}, p{percent}",
            ours=percentile(measured_times.ours, percent),
            unit="ms",
            peer=percentile(measured_times.by_hand, percent),
            against="by hand",
            goal=goal if has_goals else None,
            of="amount",
        )
