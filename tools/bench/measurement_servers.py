"""Servers of a measurement: PostgreSQL with its default durability, Apache Kafka, Redis, and a house on them.

PITLEDGER_STORE and PITLEDGER_KAFKA may point to servers that run already. There, too, the bench makes its own databases
and a topic, and removes them again.
"""

import contextlib
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import LiteralString, Protocol, Self
from urllib.parse import urlsplit, urlunsplit

import msgspec
from kafka.admin import KafkaAdminClient
from kafka.errors import UnknownTopicOrPartitionError
from psycopg import sql

from backoffice.installation.processes_in_start_order import processes
from backoffice.running import database_and_mail_settings
from backoffice.running.supervisor import Supervisor
from events.errors import Conflict
from events.relay.event_topic_reader_and_setup import TOPIC
from events.store import EventStore, open_store
from events.store.postgres_session_settings import connect
from tests.servers import ApacheKafka, PostgreSQL, Redis, free_port, suite_requirements
from tests.support.processes.scratch_databases import read_models
from tools.bench.generated_roulette_actions import PROPERTY

STOP_S = 60.0


class Databases(Protocol):
    """Maker of databases."""

    def new_database(self) -> str:
        """Create an empty database and return its URL."""

    def drop_database(self, url: str) -> None:
        """Drop it, with the sessions that are still in it."""


class GivenPostgreSQL:
    """A server that another person runs, at the URL of one of its databases, which itself is left alone."""

    def __init__(self, url: str) -> None:
        self._url = url

    def new_database(self) -> str:
        name = f"pitledger_bench_{secrets.token_hex(6)}"
        self._run("CREATE DATABASE {}", name)
        parts = urlsplit(self._url)
        return urlunsplit((parts.scheme, parts.netloc, f"/{name}", parts.query, ""))

    def drop_database(self, url: str) -> None:
        self._run("DROP DATABASE IF EXISTS {} WITH (FORCE)", urlsplit(url).path.lstrip("/"))

    def _run(self, statement: LiteralString, name: str) -> None:
        with connect(self._url, autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(sql.Identifier(name)))


NOWHERE = "127.0.0.1:9"  # the address of no broker


class MeasurementServers:
    """Servers, each started when it is first asked for; inside `with`."""

    def __init__(self, given_urls: Mapping[str, str]) -> None:
        """`given_urls`: the environment, for PITLEDGER_STORE and PITLEDGER_KAFKA."""
        self._stack = contextlib.ExitStack()
        store, kafka = given_urls.get("PITLEDGER_STORE", ""), given_urls.get("PITLEDGER_KAFKA", "")
        self._databases: Databases | None = GivenPostgreSQL(store) if store.startswith("postgres") else None
        self._given_kafka = kafka if kafka != "embedded" else ""
        self._kafka = ""
        self._redis: Redis | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    @contextlib.contextmanager
    def database(self) -> Iterator[str]:
        """An empty PostgreSQL database; gives its URL."""
        if self._databases is None:
            _require("postgres")
            self._databases = self._stack.enter_context(PostgreSQL(durable=True))
        url = self._databases.new_database()
        try:
            yield url
        finally:
            self._databases.drop_database(url)

    @contextlib.contextmanager
    def store(self) -> Iterator[EventStore]:
        """An empty event store on PostgreSQL."""
        with self.database() as url, contextlib.closing(open_store(url)) as store:
            store.create()
            yield store

    @contextlib.contextmanager
    def topic(self) -> Iterator[str]:
        """Kafka without our topic; gives its address. Raises Conflict where the topic was there before us."""
        if not self._kafka:
            self._start_kafka()
        try:
            yield self._kafka
        finally:
            _forget_topic(self._kafka)

    def _start_kafka(self) -> None:
        if self._given_kafka:
            if _has_topic(self._given_kafka):
                raise Conflict(f"{TOPIC} is on {self._given_kafka} already: the bench needs a Kafka of its own")
            self._kafka = self._given_kafka
            return
        _require("kafka")
        self._kafka = self._stack.enter_context(ApacheKafka()).bootstrap

    def redis(self) -> str:
        """The URL of an empty Redis."""
        if self._redis is None:
            _require("redis")
            self._redis = self._stack.enter_context(Redis())
        self._redis.flush()
        return self._redis.url

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """A data folder."""
        folder = Path(tempfile.mkdtemp(prefix="pitledger-bench-"))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextlib.contextmanager
    def house(self, celery: str = "filesystem", *, with_topic: bool = True) -> Iterator["MeasuredHouse"]:
        """A house on PostgreSQL and Kafka (`with_topic`), all tables made, nothing running yet."""
        with contextlib.ExitStack() as stack:
            data = stack.enter_context(self.folder())
            store, read_url = stack.enter_context(self.database()), stack.enter_context(self.database())
            kafka = stack.enter_context(self.topic()) if with_topic else NOWHERE
            stack.enter_context(house_environment(data, store, read_url, kafka, celery))
            using = stack.enter_context(read_models(read_url))
            event_store = stack.enter_context(contextlib.closing(open_store(store)))
            event_store.create()
            yield MeasuredHouse(data, store, read_url, kafka, using, event_store)


class MeasuredHouse(msgspec.Struct, frozen=True):
    """Where a house lies: data folder, URLs, Django's alias of the read models, the store."""

    data: Path
    store_url: str
    read_url: str
    kafka: str
    using: str
    store: EventStore

    @contextlib.contextmanager
    def running(self, *names: str) -> Iterator[int]:
        """These processes of the product, as `up` starts them; gives the port of the pages."""
        port = free_port()
        log = self.data / "processes.log"
        with log.open("a") as output:
            supervisor = Supervisor(
                processes(self.kafka, port, self.data),
                self.data,
                names_started=names,
                output=output,
                cwd=database_and_mail_settings.ROOT,
            )
            with supervisor:
                yield port

    def logged(self) -> str:
        """The last lines of the processes' logs."""
        log = self.data / "processes.log"
        return "\n".join(log.read_text(errors="replace").splitlines()[-30:]) if log.exists() else ""


@contextlib.contextmanager
def child(module: str, job: msgspec.Struct) -> Iterator["subprocess.Popen[bytes]"]:
    """A process of the bench's own, `python -m module`, with its job in JSON on its input; ended at the end."""
    running = subprocess.Popen(
        [sys.executable, "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=database_and_mail_settings.ROOT,
        start_new_session=True,
    )
    assert running.stdin is not None
    assert running.stdout is not None
    try:
        running.stdin.write(msgspec.json.encode(job) + b"\n")
        running.stdin.flush()
        yield running
    finally:
        running.stdin.close()
        try:
            running.wait(STOP_S)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
        running.stdout.close()


def next_line(running: "subprocess.Popen[bytes]") -> bytes:
    """The child's next line. Raises RuntimeError where it ended instead."""
    assert running.stdout is not None
    line = running.stdout.readline()
    if not line:
        raise RuntimeError(f"a process of the bench ended with exit code {running.wait(STOP_S)}")
    return line


@contextlib.contextmanager
def house_environment(data: Path, store: str, read_url: str, kafka: str, celery: str) -> Iterator[None]:
    """The variables of the product, for the processes that are started meanwhile."""
    values = {
        "PITLEDGER_DATA": str(data),
        "PITLEDGER_PROPERTY": PROPERTY,
        "PITLEDGER_STORE": store,
        "PITLEDGER_READ": read_url,
        "PITLEDGER_KAFKA": kafka,
        "PITLEDGER_CELERY": celery,
        "DJANGO_SETTINGS_MODULE": "backoffice.settings",
        "PITLEDGER_LIMIT_BADGE": "1e6",  # one dealer plays all tables, as quickly as the house can
        "PITLEDGER_LIMIT_DEVICE": "1e6",
    }
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _require(marker: str) -> None:
    need = suite_requirements.NEEDS[marker]
    if not need.is_installed():
        raise MissingPart(f"{need.what} is missing: {suite_requirements.how_to_have(need)}")


class MissingPart(Exception):
    """A measurement cannot be done on this machine; the message names the missing part."""


def _has_topic(bootstrap: str) -> bool:
    with contextlib.closing(KafkaAdminClient(bootstrap_servers=bootstrap)) as admin:
        return TOPIC in admin.list_topics()


def _forget_topic(bootstrap: str) -> None:
    with contextlib.closing(KafkaAdminClient(bootstrap_servers=bootstrap)) as admin:
        while TOPIC in admin.list_topics():
            with contextlib.suppress(UnknownTopicOrPartitionError):
                admin.delete_topics([TOPIC])
