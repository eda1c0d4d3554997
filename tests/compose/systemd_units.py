"""The systemd units start a house under systemd as process 1: all parts come up, come back after a kill, and stop."""

import re
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import psycopg
import pytest

from events.runtime import clock
from events.store import open_store
from tests.compose import systemd
from tests.compose.systemd import CHECKOUT, PITLEDGER, Machine, machine
from tests.servers import ApacheKafka, PostgreSQL, Redis, free_port
from tests.support.houses.small_house import House as TablesHouse
from tests.unit.deployments import units

PARTS = ("relay", "projector", "worker", "beat", "pages", "web", "live")
SECRETS = ("db_owner_password", "db_password", "secret_key", "case_key", "head_key")
READY_S = 240.0


class UnitsMachine:
    """A machine with the units installed, and the servers that they use."""

    def __init__(self, host: Machine, postgres: PostgreSQL, redis: Redis, kafka: ApacheKafka) -> None:
        self.host = host
        self.ports = {port: free_port() for port in ("8000", "8001", "8002")}  # this machine's may be taken
        self._settings = {
            "postgresql://pitledger@127.0.0.1:5432/": f"postgresql://pitledger@{postgres.address}/",
            "postgresql://pitledger_owner@127.0.0.1:5432/": f"postgresql://pitledger_owner@{postgres.address}/",
            "redis://127.0.0.1:6379/0": redis.url,
            "127.0.0.1:9092": kafka.bootstrap,
        }

    def lay(self, postgres: PostgreSQL) -> None:
        """Install as the how-to says, with secrets of its own and this machine's ports."""
        host = self.host
        host.install()
        for name in SECRETS:
            (host.settings / "secrets" / name).write_text(f"{secrets.token_hex(32)}\n")
        for name in ("settings.env", "migrate.env"):
            text = (host.settings / name).read_text()
            for shipped, own in self._settings.items():
                text = text.replace(shipped, own)
            (host.settings / name).write_text(text)
        with (host.settings / "settings.env").open("a") as file:
            file.write("LD_LIBRARY_PATH=/opt/python/lib\n")  # of a Python that is not Debian's
            file.write("".join(f"PITLEDGER_{name}_PORT={self.ports[port]}\n" for name, port in _PORTS.items()))
        for unit in host.units.glob("*.service"):
            unit.write_text(re.sub(r"--port (\d+)", lambda match: f"--port {self.ports[match[1]]}", unit.read_text()))
        _make_databases(postgres, host.settings / "secrets")

    def healthz(self) -> str:
        """Return the status of the whole house; "" while nothing answers."""
        try:
            return str(httpx.get(f"http://127.0.0.1:{self.ports['8000']}/healthz", timeout=10).json()["status"])
        except (httpx.HTTPError, ValueError, KeyError):
            return ""

    def store_url(self) -> str:
        """Return the address of the event store, for the role of the house."""
        address = units.settings_of((self.host.settings / "settings.env").read_text())["PITLEDGER_STORE"]
        password = (self.host.settings / "secrets" / "db_password").read_text().strip()
        return address.replace("pitledger@", f"pitledger:{password}@")

    def states(self) -> dict[str, str]:
        """Return the state of every part, as systemd sees it."""
        return {part: self.host.ask("systemctl", "is-active", f"pitledger-{part}").strip() for part in PARTS}


_PORTS = {"WEB": "8000", "LIVE": "8001", "PAGES": "8002"}


def _make_databases(postgres: PostgreSQL, secret: Path) -> None:
    """Run tools/deploy/databases.sql as a superuser, whose name must not be that of the house's role."""
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE admin SUPERUSER LOGIN PASSWORD 'admin'")
    admin = f"postgresql://admin:admin@{postgres.address}/postgres"
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("ALTER ROLE pitledger RENAME TO former")
    passwords = {"owner": "db_owner_password", "house": "db_password"}
    variables = [f"--set={name}={(secret / file).read_text().strip()}" for name, file in passwords.items()]
    script = CHECKOUT / "tools" / "deploy" / "databases.sql"
    psql = ["psql", admin, *variables, f"--file={script}"]
    completed = subprocess.run(psql, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UnitsMachine]:
    """A house whose parts systemd has started."""
    if reason := systemd.reason_against():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("machine")
    with PostgreSQL() as postgres, Redis() as redis, ApacheKafka() as kafka, machine(folder) as host:
        made = UnitsMachine(host, postgres, redis, kafka)
        made.lay(postgres)
        host.boot()
        host.run("install", "-d", "-o", "pitledger", "-m", "0700", "/var/backups/pitledger")
        host.run("systemctl", "enable", "--now", "pitledger.target", "pitledger-backup.timer")
        _within(READY_S, lambda: made.healthz() == "ok", made)
        yield made


def test_every_part_runs_without_root_and_with_its_secrets_alone(house: UnitsMachine) -> None:
    assert house.states() == dict.fromkeys(PARTS, "active")
    for part in PARTS:
        pid = house.host.pid(f"pitledger-{part}")
        assert house.host.run("ps", "-o", "user=", "-p", str(pid)).strip() == "pitledger"
        values = house.host.run("cat", f"/proc/{pid}/environ")
        for name in SECRETS:
            secret = (house.host.settings / "secrets" / name).read_text().strip()
            assert secret not in values, (part, name)
        credentials = set(house.host.run("ls", f"/run/credentials/pitledger-{part}.service").split())
        assert "db_owner_password" not in credentials
        assert ("head_key" in credentials) == ("HEAD_KEY_FILE" in values) == (part == "worker")


def test_a_part_writes_nowhere_but_to_its_data(house: UnitsMachine) -> None:
    pid = str(house.host.pid("pitledger-web"))
    enter = ("nsenter", "--target", pid, "--mount", "setpriv", "--reuid=pitledger", "--clear-groups", "touch")
    assert "Read-only file system" in house.host.ask(*enter, "/opt/pitledger/probe")
    house.host.run(*enter, "/var/lib/pitledger/probe")
    assert "Read-only file system" in house.host.ask(*enter, "/var/lib/pitledger/keys/probe")


def test_a_killed_part_comes_back(house: UnitsMachine) -> None:
    before = {part: house.host.pid(f"pitledger-{part}") for part in PARTS}
    for part in PARTS:
        house.host.run("kill", "-KILL", str(before[part]))
    _within(READY_S, lambda: all(house.host.pid(f"pitledger-{part}") not in (0, before[part]) for part in PARTS), house)
    _within(READY_S, lambda: house.healthz() == "ok", house)
    assert house.host.ask("systemctl", "list-units", "--state=failed", "--no-legend", "pitledger-*").strip() == ""


def test_people_are_let_in_and_the_history_holds(house: UnitsMachine) -> None:
    with closing(TablesHouse(open_store(house.store_url(), clock.machine))) as tables:
        tables.install("FR1", "roulette", "roulette-french")
    assert house.host.manage("people", "badge", "dora").strip()
    # The worker makes a head every few seconds, and until the first one nothing vouches for these events.
    _within(READY_S, lambda: "Everything holds." in house.host.ask(PITLEDGER, "verify"), house)


def test_the_timer_makes_a_backup(house: UnitsMachine) -> None:
    timers = house.host.run("systemctl", "list-timers", "--all", "--no-pager", "pitledger-backup.timer")
    assert "pitledger-backup.service" in timers
    house.host.run("systemctl", "start", "pitledger-backup.service")
    assert house.host.run("ls", "/var/backups/pitledger").strip()


def test_a_stop_is_clean(house: UnitsMachine) -> None:
    house.host.run("systemctl", "stop", "pitledger.target")
    _within(READY_S, lambda: set(house.states().values()) == {"inactive"}, house)
    results = {
        part: house.host.ask("systemctl", "show", "--property=Result", "--value", f"pitledger-{part}").strip()
        for part in PARTS
    }
    assert results == dict.fromkeys(PARTS, "success")
    house.host.run("systemctl", "start", "pitledger.target")
    _within(READY_S, lambda: house.healthz() == "ok", house)
    assert house.host.power_off() == 0


def _within(seconds: float, holds: Callable[[], bool], house: UnitsMachine) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, f"not within {seconds:g} s:\n{house.states()}\n{house.host.journal()}"
        time.sleep(1.0)
