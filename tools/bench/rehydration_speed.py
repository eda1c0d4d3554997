"""Reading a table's day of 10,000 events without a snapshot, against the library's own aggregates."""

import contextlib
from collections.abc import Iterator
from uuid import UUID

from eventsourcing.application import Application

from events import catalogue
from events.desk.desk import Desk
from events.floor.table_installation_decider import TableInstalled
from events.store import EventStore, open_store
from events.tables import main_table_decider as tables
from events.tables.table_session_state_structs import Session, new_session, stream_of
from tools.bench import generated_roulette_actions
from tools.bench.benchmark_report_formats import Line
from tools.bench.eventsourcing_aggregate_peer import SessionAggregate, retell
from tools.bench.measurement_servers import MeasurementServers
from tools.bench.stock_eventsourcing_recorder import stock_values
from tools.bench.turns_medians_and_percentiles import Options, in_turn, repeated

EVENTS = 10_000
SAVED_AT_ONCE = 1_000
INSTALLED = TableInstalled(pit="A", table="R1", game="roulette", ruleset="roulette-american", currency="EUR")
STREAM = stream_of(generated_roulette_actions.PROPERTY, INSTALLED.table, generated_roulette_actions.DAY)


def measure(options: Options, parts: MeasurementServers) -> list[Line]:
    """Events a second, on SQLite and on PostgreSQL."""
    with parts.folder() as folder, parts.database() as ours, parts.database() as theirs:
        file = {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(folder / "stock.sqlite3")}
        return [
            _line(options, "SQLite", f"sqlite:///{folder / 'events.sqlite3'}", file, 5),
            _line(options, "PostgreSQL", ours, stock_values(theirs), 2),
        ]


def _line(options: Options, kind: str, url: str, stock: dict[str, str], goal: float) -> Line:
    with _filled(url) as store, contextlib.closing(Application[UUID](stock)) as application:
        day, count = _fill_stock(application, store)

        def own_rate() -> int:
            return rehydrate(store)[1]

        def peer_rate() -> int:
            session: SessionAggregate = application.repository.get(day)
            assert session.version == count
            return count

        elapsed = in_turn(
            options,
            {
                f"ours on {kind}": lambda seconds: repeated(seconds, own_rate),
                f"stock on {kind}": lambda seconds: repeated(seconds, peer_rate),
            },
        )
    mine, other = elapsed.values()
    work = f"rehydrate {EVENTS:,} events without a snapshot, {kind}"
    return Line(work=work, ours=mine, unit="events/s", peer=other, against="@event, JSON", goal=goal)


def rehydrate(store: EventStore) -> tuple[Session, int]:
    """The session as the desk reads it where there is no snapshot, and how many events that were."""
    state, count = new_session(generated_roulette_actions.PROPERTY, INSTALLED, generated_roulette_actions.DAY), 0
    for event in store.stream(STREAM):
        decoded = catalogue.decode(event.type, event.raw)
        state = tables.evolve(state, decoded.data, decoded.actor)
        count += 1
    return state, count


@contextlib.contextmanager
def _filled(url: str) -> Iterator[EventStore]:
    """A store with the table's day."""
    with contextlib.closing(open_store(url)) as store:
        store.create()
        with contextlib.closing(Desk(store, generated_roulette_actions.PROPERTY)) as desk:
            table = generated_roulette_actions.furnish(desk, [INSTALLED.table])[0]
            for _ in range(-(-EVENTS // generated_roulette_actions.EVENTS_A_ROUND)):
                generated_roulette_actions.answered(desk, table.command(table.round()))
        yield store


def _fill_stock(application: Application[UUID], store: EventStore) -> tuple[UUID, int]:
    """The same day as an aggregate; its id and version."""
    day, after = SessionAggregate(INSTALLED.table, generated_roulette_actions.DAY), 0
    while events := store.stream(STREAM, after, SAVED_AT_ONCE):
        retell(day, events)
        application.save(day)
        after = events[-1].version
    return day.id, day.version
