"""The bare pipeline that the bench compares with brings every event to its reader."""

import queue
from collections.abc import Callable

import msgspec
import psycopg
import pytest

from tools.bench import pipeline, play
from tools.bench.parts import child, said
from tools.bench.pipeline import Asked, Job
from tools.bench.watch import Watch
from tools.bench.writer import Sent, Wrote

ROUNDS = 3
EVENTS = ROUNDS * play.EVENTS_A_ROUND


def test_what_waits_is_taken_together_and_an_end_is_seen_wherever_it_stands() -> None:
    requests = [Asked(rows, 0.0) for rows in play.sample().groups]
    waiting: queue.SimpleQueue[Asked | None] = queue.SimpleQueue()
    for request in (*requests, None):
        waiting.put(request)
    assert list(pipeline._taken(waiting)) == [requests]
    waiting.put(None)
    assert list(pipeline._taken(waiting)) == []


@pytest.mark.parametrize("rate", [0, 2_000])
def test_every_event_comes_through(new_database: Callable[[], str], kafka_bootstrap: str, rate: int) -> None:
    store, read = new_database(), new_database()
    pipeline.furnish(store, read, kafka_bootstrap)
    write = Job("write", store, prefix="T", events=EVENTS, rate=rate)
    with (
        child("tools.bench.pipeline", Job("project", read, kafka_bootstrap)) as projecting,
        child("tools.bench.pipeline", Job("relay", store, kafka_bootstrap)) as relaying,
        child("tools.bench.pipeline", write) as writing,
        Watch(read, pipeline.READ) as watch,
    ):
        assert [said(each).strip() for each in (projecting, relaying, writing)] == [b'"ready"'] * 3
        assert writing.stdin is not None
        writing.stdin.write(b"\n\n")
        writing.stdin.flush()
        wrote = msgspec.json.decode(said(writing), type=Wrote)
        sent = msgspec.json.decode(said(writing), type=list[Sent])
        watch.wait_for(wrote.position)
        delays, _ = watch.latencies(sent)
    assert wrote.events == len(delays) == EVENTS
    assert min(delays) >= 0
    with psycopg.connect(read) as connection:
        assert connection.execute("SELECT count(*), max(position) FROM bare_log").fetchone() == (EVENTS, EVENTS)
