"""Compared software, as its authors write it or as near to that as can run here."""

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db import connections, models, transaction

from events.store import Stored
from events.store.postgres_session_settings import connect
from tests.support.processes.scratch_databases import read_models
from tools.bench.measurement_servers import MeasurementServers
from tools.bench.stock_eventsourcing_recorder import Stock, Writer


class StoredEventRecord(models.Model):
    """The table of eventsourcing-django 0.6 (`eventsourcing_django.models`)."""

    id = models.BigAutoField(primary_key=True)
    application_name = models.CharField(max_length=32)
    originator_id = models.UUIDField()
    originator_version = models.BigIntegerField()
    topic = models.TextField()
    state = models.BinaryField()

    class Meta:
        app_label = "bench"
        db_table = "stored_events"
        unique_together = (("application_name", "originator_id", "originator_version"), ("application_name", "id"))

    def __str__(self) -> str:
        return f"{self.originator_id} {self.originator_version}"


class RowByRow:
    """Saving as eventsourcing-django 0.6 does (`eventsourcing_django.recorders`, `insert_events`).

    A transaction, an exclusive lock on the table, then `save()` of one model instance after the other. It cannot be
    installed beside eventsourcing 9.5, and is written again here from its source. The encoding of the events, which
    it would do besides, is not counted.
    """

    def __init__(self, using: str) -> None:
        self._using = using
        with connections[using].schema_editor() as editor:
            editor.create_model(StoredEventRecord)

    def writer(self, name: str) -> Writer:
        """Writes to a stream of its own. For one thread."""
        originator, version = uuid5(NAMESPACE_URL, name), itertools.count(1)

        def write(rows: Sequence[Stored]) -> int:
            events = [(originator, next(version), row.type, row.raw) for row in rows]
            with transaction.atomic(using=self._using):
                connections[self._using].cursor().execute("LOCK TABLE stored_events IN EXCLUSIVE MODE")
                self._save(events)
            return len(rows)

        return write

    def _save(self, events: Sequence[tuple[UUID, int, str, bytes]]) -> None:
        records = [
            StoredEventRecord(
                application_name="bench", originator_id=originator, originator_version=version, topic=topic, state=state
            )
            for originator, version, topic, state in events
        ]
        for record in records:
            record.save(using=self._using)

    def done(self) -> None:
        """This thread's connection is not needed any more."""
        connections[self._using].close()


@contextlib.contextmanager
def row_by_row(parts: MeasurementServers) -> Iterator[RowByRow]:
    """On a database of its own."""
    with parts.database() as url, read_models(url) as using:
        yield RowByRow(using)


class BareInsertStore:
    """A bare multi-row INSERT, one statement and transaction, into a table with the indexes that a store needs."""

    _COLUMNS = "(originator_id, originator_version, topic, state)"

    def __init__(self, url: str) -> None:
        self._connection = connect(url, autocommit=True)
        self._connection.execute(
            "CREATE TABLE raw_events (originator_id text NOT NULL, originator_version bigint NOT NULL, "
            "topic text NOT NULL, state bytea NOT NULL, notification_id bigserial NOT NULL UNIQUE, "
            "PRIMARY KEY (originator_id, originator_version))"
        )
        self._version = itertools.count(1)

    def write(self, rows: Sequence[Stored]) -> int:
        marks = ", ".join(["(%s, %s, %s, %s)"] * len(rows))
        values = [value for row in rows for value in (row.stream, next(self._version), row.type, row.raw)]
        self._connection.execute(
            f"INSERT INTO raw_events {self._COLUMNS} VALUES {marks}".encode(), values, prepare=True, binary=True
        )
        return len(rows)

    def close(self) -> None:
        self._connection.close()


@contextlib.contextmanager
def raw(parts: MeasurementServers) -> Iterator[BareInsertStore]:
    """On a database of its own."""
    with parts.database() as url, contextlib.closing(BareInsertStore(url)) as log:
        yield log


@contextlib.contextmanager
def stock(parts: MeasurementServers) -> Iterator[Stock]:
    """On a database of its own."""
    with parts.database() as url, contextlib.closing(Stock(url)) as log:
        yield log
