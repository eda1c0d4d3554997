"""Rebuilding from the store: the event log against a bare COPY of the same rows, and the other read models."""

import contextlib
from collections.abc import Callable, Sequence
from time import perf_counter

from django.db import connections

from events.desk.desk import Desk
from events.store import EventStore
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import Reader
from projections.engine.projector_base_classes import Projector
from projections.engine.rebuild import Rebuild
from projections.eventlog.models import EventLog
from projections.registry import PROJECTORS
from tests.support.processes.scratch_databases import read_models
from tools.bench import generated_roulette_actions
from tools.bench.benchmark_report_formats import Line
from tools.bench.measurement_servers import MeasurementServers
from tools.bench.turns_medians_and_percentiles import Options, Side, in_turn

TABLES = 20
LOG = PROJECTORS["eventlog"]
OTHERS = [kind for kind in PROJECTORS.values() if kind is not LOG]
ROWS_A_CHUNK = 64 * 1024


def measure(options: Options, parts: MeasurementServers) -> list[Line]:
    """Events a second; what `seconds` says is of no use here, every turn reads the whole store."""
    with parts.store() as store, parts.database() as read_url, read_models(read_url) as using:
        with contextlib.closing(Desk(store, generated_roulette_actions.PROPERTY)) as desk:
            count = generated_roulette_actions.fill(
                desk,
                generated_roulette_actions.furnish(desk, generated_roulette_actions.names("R", TABLES)),
                options.events,
            )
        options.tell(f"  {count:,} events to rebuild from")
        house = _Models(store, using)
        house.build([LOG])
        rows = house.copied_out()
        sides: dict[str, Side] = {
            "rebuild": lambda _: house.afresh([LOG]),
            "bare COPY": lambda _: house.copied_in(rows),
            "rebuild and compare": lambda _: house.rebuild_and_compare([LOG]),
            "read models": lambda _: house.afresh(OTHERS),
        }
        figures = in_turn(options, sides)
    others = " and ".join(kind.name for kind in OTHERS)
    log = {"unit": "events/s", "peer": figures["bare COPY"], "against": "bare COPY"}
    return [
        Line(work="rebuild with the event log", ours=figures["rebuild"], goal=0.5, **log),  # type: ignore[arg-type]
        Line(work="the same, compared with a live one", ours=figures["rebuild and compare"], **log),  # type: ignore[arg-type]
        Line(
            work=f"rebuild of read models only ({others}, in one reading)",
            ours=figures["read models"],
            unit="events/s",
            goal=100_000,
            of="amount",
        ),
    ]


class _Models:
    """Read models that are rebuilt, and a table like the log's that is only copied into."""

    def __init__(self, store: EventStore, using: str) -> None:
        self._store = store
        self._using = using
        self._log = WriteTarget(using).table(EventLog)
        self._events = store.position()

    def _run(self, statement: str) -> None:
        with connections[self._using].cursor() as cursor:
            cursor.execute(statement)

    def build(self, kinds: Sequence[type[Projector]]) -> None:
        """As `rebuild NAME`."""
        Rebuild(kinds, self._store, generated_roulette_actions.PROPERTY, using=self._using).run()

    def afresh(self, kinds: Sequence[type[Projector]]) -> float:
        """Built where there is nothing yet, all in one reading."""
        for kind in kinds:
            Reader.objects.using(self._using).filter(projection=kind.name).delete()
            for model in kind.models:
                self._run(f"TRUNCATE {WriteTarget(self._using).table(model)}")
        return self.rebuild_and_compare(kinds)

    def rebuild_and_compare(self, kinds: Sequence[type[Projector]]) -> float:
        """Built beside live ones, with which they are compared."""
        return self._rate(lambda: self.build(kinds))

    def copied_out(self) -> list[bytes]:
        """The log's rows as COPY writes them, in the store's order."""
        statement = f"COPY (SELECT * FROM {self._log} ORDER BY position) TO STDOUT"
        with connections[self._using].cursor() as cursor, cursor.copy(statement) as copy:
            whole = b"".join(bytes(chunk) for chunk in copy)
        return [whole[at : at + ROWS_A_CHUNK] for at in range(0, len(whole), ROWS_A_CHUNK)]

    def copied_in(self, rows: Sequence[bytes]) -> float:
        """COPY into an empty table with the log's indexes."""
        self._run(f"CREATE TABLE bench_copy (LIKE {self._log} INCLUDING ALL)")
        try:
            return self._rate(lambda: self._copy(rows))
        finally:
            self._run("DROP TABLE bench_copy")

    def _copy(self, rows: Sequence[bytes]) -> None:
        with connections[self._using].cursor() as cursor, cursor.copy("COPY bench_copy FROM STDIN") as copy:
            for chunk in rows:
                copy.write(chunk)

    def _rate(self, work: Callable[[], None]) -> float:
        started = perf_counter()
        work()
        return self._events / (perf_counter() - started)
