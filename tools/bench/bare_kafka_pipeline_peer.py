"""The bare pipeline: cost of the whole way with the same servers and drivers, without the project's code.

`python -m tools.bench.bare_kafka_pipeline_peer` takes its job as a line of JSON. "write" puts ready-made events into a
table, "relay" sends them by kafka-python, "project" copies them into another table. The pipeline does not decide,
check, chain, deduplicate or separate. It has one writer, one relay and one reader, and handles no failure.
"""

import queue
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import Any, Literal

import msgspec
import psycopg
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient

from events.store import MAX_BATCH, Stored
from events.store.postgres_session_settings import connect
from tools.bench import generated_roulette_actions
from tools.bench.desk_writer_process import SentRequest, Wrote, tell

TOPIC = "bench.bare"
PAUSE_S = 0.001  # until one looks again who has found nothing
POLL_MS = 100
READ = "SELECT position FROM bare_reader"
STORE = (
    "CREATE TABLE bare_events (id bigserial UNIQUE, stream text, version bigint, type text, raw bytea, "
    "PRIMARY KEY (stream, version))"
)
MODEL = (
    "CREATE TABLE bare_log (position bigint PRIMARY KEY, stream text, raw bytea)",
    "CREATE TABLE bare_reader AS SELECT 0::bigint AS position",
)
INSERT = (
    "INSERT INTO bare_events (stream, version, type, raw) "
    "SELECT * FROM unnest(%b::text[], %b::bigint[], %b::text[], %b::bytea[]) RETURNING id"
)
AFTER = "SELECT id, stream, raw FROM bare_events WHERE id > %s ORDER BY id LIMIT 1000"


class PeerPipelineJob(msgspec.Struct, frozen=True):
    """`rate`: events a second, each action an answer of its own (0: as fast as it goes, by rounds)."""

    what: Literal["write", "relay", "project"]
    url: str
    kafka: str = ""
    prefix: str = ""
    events: int = 0
    rate: int = 0


class DueEvents(msgspec.Struct, frozen=True):
    """Events that are to be stored, and when that was due."""

    rows: Sequence[Stored]
    due: float


def furnish(store: str, read_url: str, kafka: str) -> None:
    """Tables and the topic."""
    for url, statements in ((store, (STORE,)), (read_url, MODEL)):
        with connect(url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())
    admin = KafkaAdminClient(bootstrap_servers=kafka)
    admin.create_topics({TOPIC: {"num_partitions": 1, "replication_factor": 1, "configs": {}}})
    admin.close()


# --- write ------------------------------------------------------------------------------------------------------------


def write(job: PeerPipelineJob) -> None:
    """Report readiness, begin on a line of input, report the work done, and on another line every request."""
    waiting: queue.SimpleQueue[DueEvents | None] = queue.SimpleQueue()
    groups = _groups(job)
    with connect(job.url, autocommit=True) as connection:
        tell("ready")
        sys.stdin.buffer.readline()
        began = time.monotonic()
        offering = threading.Thread(target=_offer, args=(groups, waiting, began, job.rate), daemon=True)
        offering.start()
        sent_groups = list(_stored(connection, waiting, job.prefix))
    wrote = Wrote(sum(each.events for each in sent_groups), began, sent_groups[-1].answered, sent_groups[-1].position)
    tell(wrote)
    if sys.stdin.buffer.readline():
        tell(sent_groups)


def _groups(job: PeerPipelineJob) -> list[Sequence[Stored]]:
    """Return the events requested at once: an action's events at a rate, else a round's."""
    sample = generated_roulette_actions.sample()
    parts: Sequence[Sequence[Stored]] = sample.groups if job.rate else [sample.rows]
    rounds = -(-job.events // generated_roulette_actions.EVENTS_A_ROUND)
    return [group for _ in range(rounds) for group in parts]


def _offer(
    groups: Sequence[Sequence[Stored]], waiting: "queue.SimpleQueue[DueEvents | None]", began: float, rate: int
) -> None:
    """Each group when it is due; all at once without a rate."""
    for number, rows in enumerate(groups):
        due = began + (
            number * generated_roulette_actions.EVENTS_A_ROUND / generated_roulette_actions.ACTIONS_A_ROUND / rate
            if rate
            else 0.0
        )
        if (early := due - time.monotonic()) > 0:
            time.sleep(early)
        waiting.put(DueEvents(rows, due))
    waiting.put(None)


def _stored(
    connection: "psycopg.Connection[Any]", waiting: "queue.SimpleQueue[DueEvents | None]", stream: str
) -> Iterator[SentRequest]:
    """Everything that waits in one INSERT and transaction, at most MAX_BATCH events; each request when it is stored."""
    versions = count(1)
    for batch in _taken(waiting):
        rows = [row for due_events in batch for row in due_events.rows]
        columns = [stream] * len(rows), [next(versions) for _ in rows]
        values = (*columns, [row.type for row in rows], [row.raw for row in rows])
        positions = iter(connection.execute(INSERT.encode(), values, prepare=True).fetchall())
        answered = time.monotonic()
        for due_events in batch:
            last = [next(positions)[0] for _ in due_events.rows][-1]
            yield SentRequest(last, len(due_events.rows), due_events.due, answered)


def _taken(waiting: "queue.SimpleQueue[DueEvents | None]") -> Iterator[list[DueEvents]]:
    """Yield the waiting items, repeatedly, until None comes."""
    latest: DueEvents | None = DueEvents((), 0.0)
    while latest is not None:
        batch: list[DueEvents] = []
        size = 0
        while size + generated_roulette_actions.EVENTS_A_ROUND <= MAX_BATCH and not (batch and waiting.empty()):
            if (latest := waiting.get()) is None:
                break
            batch.append(latest)
            size += len(latest.rows)
        if batch:
            yield batch


# --- relay and project ------------------------------------------------------------------------------------------------


def relay(job: PeerPipelineJob) -> None:
    """Send the rows of the table to the topic, until the input closes."""
    stop = _until_closed()
    producer = KafkaProducer(bootstrap_servers=job.kafka, acks="all")
    with connect(job.url, autocommit=True) as connection:
        [(position,)] = connection.execute("SELECT COALESCE(max(id), 0) FROM bare_events").fetchall()
        tell("ready")
        while not stop.is_set():
            rows = connection.execute(AFTER.encode(), (position,), prepare=True, binary=True).fetchall()
            for id_, stream, raw in rows:
                producer.send(TOPIC, key=stream.encode(), value=raw, headers=[("position", b"%d" % id_)])
                position = id_
            producer.flush()
            if not rows:
                time.sleep(PAUSE_S)


def project(job: PeerPipelineJob) -> None:
    """Copy the topic into the log, with the position in the same transaction, until the input closes."""
    stop, place = _until_closed(), TopicPartition(TOPIC, 0)
    consumer = KafkaConsumer(bootstrap_servers=job.kafka, enable_auto_commit=False, max_poll_records=MAX_BATCH)
    consumer.assign([place])
    consumer.seek_to_end(place)
    consumer.position(place)
    with connect(job.url) as connection:
        connection.execute("SET synchronous_commit = off")
        tell("ready")
        while not stop.is_set():
            if records := list(chain.from_iterable(consumer.poll(timeout_ms=POLL_MS).values())):
                _copy(connection, records)


def _copy(connection: "psycopg.Connection[Any]", records: Sequence[Any]) -> None:
    position = 0
    with connection.cursor().copy("COPY bare_log FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(["bigint", "text", "bytea"])
        for record in records:
            position = int(dict(record.headers)["position"])
            copy.write_row((position, record.key.decode(), record.value))
    connection.execute("UPDATE bare_reader SET position = %s", (position,), prepare=True)
    connection.commit()


def _until_closed() -> threading.Event:
    """Set when the input closes."""
    stop = threading.Event()

    def wait() -> None:
        sys.stdin.buffer.read()
        stop.set()

    threading.Thread(target=wait, daemon=True).start()
    return stop


def main() -> None:
    """Do the job that stands on the first line."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=PeerPipelineJob)
    {"write": write, "relay": relay, "project": project}[job.what](job)


if __name__ == "__main__":
    main()
