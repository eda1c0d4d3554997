"""A sender that is killed at any step sends again under the same id: by mail, webhook and folder, on both databases."""

import json
import os
import re
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.days import system_state_for_day_close
from backoffice.models import Person, Subscription
from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.runtime import clock
from events.store import open_store
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, serving
from tests.support.houses.worked_day import WorkedDay
from tests.support.processes.killed_sender import FOLDER
from tests.support.processes.scratch_databases import as_default, new_access_log, read_models
from tests.support.processes.subscriptions_and_receivers import KEY

ROOT = Path(__file__).resolve().parents[3]
# Every fourth step, another one on each database; all of them with EVERY_STEP=1, which takes some minutes.
APART = 1 if os.environ.get("EVERY_STEP") else 4
FIRST = {"sqlite": 1, "postgres": 1 if APART == 1 else 3}
STEPS_LEAST = 30


class Receiver:
    """Receiver of webhooks and mails on loopback, with the ids of the deliveries."""

    def __init__(self) -> None:
        self.webhooks: list[str] = []
        self.mails: list[str] = []


class Hooks(BaseHTTPRequestHandler):
    receiver: Receiver

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.receiver.webhooks.append(self.headers["webhook-id"])
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


class Mails(socketserver.StreamRequestHandler):
    """The part of SMTP that one mail needs."""

    receiver: Receiver

    def handle(self) -> None:
        self.wfile.write(b"220 loopback\r\n")
        while line := self.rfile.readline():
            command = line.strip().upper()
            if command == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                text = b""
                while (part := self.rfile.readline()) not in (b".\r\n", b""):
                    text += part
                if part:
                    self.receiver.mails += re.findall(r"Message-ID: <(msg_\w+)@", text.decode())
            self.wfile.write(b"250 ok\r\n")
            if command == b"QUIT":
                return


@contextmanager
def receiving() -> Iterator[tuple[Receiver, int, int]]:
    """Both servers; the ports of webhooks and mails."""
    receiver = Receiver()
    hooks = type("_Hooks", (Hooks,), {"receiver": receiver})
    mails = type("_Mails", (Mails,), {"receiver": receiver})
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), hooks) as web,
        socketserver.ThreadingTCPServer(("127.0.0.1", 0), mails) as smtp,
    ):
        for server in (web, smtp):
            threading.Thread(target=server.serve_forever, daemon=True).start()
        yield receiver, web.server_address[1], smtp.server_address[1]
        for server in (web, smtp):
            server.shutdown()


def closed_day(folder: Path, url: str, blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A house with a closed day, and Anna's subscription to it by each way."""
    well = SystemState(readers={}, head=10**9, aside={})
    monkeypatch.setattr(system_state_for_day_close, "read_system_state", lambda: well)
    house = WorkedDay(open_store(f"sqlite:///{folder}/events.sqlite3"))
    checklist_system_state_source.register_source(house.store, lambda: well)
    with blocker.unblock(), read_models(url) as alias, as_default(alias), serving(house):
        house.play()
        house.ok("days", "", "anna", house.action("day.close"))
        evening_with_everything.project(house)
        Person.objects.update_or_create(id="anna", defaults={"email": "anna@example.org"})
        for to in ({}, {"webhook": "desk"}, {"folder": "accounting"}):
            Subscription.objects.create(person="anna", source="report", choice="slips", made_at=clock.moment(), **to)
        new_access_log(folder)
    house.close()


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_every_delivery_survives_a_kill_at_every_step(
    database: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    django_db_blocker: DjangoDbBlocker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_sqlite = database == "sqlite"
    make: Callable[[], str] = (
        (lambda: f"sqlite:///{tmp_path}/read.sqlite3") if is_sqlite else request.getfixturevalue("new_database")
    )
    url = make()
    closed_day(tmp_path, url, django_db_blocker, monkeypatch)
    reports, destinations = tmp_path / "reports", tmp_path / "destinations.toml"
    reports.mkdir()
    with receiving() as (receiver, web, smtp):
        destinations.write_text(
            f'[webhooks.desk]\naddress = "http://127.0.0.1:{web}/in"\nkey = "{KEY}"\nnetworks = ["127.0.0.0/8"]\n'
            f'[folders.accounting]\npath = "{reports}"\n',
            encoding="utf-8",
        )
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "backoffice.settings",
            "PITLEDGER_DATA": str(tmp_path),
            "PITLEDGER_READ": url,
            "PITLEDGER_DESTINATIONS": str(destinations),
            "PITLEDGER_MAIL": f"smtp://127.0.0.1:{smtp}",
            FOLDER: str(reports),
        }
        outcomes = killed_at_every_step(environment, receiver, FIRST[database])
    assert len(outcomes) * APART > STEPS_LEAST, "there are more steps than that"
    assert any(outcome["interrupted"] for outcome in outcomes), "the log shows what was interrupted"
    ids = {delivery for delivery, _state in outcomes[0]["deliveries"]}
    assert len(ids) == 3
    for outcome in outcomes:
        number = outcome["step"]
        assert outcome["deliveries"] == [[delivery, "sent"] for delivery in sorted(ids)], f"killed at step {number}"
        assert outcome["files"] == [f"pitledger-slips-{DAY}.{form}" for form in ("pdf", "xlsx")], number
        assert (outcome["written"], outcome["copies"]) == (2, 2), f"killed at step {number}"
        for came in (outcome["webhooks"], outcome["mails"]):
            assert 1 <= len(came) <= 2, f"killed at step {number}"
            assert len(set(came)) == 1, f"killed at step {number}: one id"
            assert set(came) <= ids


def killed_at_every_step(environment: dict[str, str], receiver: Receiver, first: int) -> list[dict[str, Any]]:
    """Results of the deliveries by the step at which their sender was killed; the last sender lived."""
    command = [sys.executable, "-m", "tests.support.processes.killed_sender"]
    outcomes: list[dict[str, Any]] = []
    with subprocess.Popen(
        command, env=environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as sender:
        assert sender.stdin is not None
        assert sender.stdout is not None
        for step in count(first, APART):
            receiver.webhooks.clear()
            receiver.mails.clear()
            sender.stdin.write(f"{step}\n")
            sender.stdin.flush()
            outcome = json.loads(sender.stdout.readline() or "{}")
            assert outcome, "the sender ended; its errors stand above"
            came = {"webhooks": [*receiver.webhooks], "mails": [*receiver.mails]}
            outcomes.append({"step": step} | outcome | came)
            if not outcome["is_killed"]:
                break
        sender.stdin.close()
    return outcomes
