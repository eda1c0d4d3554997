"""The same day on PostgreSQL, Redis and Apache Kafka as on the embedded parts; and never into a house that is used."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from events.store.in_memory_store import MemoryStore
from tests.integration.system.running_house import Installation, installation
from tests.support.processes.relays_and_topic_readers import relayed, relaying, spin

SEED, HOURS = 7, 0.25
DAY = ("demo", "--seed", str(SEED), "--hours", str(HOURS))
DEMO_S = 400.0


@pytest.fixture
def on_servers(
    tmp_path: Path,
    free_port: Callable[[], int],
    new_database: Callable[[], str],
    redis_url: str,
    kafka_bootstrap: str,
) -> Iterator[Installation]:
    """An installation whose settings name servers only."""
    bases = {name: new_database() for name in ("STORE", "READ", "ACCESS")}
    servers = {**bases, "CELERY": redis_url, "KAFKA": kafka_bootstrap}
    with installation(tmp_path / "data", free_port(), SWEEP_S="1", **servers) as running:
        yield running


def test_the_day_on_servers_has_the_books_of_the_embedded_day(
    on_servers: Installation, expected: Callable[..., str]
) -> None:
    done = on_servers.manage(*DAY, "--data", str(on_servers.data), timeout_s=DEMO_S)
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr
    assert "Every invariant holds." in done.stdout
    counted = re.search(r"Events in the store ([\d,]+); distinct ids .* on the topic ([\d,]+)\.", done.stdout)
    assert counted is not None
    assert counted[1] == counted[2] != "0"
    assert on_servers.manage("books", "--digest").stdout.strip() == expected(SEED, HOURS, closed=True)
    assert not list(on_servers.data.glob("*.sqlite3")), "something went into a file"
    assert on_servers.left() == {}

    again = on_servers.manage(*DAY, "--data", str(on_servers.data))
    assert again.returncode == 1
    assert "the event store (PITLEDGER_STORE) holds events already" in again.stderr
    assert on_servers.manage("books", "--digest").stdout.strip() == expected(SEED, HOURS, closed=True)


def test_the_embedded_day_has_the_books_of_an_undisturbed_one(
    tmp_path: Path, free_port: Callable[[], int], expected: Callable[..., str]
) -> None:
    with installation(tmp_path / "data", free_port(), SWEEP_S="1") as here:
        completed = here.manage(*DAY, "--data", str(here.data), timeout_s=DEMO_S)
        assert completed.returncode == 0, completed.stdout[-3_000:] + completed.stderr
        assert here.manage("books", "--digest").stdout.strip() == expected(SEED, HOURS, closed=True)
        assert here.left() == {}


def test_another_stores_topic_is_refused_before_anything_is_written(
    tmp_path: Path, free_port: Callable[[], int], kafka_bootstrap: str
) -> None:
    store = MemoryStore()
    spin(store, 3)
    with relaying(store, kafka_bootstrap) as relay:
        relayed(relay, store)
    with installation(tmp_path / "data", free_port(), KAFKA=kafka_bootstrap) as here:
        completed = here.manage(*DAY, "--data", str(here.data), timeout_s=DEMO_S)
        assert completed.returncode == 1
        assert "the topic pitledger.events (PITLEDGER_KAFKA) holds events already" in completed.stderr
        assert here.left() == {}
