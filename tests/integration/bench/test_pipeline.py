"""The bare pipeline that the bench compares with brings every event to its reader."""

import queue
from collections.abc import Callable

import msgspec
import psycopg
import pytest

from tools.bench import bare_kafka_pipeline_peer, generated_roulette_actions
from tools.bench.bare_kafka_pipeline_peer import DueEvents, PeerPipelineJob
from tools.bench.desk_writer_process import SentRequest, Wrote
from tools.bench.measurement_servers import child, next_line
from tools.bench.read_model_position_polling import Watch

ROUNDS = 3
EVENTS = ROUNDS * generated_roulette_actions.EVENTS_A_ROUND


def test_what_waits_is_taken_together_and_an_end_is_seen_wherever_it_stands() -> None:
    requests = [DueEvents(rows, 0.0) for rows in generated_roulette_actions.sample().groups]
    waiting: queue.SimpleQueue[DueEvents | None] = queue.SimpleQueue()
    for request in (*requests, None):
        waiting.put(request)
    assert list(bare_kafka_pipeline_peer._taken(waiting)) == [requests]
    waiting.put(None)
    assert list(bare_kafka_pipeline_peer._taken(waiting)) == []


@pytest.mark.parametrize("rate", [0, 2_000])
def test_every_event_comes_through(new_database: Callable[[], str], kafka_bootstrap: str, rate: int) -> None:
    store, read = new_database(), new_database()
    bare_kafka_pipeline_peer.furnish(store, read, kafka_bootstrap)
    write = PeerPipelineJob("write", store, prefix="T", events=EVENTS, rate=rate)
    with (
        child("tools.bench.bare_kafka_pipeline_peer", PeerPipelineJob("project", read, kafka_bootstrap)) as projecting,
        child("tools.bench.bare_kafka_pipeline_peer", PeerPipelineJob("relay", store, kafka_bootstrap)) as relaying,
        child("tools.bench.bare_kafka_pipeline_peer", write) as writing,
        Watch(read, bare_kafka_pipeline_peer.READ) as watch,
    ):
        assert [next_line(each).strip() for each in (projecting, relaying, writing)] == [b'"ready"'] * 3
        assert writing.stdin is not None
        writing.stdin.write(b"\n\n")
        writing.stdin.flush()
        wrote = msgspec.json.decode(next_line(writing), type=Wrote)
        sent = msgspec.json.decode(next_line(writing), type=list[SentRequest])
        watch.wait_for(wrote.position)
        delays, _ = watch.latencies(sent)
    assert wrote.events == len(delays) == EVENTS
    assert min(delays) >= 0
    with psycopg.connect(read) as connection:
        assert connection.execute("SELECT count(*), max(position) FROM bare_log").fetchone() == (EVENTS, EVENTS)
