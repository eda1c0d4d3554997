"""A process dies while the house pays, before or after the append. A repeat of the request pays once, by one slip."""

import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from backoffice.running.database_and_mail_settings import ROOT
from events.desk.command_and_answer_structs import Command
from events.desk.desk import Desk
from events.envelope import Action, Who
from events.progressives.event_types import HousePaid
from events.store import everything, open_store
from events.streams.stream_kind_declaration import Target
from tests.regressions.test_house_payments import house_pays, late
from tests.support.houses.progressive_house import NAME, PROPERTY, Casino


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    is_file = request.param == "sqlite"
    return f"sqlite:///{tmp_path / 'events.sqlite3'}" if is_file else str(request.getfixturevalue("postgres_url"))


def agree(desk: Desk, request: str, content: str) -> object:
    """Approve as accounting, always under the same key. The approval makes the house pay."""
    data = msgspec.Raw(msgspec.json.encode({"request": request, "content": content}))
    action = Action(type="approval.give", key="anna-agrees", data=data)
    who = Who(person="anna", roles=frozenset(), factor_s=0)
    return desk.do(Command(Target("progressives", NAME), (action,), who))[0]


_DIES = """
import os, signal, sys
from contextlib import contextmanager
import django
django.setup()
from events.desk.desk import Desk
from events.store import open_store
from events.store.store_base_classes import StoreSession
from tests.regressions.test_broken_off_house_payments import PROPERTY, agree

url, request, content, when = sys.argv[1:]
store = open_store(url)
append, locked = StoreSession.append, store.locked

def dies():
    os.kill(os.getpid(), signal.SIGKILL)

def appends(session, *given):
    written = None if when == "judged" else append(session, *given)
    return written if when == "stored" else dies()

@contextmanager
def stores():
    with locked() as session:
        yield session
    dies()

StoreSession.append = appends
if when == "stored":
    store.locked = stores
agree(Desk(store, PROPERTY), request, content)
"""


def slips(url: str) -> list[int]:
    with closing(open_store(url)) as store:
        return [
            msgspec.json.decode(event.raw)["data"]["slip"]
            for event in everything(store)
            if event.type == HousePaid.TYPE
        ]


@pytest.mark.parametrize("when", ["judged", "half appended", "stored"])
def test_who_asks_again_after_a_process_died_is_paid_once(url: str, when: str) -> None:
    casino = Casino(open_store(url))
    _, hit = late(casino)
    request = house_pays(casino, 9_000, "cage", hit=hit).data
    casino.close()
    dies = [sys.executable, "-c", _DIES, url, request.request, request.content, when]
    ended = subprocess.run(dies, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    paid = slips(url)
    assert len(paid) == (when == "stored")
    for _ in range(2):
        with closing(open_store(url)) as store:
            desk = Desk(store, PROPERTY)
            first = agree(desk, request.request, request.content)
            desk.close()
        assert b"house.paid.v1" in msgspec.json.encode(first)
        assert len(slips(url)) == 1
        assert slips(url)[: len(paid)] == paid
