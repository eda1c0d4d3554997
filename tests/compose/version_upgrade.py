"""The upgrade from the version before secrets in files to this one, by the commands of docs/howto/upgrade.md.

The image of that version is built from its commit, with the one file that its Dockerfile forgot. The tests of that
version play in its own code a closed day with figures calculated by hand, and a hit. A clone without history cannot
build the image: the test is then skipped.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.compose import standins
from tests.compose.conftest import BUILD_S, OVERRIDE, UP_S, Compose
from tests.compose.docker import CHECKOUT, Docker, DockerError
from tests.compose.rounds import await_that
from tests.conftest import LEFT_OUT

BEFORE = "685cbf6"
PAGE = CHECKOUT / "docs" / "howto" / "upgrade.md"
CLOSED = "2026-11-20"
WAIT_S = 240.0
# Its tags are made from the stand-ins; its build and its ports are the test's own.
TAGS = {"postgres": "postgres:15", "redis": "redis:7", "kafka": "apache/kafka:4.3.0"}
OF_BEFORE = """\
services:
  web: { ports: !override ["127.0.0.1:0:8000"] }
  live: { build: !reset null, ports: !override ["127.0.0.1:0:8001"] }
  kafka: { healthcheck: { test: [CMD, bash, -c, ": </dev/tcp/127.0.0.1/9092"], retries: 100 } }
""" + "".join(
    f"  {name}: {{ build: !reset null }}\n" for name in ("migrate", "relay", "projector", "worker", "beat", "pages")
)
PIP = "FROM pitledger-test/python\nRUN python -m venv /opt/base\nENV PATH=/opt/base/bin:$PATH\n"
PLAY = """\
import sys
import django
django.setup()
import tests.evening, tests.house
from events.accounting.report import around
from events.accounting.report.around import Around
from events.store import open_store
from tests.worked_day import WorkedDay
store = open_store(sys.argv[1])
house = WorkedDay(store)
house.play()
around.tell(store, lambda: Around(readers={}, head=10**9, aside={}))
house.ok("days", "", "anna", house.action("day.close"))
tests.house.DAY = tests.evening.DAY = "2026-11-21"
tests.evening._blackjack(house)
house.close()
"""
# Prints the canonical bytes of the closed day, from the events: what its digest is made of.
CANONICAL = f"""\
import django
django.setup()
import {{canonical}} as canonical
from {{reports}} import make
from {{settings}} import settings
from events.store import open_store
store = open_store(settings().store)
print(canonical.encode(make(store, settings().property_, "{CLOSED}", store.position()).figures).decode())
"""
OLD_NAMES = {
    "canonical": "events.accounting.report.canonical",
    "reports": "events.accounting.report.made",
    "settings": "events.settings",
}
NEW_NAMES = {
    "canonical": "events.accounting.report.canonical_report_bytes",
    "reports": "events.accounting.report.day_reports",
    "settings": "events.settings.settings_from_environment",
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of that version."""
    folder = tmp_path_factory.mktemp("before")
    completed = subprocess.run(["git", "archive", BEFORE], cwd=CHECKOUT, capture_output=True, check=False)
    if completed.returncode:
        pytest.skip(f"{LEFT_OUT}docker (this clone has no history: git fetch --unshallow brings {BEFORE})")
    with tarfile.open(fileobj=BytesIO(completed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    dockerfile = folder / "Dockerfile"
    dockerfile.write_text(
        dockerfile.read_text().replace("COPY LICENSE manage.py", "COPY LICENSE pyproject.toml manage.py")
    )
    (folder / "override.yml").write_text(OF_BEFORE)
    return folder


@pytest.fixture(scope="module")
def before(docker: Docker, checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compose]:
    """The house as that version runs it, after its day."""
    house = Compose(docker, tmp_path_factory.mktemp("secrets"), standins.make(docker))
    house.env |= {"PITLEDGER_DB_PASSWORD": "of-the-house", "PITLEDGER_SECRET_KEY": house.secret("secret_key")}
    house.env["PITLEDGER_HEAD_KEY"] = house.secret("head_key")
    for name, tag in TAGS.items():
        docker.run("tag", f"pitledger-test/{name}", tag)
    (checkout / "pip").mkdir()
    (checkout / "pip" / "Dockerfile").write_text(PIP)
    docker.run("build", "--quiet", "--tag", "python:3.12-slim", str(checkout / "pip"))
    house.files = (str(checkout / "docker-compose.yml"), str(checkout / "override.yml"))
    try:
        house("build", "web", timeout_s=BUILD_S)
        house("up", "--detach", timeout_s=UP_S)
        url = house.store_url().replace(house.secret("db_password"), "of-the-house")
        played = [sys.executable, "-c", PLAY, url]
        own = {name: value for name, value in os.environ.items() if not name.startswith("PITLEDGER_")}
        own |= {"DJANGO_SETTINGS_MODULE": "tests.settings", "PITLEDGER_DATA": str(checkout / "data"), "PYTHONPATH": "."}
        completed = subprocess.run(played, cwd=checkout, env=own, capture_output=True, text=True, check=False)
        assert completed.returncode == 0, completed.stderr[-3_000:]
        await_that(WAIT_S, lambda: "Every invariant holds" in _output(house, "books", "--check"))
        house.manage("web", "search", "table:FR1")  # a line of the access log
        await_that(WAIT_S, lambda: _has_signed(house))
        yield house
    finally:
        house("down", "--volumes", "--timeout", "5")


def test_digests_are_the_same_and_verify_finds_nothing(before: Compose, tmp_path: Path) -> None:
    digest, report = before.manage("web", "books", "--digest"), _report(before)
    canonical = _canonical(before, OLD_NAMES)
    assert sha256(canonical.encode()).hexdigest() == report["digest"]
    lines = before.manage("web", "looks").strip().splitlines()[-1].split()[0]
    _run_the_page(before, tmp_path)
    assert _answer(before, "books", "--digest") == digest
    assert _canonical(before, NEW_NAMES) == canonical
    assert _figures(_report(before)) == _figures(report)
    assert "Everything holds." in before.manage("worker", "verify")
    assert _answer(before, "looks").strip().splitlines()[-1].split()[0] >= lines
    before.manage("projector", "rebuild", "all", "--approve")
    await_that(WAIT_S, lambda: "Every invariant holds" in _output(before, "books", "--check"))
    assert before.manage("web", "books", "--digest") == digest
    assert _canonical(before, NEW_NAMES) == canonical
    await_that(WAIT_S, lambda: _marks(_report(before)) == _marks(report))
    assert "Everything holds." in before.manage("live", "verify")


def _report(house: Compose) -> dict[str, Any]:
    """The report of the closed day. The command fails where its digest is not that of the close."""
    report: dict[str, Any] = json.loads(_answer(house, "report", CLOSED, "--json"))
    return report


def _figures(report: dict[str, Any]) -> dict[str, Any]:
    """Every figure, status and digest, without the checklist: its items are of this moment, and in the words of now."""
    return {name: value for name, value in report.items() if name != "checklist"}


def _marks(report: dict[str, Any]) -> list[tuple[str, bool | None]]:
    """The items of the checklist in order, and whether each holds."""
    return [(item["item"], item["holds"]) for item in report["checklist"]]


def _canonical(house: Compose, names: dict[str, str]) -> str:
    program = CANONICAL.format(**names)
    django = ("--env", "DJANGO_SETTINGS_MODULE=backoffice.settings")
    lines = house("exec", "-T", *django, "web", "python", "-c", program).splitlines()
    [text] = [line for line in lines if line.startswith("{")]
    return text


def _answer(house: Compose, *words: str) -> str:
    """Return the output of a command without its warnings. Until the rebuild, the old read models stand still."""
    lines = house.manage("web", *words).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("WARNING: "))


def _run_the_page(house: Compose, folder: Path) -> None:
    """The commands of the page's last section, but for git and the keys, which are there."""
    text = PAGE.read_text().split("### From a version without secrets in files")[1]
    first, _keys, then = re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for line in first.splitlines():
        if line.startswith("docker compose"):
            house(*_words(line, folder))
    for name in ("PITLEDGER_DB_PASSWORD", "PITLEDGER_SECRET_KEY", "PITLEDGER_HEAD_KEY"):
        del house.env[name]
    house.files = ("docker-compose.yml", str(house.folder / "override.yml"))
    (house.folder / "override.yml").write_text(OVERRIDE)
    for line in then.splitlines():
        command, _, script = line.partition(" < ")
        house(*_words(command, folder), timeout_s=UP_S, stdin=(CHECKOUT / script).read_text() if script else "")


def _words(line: str, folder: Path) -> list[str]:
    return [word.replace("keys-before", str(folder / "keys-before")) for word in line.split()[2:]]


def _has_signed(house: Compose) -> bool:
    """Return whether the signer has made a head, and so its memory."""
    try:
        house("exec", "-T", "worker", "test", "-d", "/var/lib/pitledger/keys")
    except DockerError:
        return False
    return True


def _output(house: Compose, *words: str) -> str:
    try:
        return house.manage("web", *words)
    except DockerError as error:
        return str(error)
