"""Appending: thirty actions a command from one terminal, and one action each from many tables at once."""

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

from events.desk.command_and_answer_structs import Command
from events.desk.desk import Desk
from events.store import Append, EventStore, Key, Stored
from tools.bench import compared_event_stores, generated_roulette_actions
from tools.bench.benchmark_report_formats import Line
from tools.bench.measurement_servers import MeasurementServers
from tools.bench.stock_eventsourcing_recorder import Writer
from tools.bench.turns_medians_and_percentiles import Options, Side, in_turn, repeated, turns_until

THREADS = 8
CONTENT = bytes(32)


def measure(options: Options, parts: MeasurementServers) -> list[Line]:
    """Events a second into the store."""
    sample = generated_roulette_actions.sample()
    return [*_thirty(options, parts, sample), *_single(options, parts, sample)]


# --- thirty actions a command, one terminal, one after the other ------------------------------------------------------


def _thirty(options: Options, parts: MeasurementServers, sample: generated_roulette_actions.Sample) -> list[Line]:
    with contextlib.ExitStack() as stack:
        enter = stack.enter_context
        row_by_row = enter(compared_event_stores.row_by_row(parts)).writer("thirty")
        raw = enter(compared_event_stores.raw(parts))
        stock = enter(compared_event_stores.stock(parts)).writer("thirty")
        sides: dict[str, Side] = {
            "desk": enter(_desk_thirty(parts)),
            "row by row": lambda seconds: repeated(seconds, lambda: row_by_row(sample.rows)),
            "store": _store_thirty(enter(parts.store()), sample),
            "multi-row insert": lambda seconds: repeated(seconds, lambda: raw.write(sample.rows)),
            "stock recorder": lambda seconds: repeated(seconds, lambda: stock(sample.rows)),
        }
        figures = in_turn(options, sides)
    events = f"{generated_roulette_actions.EVENTS_A_ROUND} events"
    work = {
        "desk": f"append, {generated_roulette_actions.ACTIONS_A_ROUND} actions a command ({events}), deciders included",
        "store": f"append, the store alone ({events}, {generated_roulette_actions.ACTIONS_A_ROUND} keys)",
    }
    return [
        _line(work[ours], figures[ours], figures[peer], peer, goal)
        for ours in work
        for peer, goal in (("row by row", 12), ("multi-row insert", 0.6), ("stock recorder", None))
    ]


@contextlib.contextmanager
def _desk_thirty(parts: MeasurementServers) -> Iterator[Side]:
    """A round of a table, then one of the next; only the time until the answer counts."""
    with parts.store() as store, contextlib.closing(Desk(store, generated_roulette_actions.PROPERTY)) as desk:
        rounds = [
            table.rounds()
            for table in generated_roulette_actions.furnish(desk, generated_roulette_actions.names("R", 8))
        ]
        turn = itertools.cycle(rounds)

        def side(seconds: float) -> float:
            spent, events = 0.0, 0
            while spent < seconds:
                command = next(next(turn))
                started = perf_counter()
                answers = generated_roulette_actions.answered(desk, command)
                spent += perf_counter() - started
                events += sum(len(answer.events) for answer in answers)
            return events / spent

        yield side


def _store_thirty(store: EventStore, sample: generated_roulette_actions.Sample) -> Side:
    stream, counted_columns = (
        f"{generated_roulette_actions.PROPERTY}/tables/R1/{generated_roulette_actions.DAY}",
        itertools.count(),
    )
    head = store.head(stream)

    def write() -> int:
        nonlocal head
        keys = [
            Key(f"k{next(counted_columns)}", CONTENT, stream, head.version + 1 + place, 1)
            for place in range(generated_roulette_actions.ACTIONS_A_ROUND)
        ]
        head = store.append([Append(stream, head, sample.news)], keys).heads[stream]
        return len(sample.news)

    return lambda seconds: repeated(seconds, write)


# --- one action each, many tables -------------------------------------------------------------------------------------


def _single(options: Options, parts: MeasurementServers, sample: generated_roulette_actions.Sample) -> list[Line]:
    """Every peer writes the events of each single action in a transaction of its own, from as many threads."""
    with contextlib.ExitStack() as stack:
        enter = stack.enter_context
        row_by_row, stock = enter(compared_event_stores.row_by_row(parts)), enter(compared_event_stores.stock(parts))
        row_writers = [row_by_row.writer(f"single-{number}") for number in range(THREADS)]
        stock_writers = [stock.writer(f"single-{number}") for number in range(THREADS)]
        sides: dict[str, Side] = {
            "desk": enter(_desk_single(parts, options)),
            "row by row": lambda seconds: _from_threads(seconds, row_writers, sample.groups, row_by_row.done),
            "stock recorder": lambda seconds: _from_threads(seconds, stock_writers, sample.groups),
        }
        figures = in_turn(options, sides)
    work = f"append, one action each, {options.tables} tables, {THREADS} threads, group commit"
    goals: dict[str, float | None] = {"row by row": 10, "stock recorder": None}
    return [_line(work, figures["desk"], figures[peer], peer, goal) for peer, goal in goals.items()]


@contextlib.contextmanager
def _desk_single(parts: MeasurementServers, options: Options) -> Iterator[Side]:
    with parts.store() as store, contextlib.closing(Desk(store, generated_roulette_actions.PROPERTY)) as desk:
        floor = [
            table.singles()
            for table in generated_roulette_actions.furnish(desk, generated_roulette_actions.names("R", options.tables))
        ]
        shares = [floor[number::THREADS] for number in range(THREADS)]

        def side(seconds: float) -> float:
            started = perf_counter()
            with ThreadPoolExecutor(THREADS) as pool:
                events = sum(pool.map(lambda share: _submit(desk, share, started + seconds), shares))
            return events / (perf_counter() - started)

        yield side


def _submit(desk: Desk, share: Sequence[Iterator[Command]], until: float) -> int:
    """A thread's tables: the next action of each, then all the answers."""
    events = 0
    for _ in turns_until(until):
        waiting = [desk.submit(next(table)) for table in share]
        events += sum(len(generated_roulette_actions.accepted(future.result())[0].events) for future in waiting)
    return events


def _from_threads(
    seconds: float,
    writers: Sequence[Writer],
    groups: Sequence[Sequence[Stored]],
    on_done: Callable[[], None] = lambda: None,
) -> float:
    def work(write: Writer) -> int:
        turn, events = itertools.cycle(groups), 0
        try:
            for _ in turns_until(until):
                events += write(next(turn))
        finally:
            on_done()
        return events

    started = perf_counter()
    until = started + seconds
    with ThreadPoolExecutor(len(writers)) as pool:
        events = sum(pool.map(work, writers))
    return events / (perf_counter() - started)


def _line(work: str, ours: float, theirs: float, peer: str, goal: float | None) -> Line:
    return Line(work=work, ours=ours, unit="events/s", peer=theirs, against=peer, goal=goal)
