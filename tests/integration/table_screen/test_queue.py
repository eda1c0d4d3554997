"""The queue on the house's side: first answers, kills, two at once, times without signal, reliefs, the pen, clocks."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connections
from pytest_django.plugin import DjangoDbBlocker

from backoffice.models import BadgeSession, QueueEntry, TableDevice
from backoffice.people import badge_and_key_authentication
from backoffice.table_screen import action_sending_to_front_door, device_authentication, received_entry_processing
from backoffice.table_screen.action_sending_to_front_door import DeskAnswer
from backoffice.table_screen.queued_entry_structs_and_chain import SignedEntry
from backoffice.table_screen.received_entry_processing import Clock
from events.runtime import clock
from projections.alerts.models import Alert
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, serving
from tests.support.pages.page_actors import open_door
from tests.support.processes.scratch_databases import as_default, read_models
from tests.support.tables.table_device import Tablet, act, paired

pytestmark = pytest.mark.django_db
STAKE = {"wager": "red", "amount_minor": 500, "player": "p1"}


def dealing(house: House, table: str = "FR1") -> Tablet:
    tablet = paired(house, table)
    assert tablet.come(badge_and_key_authentication.issue_badge("dora")).status_code == 200
    return tablet


def stake(name: str, **fields: Any) -> dict[str, Any]:
    return act("bet.place", bet=name, **{**STAKE, **fields})


def recorded(house: House, after: int = 0) -> list[dict[str, Any]]:
    return [json.loads(stored_event.raw) for stored_event in house.store.after(after, 1_000)]


def ago(seconds: float) -> str:
    return clock.event_time(clock.moment() - timedelta(seconds=seconds))


def test_a_killed_answer_is_given_again_and_nothing_is_done_twice(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    tablet = dealing(house)
    entry, real = tablet.entry(act("round.open")), action_sending_to_front_door.send

    def killed(*arguments: Any) -> DeskAnswer:
        real(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(received_entry_processing, "send", killed)
    with pytest.raises(KeyboardInterrupt):
        tablet.send([entry])
    monkeypatch.setattr(received_entry_processing, "send", real)
    before = house.store.position()
    assert not QueueEntry.objects.exists()  # an entry is stored with its answer
    answer = tablet.send([entry]).json()["answers"][0]
    assert (answer["status"], answer["replies"][0]["repeated"]) == (200, True)
    assert house.store.position() == before
    assert tablet.send([entry]).json()["answers"][0] == answer


def test_a_house_that_does_not_answer_keeps_the_order(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    tablet = dealing(house)
    silent = DeskAnswer(503, 0, [{"status": 503, "title": "Try again", "detail": "later"}], is_final=False)
    entries, real = [tablet.entry(act("round.open")), tablet.entry(stake("a"))], action_sending_to_front_door.send
    monkeypatch.setattr(received_entry_processing, "send", lambda *_: silent)
    assert [entry["status"] for entry in tablet.send(entries).json()["answers"]] == [503, 503]
    monkeypatch.setattr(received_entry_processing, "send", real)
    third = tablet.entry(stake("b"))
    assert [entry["status"] for entry in tablet.send([third]).json()["answers"]] == [200]
    assert [entry["status"] for entry in tablet.send(entries).json()["answers"]] == [200, 200]
    names = [event["data"]["bet"] for event in recorded(house) if event["type"] == "bet.placed.v1"]
    assert names == ["a", "b"]


def test_a_refusal_is_the_first_answer_for_good(house: House) -> None:
    tablet = dealing(house)
    entry = tablet.entry(stake("a"))
    refused = tablet.send([entry]).json()["answers"][0]
    assert (refused["status"], refused["state"]) == (422, "done")
    tablet.send([tablet.entry(act("round.open"))])
    assert tablet.send([entry]).json()["answers"][0] == refused


def test_a_time_without_signal_is_marked_reported_and_raises_an_alert(house: House) -> None:
    tablet = dealing(house)
    tablet.send([tablet.entry(act("round.open"))])
    before = house.store.position()
    times = [ago(20), ago(10)]
    queued = [
        tablet.entry(stake("a"), queued=True, time=times[0]),
        tablet.entry(stake("b", amount_minor=700), queued=True, time=times[1]),
    ]
    assert [entry["status"] for entry in tablet.send(queued).json()["answers"]] == [200, 200]
    tablet.send(queued)  # once more: nothing is reported twice
    first, second, back = recorded(house, before)
    assert [first["time"], second["time"]] == times
    assert first["recordedat"] > first["time"]
    assert first["queued"] is second["queued"] is True
    assert (first["intent"], first["deviceseq"]) == ("fact", 2)
    assert "queued" not in back
    assert back["type"] == "device.reconnected.v1"
    assert back["data"] == {
        "device": tablet.device, "table": "FR1", "since": times[0], "until": times[1], "entries": 2
    }  # fmt: skip
    evening_with_everything.project(house)
    alert = Alert.objects.get(name="without signal")
    alert_data = json.loads(alert.data)
    assert (alert_data["sum"], alert_data["stakes"], alert_data["device"]) == (1_200, 1_200, tablet.device)


def test_answered_entries_are_deleted_after_their_retention(house: House) -> None:
    tablet = dealing(house)
    entries = [tablet.entry(act("round.open")), tablet.entry(stake("a")), tablet.entry(stake("b"), session="gone")]
    tablet.send(entries)
    QueueEntry.objects.update(received_at=clock.moment() - timedelta(days=received_entry_processing.RETENTION_DAYS + 1))
    tablet.send([tablet.entry(stake("c"))])
    before = house.store.position()
    tablet.come(badge_and_key_authentication.issue_badge("dora"))
    assert [(row.seq, row.state) for row in QueueEntry.objects.order_by("seq")] == [(3, "held"), (4, "done")]
    again = tablet.send(entries[:2]).json()["answers"]  # a tablet that never got the answers
    assert [(entry["status"], entry["state"]) for entry in again] == [(200, "done")] * 2
    assert house.store.position() == before


def test_what_needs_the_house_cannot_be_queued(house: House) -> None:
    house.open_table("BJ1")
    tablet = dealing(house, "BJ1")
    arm = tablet.entry(act("progressive.arm"), queued=True)
    void = tablet.entry(act("round.void", round=1, reason="no"), queued=True)
    answers = tablet.send([arm, void]).json()["answers"]
    assert [entry["problem"]["clause"] for entry in answers] == ["house queue", "house queue"]


def test_a_relief_without_signal_waits_for_its_badge(house: House) -> None:
    house.grant("dino", "dealer")
    tablet = dealing(house)
    before = house.store.position()
    entries = [
        tablet.entry(act("round.open"), queued=True),
        tablet.entry(stake("a"), queued=True, session="relief-1"),
    ]
    entries_ = tablet.send(entries).json()["answers"]
    assert [(entry["status"], entry["state"]) for entry in entries_] == [(200, "done"), (202, "unverified")]
    tablet.come(badge_and_key_authentication.issue_badge("ines"), "inspector")
    assert [wait["state"] for wait in tablet.state().json()["waits"]] == ["unverified"]
    assert tablet.come(badge_and_key_authentication.issue_badge("dino"), relief="relief-1").status_code == 200
    assert [entry["status"] for entry in tablet.send(entries).json()["answers"]] == [200, 200]
    made = [(event["type"], event["actor"]) for event in recorded(house, before) if "queued" in event]
    assert made == [("round.opened.v1", "dora"), ("bet.placed.v1", "dino")]


def test_the_pen_is_asked_for_across_devices(house: House) -> None:
    first, other = dealing(house), paired(house)
    other.come(badge_and_key_authentication.issue_badge("ines"), "inspector")
    queued = [first.entry(act("round.open"), queued=True, time=ago(30))]
    other.send([other.entry(act("limits.post", minimum_minor=500, maxima_minor={}), role="inspector")])
    answer = first.send(queued)
    assert (answer.status_code, answer.json()["code"]) == (409, "pen-elsewhere")
    assert answer.json()["params"]["device"] == other.device
    assert other.state().json()["pen"] == {**other.state().json()["pen"], "device": other.device, "is_here": True}
    assert first.send(queued, take_pen=True).json()["answers"][0]["status"] == 200
    assert first.send(queued).status_code == 200  # it was taken: the first answer again


def test_a_wrong_clock_is_shown_and_corrected_for(house: House) -> None:
    tablet = dealing(house)
    behind = timedelta(hours=2)
    sent = clock.event_time(clock.moment() - behind)
    entry = tablet.entry(act("round.open"), queued=True, time=sent)
    assert tablet.send([entry], sent=sent).json()["answers"][0]["status"] == 200
    event = recorded(house)[-2]
    apart = datetime.fromisoformat(event["recordedat"]) - datetime.fromisoformat(event["time"])
    assert abs(apart.total_seconds()) < 60
    assert abs(tablet.state().json()["device"]["clock_behind_ms"] - 7_200_000) < 60_000
    assert json.loads(QueueEntry.objects.get().body)["time"] == sent  # as the device said it


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def raced_house(
    request: pytest.FixtureRequest,
    tmp_path: Any,
    db: None,
    django_db_blocker: DjangoDbBlocker,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[House, str]]:
    """Yield a house whose directory is a database that threads share, and its URL."""
    new: Callable[[], str] | None = request.getfixturevalue("new_database") if request.param == "postgres" else None
    url = new() if new is not None else f"sqlite:///{tmp_path}/read.sqlite3"
    monkeypatch.setattr(device_authentication, "REMEMBERED_S", -1.0)
    with django_db_blocker.unblock(), read_models(url) as alias, as_default(alias):
        house = House()
        house.open_table("FR1")
        monkeypatch.setattr(evening_with_everything, "project", lambda *_: None)  # of which no two go at once
        with serving(house), open_door(house):
            yield house, alias
        house.close()


def test_two_at_once_take_each_entry_once(raced_house: tuple[House, str], monkeypatch: pytest.MonkeyPatch) -> None:
    house, alias = raced_house
    tablet = dealing(house)
    entries = [tablet.entry(act("round.open")), *(tablet.entry(stake(f"b{n}")) for n in range(6))]
    monkeypatch.setattr(received_entry_processing, "_locks", _NoLocks())  # as two processes would
    gate = threading.Barrier(2)

    def send() -> list[int]:
        with as_default(alias):
            device, sessions = TableDevice.objects.get(), list(BadgeSession.objects.all())
            sent = [SignedEntry(**entry) for entry in entries]
            gate.wait()
            try:
                return [entry.status for entry in received_entry_processing.receive(device, sessions, sent, Clock())]
            finally:
                connections[alias].close()

    with ThreadPoolExecutor(2) as pool:
        answers = [work.result(60) for work in [pool.submit(send) for _ in range(2)]]
    assert answers == [[200] * 7, [200] * 7]
    made = [event["type"] for event in recorded(house) if event.get("actordevice") == tablet.device]
    assert made == ["round.opened.v1", *["bet.placed.v1"] * 6]
    assert QueueEntry.objects.count() == 7


class _NoLocks:
    """Locks without effect."""

    def __getitem__(self, _name: str) -> Any:
        return threading.Lock()
