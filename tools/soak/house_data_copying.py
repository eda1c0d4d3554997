"""Places of a house's data, in its data folder or on servers, with copying and restoring."""

import contextlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import psycopg
from psycopg import sql

from backoffice.running import embedded_kafka_broker_process
from tests.integration.system.running_house import Installation
from tests.servers import ApacheKafka, PostgreSQL, Redis, Server, ServerDied

COMMAND_S = 240.0  # the machine may be busy
AGAIN_S = 60.0
READ = ("read.sqlite3", "read.sqlite3-wal", "read.sqlite3-shm")
_OF_HEAD = re.compile(r"in the event store: head (\d+)")


class DeploymentPlace(Protocol):
    """The differences between places. Copies are made while the house runs, and restored while it is stopped."""

    servers: Mapping[str, Server]

    def settings(self) -> dict[str, str]:
        """Of the house, beside those that are the same everywhere."""

    def store(self, here: Installation) -> str:
        """The URL of the event store."""

    def read(self, here: Installation) -> str:
        """The URL of the read models."""

    def kafka(self, here: Installation) -> str:
        """The broker's address."""

    def copy(self, here: Installation, to: Path) -> None:
        """A backup, as docs/howto/backup.md says."""

    def put_back(self, here: Installation, copy: Path) -> None:
        """The whole house as it was, and what people decide then."""

    def put_read_models_back(self, here: Installation, copy: Path) -> None:
        """Read models that are older than the events."""


def command_output(here: Installation, *command: str, ends_with: tuple[int, ...] = (0,)) -> str:
    """Return the output of the command."""
    completed = here.manage(*command, timeout_s=COMMAND_S)
    assert completed.returncode in ends_with, f"{command}: {completed.stdout}\n{completed.stderr}"
    return completed.stdout


class InFolder:
    """SQLite, the embedded broker and tasks in files."""

    servers: Mapping[str, Server] = {}

    def settings(self) -> dict[str, str]:
        return {}

    def store(self, here: Installation) -> str:
        return f"sqlite:///{here.data / 'events.sqlite3'}"

    def read(self, here: Installation) -> str:
        return f"sqlite:///{here.data / READ[0]}"

    def kafka(self, here: Installation) -> str:
        return embedded_kafka_broker_process.bootstrap(data=here.data)

    def copy(self, here: Installation, to: Path) -> None:
        command_output(here, "backup", str(to))

    def put_back(self, here: Installation, copy: Path) -> None:
        here.data.rename(here.data.with_name(f"lost-{time.time_ns()}"))
        shutil.copytree(copy, here.data)
        assert command_output(here, "verify", "--no-topic").rstrip().endswith("Everything holds.")

    def put_read_models_back(self, here: Installation, copy: Path) -> None:
        for name in READ:
            (here.data / name).unlink(missing_ok=True)
        shutil.copyfile(copy / READ[0], here.data / READ[0])


class OnServers:
    """PostgreSQL, Redis and Apache Kafka. The whole cluster is copied, and the read models with it once more."""

    def __init__(self, postgres: PostgreSQL, redis: Redis, kafka: ApacheKafka) -> None:
        self._postgres, self._redis, self._kafka = postgres, redis, kafka
        self.servers: Mapping[str, Server] = {server.name: server for server in (postgres, redis, kafka)}
        self._databases = {name: postgres.new_database() for name in ("STORE", "READ", "ACCESS")}

    def settings(self) -> dict[str, str]:
        return self._databases | {"CELERY": self._redis.url, "KAFKA": self._kafka.bootstrap}

    def store(self, here: Installation) -> str:
        return self._databases["STORE"]

    def read(self, here: Installation) -> str:
        return self._databases["READ"]

    def kafka(self, here: Installation) -> str:
        return self._kafka.bootstrap

    def copy(self, here: Installation, to: Path) -> None:
        command_output(here, "backup", str(to))  # the keys
        base, dump = self._copied_path(to, "base"), self._copied_path(to, "read")
        self._run("pg_dump", "--format=custom", f"--file={dump}", self.read(here))
        self._run("pg_basebackup", f"--pgdata={base}", "--checkpoint=fast", f"--dbname={self._postgres.url()}")

    def put_back(self, here: Installation, copy: Path) -> None:
        data = self._postgres.folder / "data"
        self._postgres.stop()
        data.rename(data.with_name(f"lost-{time.time_ns()}"))
        subprocess.run(["cp", "-a", str(self._copied_path(copy, "base")), str(data)], check=True)
        self._postgres.start()
        match = _OF_HEAD.search(command_output(here, "heads", ends_with=(0, 1)))
        command_output(here, "heads", "--accept-restored", match[1] if match else "0")
        command_output(here, "relay", "--empty-topic")
        assert command_output(here, "verify").rstrip().endswith("Everything holds.")

    def put_read_models_back(self, here: Installation, copy: Path) -> None:
        name = sql.Identifier(self.read(here).rsplit("/", 1)[1])
        with psycopg.connect(self._postgres.url(), autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
            connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
        self._run(
            "pg_restore",
            "--no-owner",
            "--exit-on-error",
            f"--dbname={self.read(here)}",
            str(self._copied_path(copy, "read")),
        )

    def _copied_path(self, copy: Path, what: str) -> Path:
        """Beside the cluster, where its user may write."""
        return self._postgres.folder / f"{copy.name}-{what}"

    def _run(self, program: str, *arguments: str) -> None:
        """One of PostgreSQL's own, as its own user."""
        server = self._postgres
        as_user: dict[str, Any] = (
            {} if server.uid is None else {"user": server.uid, "group": server.gid, "extra_groups": []}
        )
        folder = (server.home / "initdb").resolve().parent  # of which there may be a link
        command = [str(folder / program), *arguments]
        completed = subprocess.run(
            command, cwd=server.folder, env=os.environ, capture_output=True, text=True, check=False, **as_user
        )
        assert completed.returncode == 0, f"{program}: {completed.stderr}"


def restart(server: Server) -> None:
    """It is killed, and starts again once nothing of it runs any more."""
    server.kill()
    until = time.monotonic() + AGAIN_S
    while True:
        try:
            server.start()
            return
        except ServerDied:  # a process of the one that was killed still has the data
            server.stop()
            if time.monotonic() > until:
                raise


@contextlib.contextmanager
def on_servers() -> Iterator[DeploymentPlace]:
    """Servers of the evening's own."""
    with PostgreSQL() as postgres, Redis() as redis, ApacheKafka() as kafka:
        yield OnServers(postgres, redis, kafka)


@contextlib.contextmanager
def in_folder() -> Iterator[DeploymentPlace]:
    """Nothing but the house itself."""
    yield InFolder()
