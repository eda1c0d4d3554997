"""A tap at the real door: through the process of the pages to the desk, signed by the tablet and bound to its table."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from backoffice.models import BadgeSession, TableDevice
from backoffice.table_screen import device_signature_check, entry_chain
from events.store import open_store
from tests.support import evening
from tests.support.house import House
from tests.support.scratch_databases import as_default, read_models
from tests.support.table_device import Tablet, act
from tests.support.web import DoorProcess, Web

TABLETS: dict[str, Tablet] = {}


def put(house: House, table: str) -> Tablet:
    """A tablet that is paired with the table, and dora at it; its cookies are `device-TABLE` and `badge-TABLE`."""
    tablet = Tablet(table)
    tablet.device, tablet.sessions["dealer"] = f"{table}-tablet", f"session-{table}"
    tablet.prev = entry_chain.first_digest(tablet.device)
    key, now = device_signature_check.canonical(tablet.jwk), timezone.now()
    device = TableDevice.objects.create(
        id=tablet.device,
        table=table,
        use="screen",
        secret=f"secret-{table}",
        made_by="paul",
        made_at=now,
        ends_at=now + timedelta(minutes=2),
        public_key=key,
        fingerprint=device_signature_check.fingerprint(key),
        cookie=hashlib.sha256(f"device-{table}".encode()).hexdigest(),
        last_digest=tablet.prev,
    )
    secret = hashlib.sha256(f"badge-{table}".encode()).hexdigest()
    BadgeSession.objects.create(
        id=f"session-{table}", secret=secret, device=device, person="dora", role="dealer", began_at=now
    )
    about = {"device": device.pk, "table": table, "use": "screen", "key": device.fingerprint}
    house.ok("devices", "", "paul", house.action("device.pair", **about))
    return tablet


def fill(folder: Path, tables: tuple[str, ...] = ("FR1",)) -> None:
    """Open tables, each with a tablet."""
    house = House(open_store(f"sqlite:///{folder}/events.sqlite3"))
    try:
        with read_models(f"sqlite:///{folder}/read.sqlite3") as alias, as_default(alias):
            for table in tables:
                if table != "FR1":
                    house.install(table, "roulette", "roulette-french")
                house.open_table(table)
                TABLETS[table] = put(house, table)
            evening.project(house)
    finally:
        house.close()


@contextmanager
def browser(door: DoorProcess, table: str) -> Iterator[httpx.Client]:
    """The tablet's browser, with its token."""
    cookies = {"pitledger_table": f"device-{table}", "pitledger_badges": f"badge-{table}"}
    with httpx.Client(base_url=f"{door.url}/table/{table}", cookies=cookies, timeout=30, trust_env=False) as http:
        http.headers["X-CSRFToken"] = http.get("/state").json()["csrf"]
        http.headers["Referer"] = http.headers["Origin"] = door.url
        yield http


@pytest.fixture(scope="module")
def door(django_db_blocker: DjangoDbBlocker) -> Iterator[DoorProcess]:
    with Web(fill, django_db_blocker) as web, DoorProcess(web) as running:
        yield running


def test_a_tap_is_recorded_in_the_dealer_s_name(door: DoorProcess) -> None:
    tablet = TABLETS["FR1"]
    entry = tablet.entry(act("round.open"))
    with browser(door, "FR1") as http:
        answer = http.post("/queue", json={"entries": [entry]})
        again = http.post("/queue", json={"entries": [entry]})
    assert answer.status_code == 200, answer.text
    [answered] = answer.json()["answers"]
    event = answered["replies"][0]["events"][0]["event"]
    assert (event["type"], event["actor"], event["actordevice"]) == ("round.opened.v1", "dora", tablet.device)
    assert again.json()["answers"] == [answered]
    assert json.loads(entry["body"])["seq"] == 1


def test_another_table_s_door_is_closed_to_it(door: DoorProcess) -> None:
    with browser(door, "FR1") as http:
        answer = http.get(f"{door.url}/table/BJ1/state")
    assert (answer.status_code, answer.json()["title"]) == (403, "Not permitted")


def test_a_foreign_origin_sends_nothing(door: DoorProcess) -> None:
    entry = TABLETS["FR1"].entry(act("x"))
    with browser(door, "FR1") as http:
        http.headers["Origin"] = "https://elsewhere.example"
        assert http.post("/queue", json={"entries": [entry]}).status_code == 403
