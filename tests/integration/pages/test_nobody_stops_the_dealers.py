"""Refusals, and bodies that never arrive: each is limited, and other people's actions continue."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from backoffice.access import refusal_log_writer as access_module
from backoffice.access.models import Access
from backoffice.access.refusal_log_writer import AccessLog, access_log
from backoffice.api import actions
from backoffice.installation.dependency_injection import Installation
from backoffice.people import badge_and_key_authentication
from events.settings.settings_from_environment import settings as house_settings
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import House

pytestmark = pytest.mark.django_db


@pytest.fixture
def badge(db: None) -> str:
    return badge_and_key_authentication.issue_badge("dora")


def bearing(badge: str) -> dict[str, Any]:
    return {"headers": {"Authorization": f"Bearer {badge}"}}


def test_bodies_that_never_come_hold_a_few_threads_of_one_person_only(evening_house: House) -> None:
    badges = {person: badge_and_key_authentication.issue_badge(person) for person in ("dora", "ines")}
    hang, reading = threading.Event(), threading.Semaphore(0)
    statuses: list[int] = []

    def never(size: int) -> bytes:
        reading.release()
        hang.wait(60)
        return b""

    def send(person: str, read: Callable[[int], bytes]) -> int:
        headers = {"Authorization": f"Bearer {badges[person]}"}
        return actions.respond(Target("tables", "FR1"), headers, read).status

    for person in badges:  # the lookups are remembered: the threads below have no database of this test
        assert send(person, lambda size: b"{") == 400
    stuck = [threading.Thread(target=_hang, args=(badges["dora"], never)) for _ in range(actions.MAX_BODIES_READ)]
    for thread in stuck:
        thread.start()
    for _ in stuck:
        assert reading.acquire(timeout=60)
    statuses = [send("dora", lambda size: b"{"), send("ines", lambda size: b"{")]
    hang.set()
    for thread in stuck:
        thread.join()
    assert statuses == [429, 400]
    assert send("dora", lambda size: b"{") == 400


def _hang(badge: str, read: Callable[[int], bytes]) -> None:
    with actions._reading_for("dora"):
        read(1)


class Lines:
    """Replaces the access log's table: takes rows, or fails on demand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows: list[Access] = []
        self.is_away = False
        monkeypatch.setattr(Access.objects, "bulk_create", self.take)
        monkeypatch.setattr(access_module.AccessLog, "_see_to_it", lambda self: None)

    def take(self, rows: list[Access]) -> None:
        if self.is_away:
            raise OperationalError("database is locked")
        self.rows += rows

    @property
    def outcomes(self) -> list[tuple[str, str]]:
        return [(row.what, row.outcome) for row in self.rows]


def test_a_database_that_is_busy_keeps_no_refusal_waiting_and_loses_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, log = Lines(monkeypatch), AccessLog()
    lines.is_away = True
    for number in range(3):
        log.refused("dora", "", f"action tables/FR{number}", "403 no")
    with pytest.raises(OperationalError):
        log.write()
    lines.is_away = False
    log.write()
    assert lines.outcomes == [(f"action tables/FR{number}", "403 no") for number in range(3)]
    log.write()
    assert len(lines.rows) == 3


def test_what_is_too_much_is_dropped_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, log = Lines(monkeypatch), AccessLog()
    monkeypatch.setattr(access_module, "MAX_LINES", 2)
    for _ in range(5):
        log.refused("dora", "", "action tables/FR1", "403 no")
    log.write()
    assert lines.outcomes[2:] == [("access log", "3 lines were dropped: too many at once")]


def test_strangers_are_counted_by_source(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, log = Lines(monkeypatch), AccessLog()
    monkeypatch.setattr(access_module, "MAX_COUNTED", 2)
    for source in ("10.0.0.1", "10.0.0.2", "10.0.0.1", "10.0.0.3", "10.0.0.4"):
        log.stranger(source)
    log.write(counts=True)
    assert lines.outcomes == [
        ("no badge from 10.0.0.1", "401 2 times"),
        ("no badge from 10.0.0.2", "401 1 times"),
        ("no badge from others", "401 2 times"),
    ]


def test_who_comes_too_often_is_a_line_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    lines, log = Lines(monkeypatch), AccessLog(lambda: now[0])
    for _ in range(2):
        for _ in range(1_000):
            log.too_often("dora", "t-1", "10.0.0.1")
        log.too_often("ines", "", "10.0.0.1")
        log.write()
        now[0] += access_module.COUNTED_S - 1
        log.write()
        before = len(lines.rows)
        now[0] += 1
        log.write()
        assert lines.outcomes[before:] == [
            ("too often from 10.0.0.1", "429 1000 times"),
            ("too often from 10.0.0.1", "429 1 times"),
        ]
    assert [(row.person, row.device) for row in lines.rows] == [("dora", "t-1"), ("ines", "")] * 2


def test_a_wrong_badge_at_the_door_is_one_line_with_its_source(client: Client) -> None:
    response = client.post("/api/v1/tables/FR1/actions", b"{}", "application/json", **bearing("wrong"))
    assert response.status_code == 401
    line = Access.objects.get()
    assert (line.person, line.what, line.outcome) == ("", "no badge from 127.0.0.1", "401 1 times")


@pytest.mark.django_db(transaction=True)
def test_its_own_thread_writes_what_waits(settings: Any) -> None:
    settings.ACCESS_AT_ONCE = False
    log = AccessLog()
    log.refused("dora", "t-1", "action tables/FR1", "403 no")
    log.stranger("10.0.0.1")
    log.close()
    assert sorted(Access.objects.values_list("what", flat=True)) == ["action tables/FR1", "no badge from 10.0.0.1"]


@pytest.mark.django_db(transaction=True)
def test_what_waits_is_written_when_the_process_ends(settings: Any) -> None:
    settings.ACCESS_AT_ONCE = False
    here = Installation(house_settings())
    log = here.part(access_log)
    assert here.part(access_log) is log, "one a process"
    log.refused("dora", "t-1", "action tables/FR1", "403 no")
    here.close()
    assert Access.objects.get().what == "action tables/FR1"
