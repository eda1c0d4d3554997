"""The test servers answer, restart with their data, and leave no process or file."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
import redis
from kafka import KafkaProducer
from kafka.admin import KafkaAdminClient, NewTopic

from events.relay.leak_free_kafka_clients import connected
from tests import servers
from tests.servers import ports

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHECKOUT = Path(__file__).parents[2]
GONE_S = 60


def test_each_database_is_empty_and_another(new_database: Callable[[], str]) -> None:
    first, second = new_database(), new_database()
    with psycopg.connect(first) as connection:
        connection.execute("CREATE TABLE slip (number int)")
    with psycopg.connect(second) as connection:
        assert connection.execute("SELECT to_regclass('slip')").fetchone() == (None,)


def test_a_database_asks_for_its_password(postgres_url: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(postgres_url, password="guessed").close()


@pytest.mark.parametrize("turn", [1, 2])
def test_redis_is_empty_for_every_test(redis_url: str, turn: int) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        client.set("slip", turn)
        assert client.get("slip") == str(turn).encode()


def make_topic(bootstrap: str, name: str) -> None:
    admin = connected(KafkaAdminClient, bootstrap)
    admin.create_topics([NewTopic(name, num_partitions=1, replication_factor=1)])
    admin.close()


def produce(bootstrap: str, topic: str, values: list[bytes]) -> None:
    producer = connected(KafkaProducer, bootstrap, acks="all", enable_idempotence=True)
    sent = [producer.send(topic, value=value, key=b"athens/tables/1") for value in values]
    assert [future.get(timeout=60).offset for future in sent] == list(range(len(values)))
    producer.close()


def consume_with_kcat(kcat: str, bootstrap: str, topic: str) -> list[str]:
    command = [kcat, "-C", "-b", bootstrap, "-t", topic, "-o", "beginning", "-e", "-q", "-f", "%k %o %s\n"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()


@pytest.mark.parametrize("turn", [1, 2])
def test_what_is_produced_is_read_by_a_foreign_client(kafka_bootstrap: str, kcat_path: str, turn: int) -> None:
    make_topic(kafka_bootstrap, "pitledger.events")  # each test may use the one name that the product uses
    produce(kafka_bootstrap, "pitledger.events", [b"%d" % (number * turn) for number in range(100)])
    expected = [f"athens/tables/1 {number} {number * turn}" for number in range(100)]
    assert consume_with_kcat(kcat_path, kafka_bootstrap, "pitledger.events") == expected


def test_a_port_is_reserved_for_one_process_until_it_ends() -> None:
    """A server binds its port later, and a killed one is started on it again."""
    ask = "import sys; from tests.servers import ports; print(ports._reserve(int(sys.argv[1])), ports.free_port())"
    command = [sys.executable, "-c", ask, str(ports.free_port())]
    answer, port = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout.split()
    assert answer == "False"
    assert ports._reserve(int(port))


@pytest.mark.redis
def test_a_killed_redis_starts_again_on_its_port() -> None:
    with servers.Redis() as server:
        port, first = server.port, server.pid
        server.kill()
        assert ports.is_free(port)
        server.start()
        assert (server.port, server.pid == first) == (port, False)
        assert server.answers()
    assert ports.is_free(port)


@pytest.mark.postgres
def test_a_stopped_postgres_starts_again_with_its_data() -> None:
    with servers.PostgreSQL() as server:
        url, folder = server.new_database(), server.folder
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE slip AS SELECT 7 AS number")
        server.stop()
        server.start()
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT number FROM slip").fetchone() == (7,)
    assert not folder.exists()


def test_a_browser_shows_a_page(browser: "Browser") -> None:
    page = browser.new_page()
    page.set_content("<button onclick='this.textContent = \"Rien ne va plus\"'>Faites vos jeux</button>")
    page.get_by_role("button").click()
    assert page.get_by_role("button").inner_text() == "Rien ne va plus"
    assert len(page.screenshot()) > 1000


class Deaf(servers.Redis):
    """A server whose program listens but never answers."""

    ready_s = 0.5
    folders: list[Path]

    def answers(self) -> bool:
        self.folders = [self.folder]
        return False


@pytest.mark.redis
def test_a_server_that_never_answers_is_ended_at_its_deadline() -> None:
    server = Deaf()
    with pytest.raises(servers.ServerNotReady, match=r"did not answer within 0\.5 s"):
        server.start()
    assert not server.folders[0].exists()
    assert ports.is_free(server.port)


class Broken(servers.Redis):
    """A server whose program refuses to start."""

    def command(self) -> list[str]:
        return [*super().command(), "--no-such-setting", "1"]


class HeardLate(Broken):
    """The same, and the test listens only when both its start and its end were told."""

    ready_s = 5.0

    def _await_ready(self) -> None:
        time.sleep(1.0)
        super()._await_ready()


@pytest.mark.redis
@pytest.mark.parametrize("server", [Broken, HeardLate])
def test_a_server_that_ends_at_once_says_why(server: type[Broken]) -> None:
    with pytest.raises(servers.ServerDied, match="no-such-setting"):
        server().start()


CLIENT = """
import sys, time
from tests.servers import PostgreSQL, Redis
with Redis() as redis, PostgreSQL() as postgres:
    print(redis.port, redis.folder, postgres.port, postgres.folder, flush=True)
    if sys.argv[1] == "fail":
        raise RuntimeError("the test failed")
    time.sleep(60)
"""


@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.parametrize("way", ["fail", "SIGINT", "SIGTERM", "SIGKILL"])
def test_nothing_is_left_whatever_ends_the_test_run(way: str) -> None:
    command = [sys.executable, "-c", CLIENT, way]
    with subprocess.Popen(
        command, cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as client:
        assert client.stdout is not None
        redis_port, redis_folder, postgres_port, postgres_folder = client.stdout.readline().split()
        if way != "fail":
            os.kill(client.pid, signal.Signals[way])
        client.wait(GONE_S)
    deadline = time.monotonic() + GONE_S
    while time.monotonic() < deadline and (
        any(Path(folder).exists() for folder in (redis_folder, postgres_folder))
        or not all(ports.is_free(int(port)) for port in (redis_port, postgres_port))
    ):
        time.sleep(0.05)
    assert not Path(redis_folder).exists()
    assert not Path(postgres_folder).exists()
    assert ports.is_free(int(redis_port))
    assert ports.is_free(int(postgres_port))
