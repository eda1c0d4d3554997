"""Surveillance's actions on an alert go through the door, whose event loop sends no queries to a database."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.models import Credential, Person
from events.store import open_store
from projections.alerts.models import Alert
from tests.integration.door.conftest import DoorResponse, ask, badge_of
from tests.support.houses.small_house import House
from tests.support.processes.scratch_databases import read_models
from tests.support.processes.web_process import DoorProcess, Web

RAISED, UNKNOWN = "ab" * 32, "cd" * 32


def fill(folder: Path) -> None:
    """Surveillance with a badge, and an alert."""
    House(open_store(f"sqlite:///{folder}/events.sqlite3")).close()
    with read_models(f"sqlite:///{folder}/read.sqlite3") as alias:
        digest = hashlib.sha256(badge_of("sven").encode()).hexdigest()
        Credential.objects.using(alias).create(digest=digest, person=Person.objects.using(alias).create(id="sven"))
        Alert.objects.using(alias).create(
            id=RAISED, name="mispay", severity="high", raised_at_position=1, raised="", stream="", events="[]"
        )


@pytest.fixture(scope="module")
def door(django_db_blocker: DjangoDbBlocker) -> Iterator[DoorProcess]:
    with Web(fill, django_db_blocker) as web, DoorProcess(web) as running:
        yield running


def note(door: DoorProcess, alert: str) -> DoorResponse:
    """Add a note to an alert as surveillance, and return the answer."""
    action = {"type": "alert.note", "key": f"note-{alert}", "data": {"note": "seen on camera 4"}}
    headers = {"Authorization": f"Bearer {badge_of('sven')}"}
    return ask(door.port, "POST", f"/api/v1/alerts/{alert}/actions", body=msgspec.json.encode(action), **headers)


def test_an_alert_is_noted_through_the_door(door: DoorProcess) -> None:
    noted = note(door, RAISED)
    assert (noted.status, noted.json["events"][0]["event"]["type"]) == (200, "alert.noted.v1")


@pytest.mark.parametrize("alert", [UNKNOWN, "0"])
def test_an_alert_that_is_not_raised_is_unknown(door: DoorProcess, alert: str) -> None:
    refused = note(door, alert)
    assert (refused.status, refused.json["title"]) == (404, "Not found")
