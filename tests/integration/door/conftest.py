"""A house with a running door: its pages in a process of their own, people with badges, an open table."""

import hashlib
import itertools
import socket
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.models import Credential, Person
from events.store import open_store
from tests.servers.ports import LOOPBACK
from tests.support.houses.small_house import House
from tests.support.processes.scratch_databases import read_models
from tests.support.processes.web_process import DoorProcess, LiveProcess, Web

ACTIONS = "/api/v1/tables/FR1/actions"
PEOPLE = ("dora", "ines", "paul")
_numbers = itertools.count(1)


def badge_of(person: str) -> str:
    return f"badge-of-{person}"


def fill(folder: Path) -> None:
    """Fill the folder with a house: a table with an open round, and a badge for each person."""
    house = House(open_store(f"sqlite:///{folder}/events.sqlite3"))
    house.open_table("FR1")
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    house.close()
    let_in(folder)


def let_in(folder: Path) -> None:
    """Fill the read models with a badge for each person."""
    with read_models(f"sqlite:///{folder}/read.sqlite3") as alias:
        for person in PEOPLE:
            digest = hashlib.sha256(badge_of(person).encode()).hexdigest()
            holder = Person.objects.using(alias).create(id=person)
            Credential.objects.using(alias).create(digest=digest, person=holder)


@pytest.fixture(scope="module")
def web(django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    with Web(fill, django_db_blocker) as running:
        yield running


@pytest.fixture(scope="module")
def live(web: Web) -> Iterator[LiveProcess]:
    with LiveProcess(web) as running:
        yield running


@pytest.fixture(scope="module")
def door(web: Web) -> Iterator[DoorProcess]:
    with DoorProcess(web, PITLEDGER_LIMIT_BADGE="20", PITLEDGER_LIMIT_ADDRESS="50") as running:
        yield running


class DoorResponse(msgspec.Struct, frozen=True):
    """An answer of the door."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


def ask(port: int, method: str, path: str, *, body: bytes | None = None, **headers: str) -> DoorResponse:
    """Send one request on a connection of its own, and return the answer."""
    connection = HTTPConnection(LOOPBACK, port, timeout=60)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return DoorResponse(
            response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        )
    finally:
        connection.close()


def buy_in(port: int, person: str = "dora", key: str = "", **headers: str) -> DoorResponse:
    """A dealer's action."""
    data = {"seat": 1, "player": "p-1", "amount_minor": 100}
    action = {"type": "buyin.make", "key": key or f"k-{next(_numbers)}", "data": data}
    return ask(
        port,
        "POST",
        ACTIONS,
        body=msgspec.json.encode(action),
        **({"Authorization": f"Bearer {badge_of(person)}"} | headers),
    )


def held(port: int, count: int, begun: bytes) -> list[socket.socket]:
    """Return connections that have sent these bytes and then stay silent."""
    connections = [socket.create_connection((LOOPBACK, port)) for _ in range(count)]
    for connection in connections:
        connection.sendall(begun)
    return connections


Holding = Callable[[int, bytes], list[socket.socket]]


@pytest.fixture
def hold(door: DoorProcess) -> Iterator[Holding]:
    """`held` at the door; they hang up after the test."""
    open_: list[socket.socket] = []

    def hold_more(count: int, begun: bytes) -> list[socket.socket]:
        held_ = held(door.port, count, begun)
        open_.extend(held_)
        return held_

    yield hold_more
    for connection in open_:
        connection.close()
