"""A house in containers, made once for the tests of this folder."""

import json
import os
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from events.runtime import clock
from events.store import open_store
from tests.compose import standins
from tests.compose.docker import Docker, NoDaemonError, daemon
from tests.conftest import LEFT_OUT
from tests.support.houses.small_house import House

SECRETS = (
    "db_admin_password",
    "db_owner_password",
    "db_password",
    "secret_key",
    "case_key",
    "head_key",
    "observer_token",
)
PARTS = ("relay", "projector", "worker", "beat", "pages", "web", "live")
SERVERS = ("postgres", "redis", "kafka")
PEOPLE = ("dora", "ines")  # who work at the tables
BUILD_S, UP_S, COMMAND_S = 900.0, 600.0, 180.0
# The ports of the host may be taken: Docker chooses free ones.
OVERRIDE = """\
services:
  web: { ports: !override ["127.0.0.1:0:8000"] }
  live: { ports: !override ["127.0.0.1:0:8001"] }
"""
# Every process of the container but init and this one.
_HANG = """
import os, signal
for name in filter(str.isdigit, os.listdir("/proc")):
    if int(name) not in (1, os.getpid(), os.getppid()):
        os.kill(int(name), signal.SIGSTOP)
"""
TABLES = {
    "AR1": ("roulette", "roulette-american"),
    "BA1": ("baccarat", "baccarat"),
    "BA2": ("baccarat", "baccarat-no-commission"),
    "CR1": ("craps", "craps-gr"),
    "CR2": ("craps", "craps-by"),
}


class Compose:
    """docker-compose.yml as one project, with secrets and volumes of its own."""

    def __init__(self, docker: Docker, folder: Path, images: dict[str, str]) -> None:
        self.docker, self.folder = docker, folder
        self.badges: dict[str, str] = {}
        project = f"pitledger-{secrets.token_hex(4)}"
        self.env = {**images, "COMPOSE_PROJECT_NAME": project, "PITLEDGER_SECRETS": str(folder)}
        self.env["PITLEDGER_IMAGE"] = "pitledger:tests"
        self.env["PITLEDGER_OBSERVER_TOKEN_FILE"] = str(folder / "observer_token")
        for name in SECRETS:
            (folder / name).write_text(f"{secrets.token_hex(32)}\n")
            (folder / name).chmod(0o444)  # for the containers' users; the folder is ours alone
        override = folder / "override.yml"
        override.write_text(OVERRIDE)
        self.files: tuple[str, ...] = ("docker-compose.yml", str(override))

    def __call__(self, *words: str, timeout_s: float = COMMAND_S, stdin: str = "") -> str:
        """Return what `docker compose ...` prints. Raises DockerError."""
        files = [word for file in self.files for word in ("--file", file)]
        return self.docker.run("compose", *files, *words, timeout_s=timeout_s, stdin=stdin, **self.env)

    def up(self) -> None:
        """Start everything, and return when it is healthy."""
        self("up", "--detach", "--wait", "--wait-timeout", str(int(UP_S)), timeout_s=UP_S + 30)

    def manage(self, part: str, *words: str) -> str:
        """Return what `./manage.py ...` prints in the container of a part."""
        return self("exec", "-T", part, "python", "manage.py", *words)

    def secret(self, name: str) -> str:
        """Return the content of a secret."""
        return (self.folder / name).read_text().strip()

    def container(self, service: str) -> dict[str, Any]:
        """Return what Docker knows of a service's container."""
        number = self("ps", "--all", "--quiet", service).strip()
        container_: dict[str, Any] = json.loads(self.docker.run("inspect", number))[0]
        return container_

    def address(self) -> str:
        """Return where the web container answers."""
        return f"http://{self('port', 'web', '8000').strip()}"

    def address_of(self, service: str) -> str:
        """Return the IP address of a service's container, which this machine reaches."""
        [network] = self.container(service)["NetworkSettings"]["Networks"].values()
        return str(network["IPAddress"])

    def store_url(self) -> str:
        """Return the address of the event store from this machine, for the role of the house."""
        return f"postgresql://pitledger:{self.secret('db_password')}@{self.address_of('postgres')}:5432/events"

    def states(self) -> dict[str, str]:
        """Return the health of every service."""
        lines = self("ps", "--all", "--format", "{{.Service}} {{.Health}}").splitlines()
        return dict(line.split() for line in lines if len(line.split()) == 2)

    def kill(self, service: str) -> None:
        """End a part as a crash does: `docker kill` would count as a stop by hand."""
        os.kill(self.container(service)["State"]["Pid"], signal.SIGKILL)

    def hang(self, part: str) -> None:
        """Stop every process of a part but init, as a process that hangs: Docker alone would leave it so."""
        self("exec", "-T", part, "python", "-c", _HANG)

    def await_health(self) -> None:
        """Return when every part and server is healthy again."""
        until = time.monotonic() + UP_S
        while [*self.states().values()].count("healthy") < len(PARTS + SERVERS):
            assert time.monotonic() < until, self("ps", "--all")
            time.sleep(1.0)


@pytest.fixture(scope="session")
def docker() -> Iterator[Docker]:
    """A running Docker daemon with compose v2. Without Docker these tests are skipped and listed as skipped."""
    with ExitStack() as stack:
        try:
            running = stack.enter_context(daemon())
        except NoDaemonError as error:
            pytest.skip(f"{LEFT_OUT}docker ({error})")
        yield running


@pytest.fixture(scope="session")
def compose(docker: Docker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compose]:
    """A running house with people, badges and a table of every ruleset."""
    made = Compose(docker, tmp_path_factory.mktemp("secrets"), standins.make(docker))
    made("build", timeout_s=BUILD_S)
    try:
        made.up()
        set_up(made)
        yield made
    finally:
        made("down", "--volumes", "--timeout", "5")


def set_up(compose: Compose) -> None:
    """Give a house people, badges and a table of every ruleset."""
    with closing(House(open_store(compose.store_url(), clock.machine))) as house:
        for table, (game, ruleset) in TABLES.items():
            house.install(table, game, ruleset)
    for person in PEOPLE:
        compose.badges[person] = compose.manage("web", "people", "badge", person).strip().splitlines()[-1]
