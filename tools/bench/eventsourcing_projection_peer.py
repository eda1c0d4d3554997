"""The peer of the whole way: an application of the eventsourcing library and its ProjectionRunner, a process each.

`python -m tools.bench.eventsourcing_projection_peer` takes its job as a line of JSON. "write" saves the table's rounds
through the library's own application and recorder, a round a transaction. "project" runs the projection until its input
closes.
"""

import sys
import time
from typing import Any, Literal
from uuid import UUID

import msgspec
from eventsourcing.application import Application
from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresDatastore, PostgresTrackingRecorder
from eventsourcing.projection import Projection, ProjectionRunner
from psycopg.sql import SQL

from tools.bench import generated_roulette_actions
from tools.bench.desk_writer_process import Wrote, tell
from tools.bench.eventsourcing_aggregate_peer import SessionAggregate, retell
from tools.bench.stock_eventsourcing_recorder import stock_values

COUNTS = "bench_counts"


class TableDaysApplication(Application[UUID]):
    """The tables' days."""


class KindCountRecorder(PostgresTrackingRecorder):
    """How often each kind of event happened at each table, and the money in it; one row a table and kind."""

    def __init__(self, datastore: PostgresDatastore, **kwargs: Any) -> None:
        super().__init__(datastore, **kwargs)
        self.sql_create_statements.append(
            SQL(
                f"CREATE TABLE IF NOT EXISTS {COUNTS} "
                "(day uuid, kind text, number bigint, amount_minor bigint, PRIMARY KEY (day, kind))"
            ).format()
        )

    def add(self, day: UUID, kind: str, amount_minor: int, tracking: Tracking) -> None:
        """Count one event; the library's way is a transaction an event, which moves the tracking too."""
        with self.datastore.transaction(commit=True) as curs:
            self._insert_tracking(curs, tracking)
            curs.execute(
                f"INSERT INTO {COUNTS} AS c VALUES (%s, %s, 1, %s) ON CONFLICT (day, kind) DO UPDATE "
                "SET number = c.number + 1, amount_minor = c.amount_minor + excluded.amount_minor",
                (day, kind, amount_minor),
            )


class CountEvents(Projection[KindCountRecorder]):
    """Counts everything."""

    name = "counts"

    def process_event(self, domain_event: Any, tracking: Tracking) -> None:
        amount = getattr(domain_event, "amount_minor", 0)
        self.view.add(domain_event.originator_id, type(domain_event).__name__, amount, tracking)


class ProjectionPeerJob(msgspec.Struct, frozen=True):
    """`what` to do on the database at `url`; `events`: how many to write, at so many tables."""

    what: Literal["write", "project"]
    url: str
    events: int = 0
    tables: int = 20


def write(job: ProjectionPeerJob) -> None:
    """Rounds of every table in turn, each saved by one call, which is one transaction."""
    application = TableDaysApplication(stock_values(job.url))
    rows = generated_roulette_actions.sample().rows
    days = [
        SessionAggregate(name, generated_roulette_actions.DAY)
        for name in generated_roulette_actions.names("R", job.tables)
    ]
    began, events = time.monotonic(), 0
    while events < job.events:
        for day in days:
            events += retell(day, rows)
            application.save(day)
    position = application.recorder.max_notification_id() or 0
    tell(Wrote(events, began, time.monotonic(), position))
    application.close()


def project(job: ProjectionPeerJob) -> None:
    """Until the input closes."""
    with ProjectionRunner(
        application_class=TableDaysApplication,
        projection_class=CountEvents,
        view_class=KindCountRecorder,
        env=stock_values(job.url),
    ) as runner:
        tell("ready")
        sys.stdin.buffer.read()
        assert not runner.is_interrupted.is_set(), "the projection ended by itself"


def main() -> None:
    """Do the job that stands on the first line."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=ProjectionPeerJob)
    {"write": write, "project": project}[job.what](job)


if __name__ == "__main__":
    main()
