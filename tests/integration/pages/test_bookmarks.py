"""Bookmarks of video: made by one key from a replay, an event or an alert; never twice; warned before they expire."""

import csv
import io
import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command

from backoffice.access.models import Look
from events.integrity.signed_head_stores import Heads, MemoryHeads
from projections.alerts.models import Alert
from projections.eventlog.models import EventLog
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_actors import InProcessDoor, at, done, open_door
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db
ROUND = f"/tables/BJ1/{DAY}/rounds/1"


@pytest.fixture(autouse=True)
def _own_access_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_ACCESS", f"sqlite:///{tmp_path}/notes.sqlite3")
    monkeypatch.setattr("backoffice.people.current_roles.REMEMBERED_S", -1.0)


@pytest.fixture
def door(evening_house: House) -> Iterator[InProcessDoor]:
    set_house(evening_house, "cameras", "BJ1: C101, C102; FR1: C110")
    with open_door(evening_house) as opened_door:
        yield opened_door


def set_house(house: House, setting: str, value: Any) -> None:
    change = house.action("setting.change", setting=setting, value=value)
    house.agreed("house", "", ("anna", "sven"), change)
    evening_with_everything.project(house)


def opened(house: House, person: str = "sven", **fields: Any) -> str:
    data = {"title": "Short pays", "category": "theft", "severity": "high", **fields}
    [event] = house.ok("cases", "new", person, house.action("case.open", **data))
    evening_with_everything.project(house)
    return str(event.data.case)


def bookmarks_of(case: str, person: str = "sven") -> list[dict[str, Any]]:
    answer = at(person).get(f"/api/v1/cases/{case}").json()
    return list(answer["case"]["bookmarks"])


def address_of(page: str) -> str:
    """The address of the form that the control of a page opens."""
    [link] = re.findall(r'data-bookmark[^>]*href="([^"]+)"', page)
    return str(link).replace("&amp;", "&")


def filled(client: Any, address: str) -> dict[str, Any]:
    """The values that a browser sends with the unchanged form."""
    answer = client.get(address)
    assert answer.status_code == 200
    form, text = answer.context["bookmark"], answer.content.decode()
    assert 'action="/bookmark/make"' in text
    return {
        "form": form.form,
        "back": form.back,
        "event": form.subject.event,
        "alert": form.subject.alert,
        "case": form.case,
        **form.opening,
        "camera": [name for name, is_chosen in form.cameras if is_chosen],
        "since": form.since,
        "until": form.until,
    }


def test_one_key_bookmarks_the_cameras_of_the_table_around_the_step(door: InProcessDoor) -> None:
    sven = at("sven")
    page = source(sven, f"{ROUND}?step=3")
    step = sven.get(f"/api/v1{ROUND}?step=3").json()["steps"][2]
    sent = filled(sven, address_of(page))
    assert (sent["event"], sent["camera"], sent["case"]) == (step["id"], ["C101", "C102"], "new")
    answer = sven.post("/bookmark/make", sent)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{ROUND}?step=3")
    [case] = sven.get("/api/v1/cases").json()["cases"]
    made = bookmarks_of(case["id"])
    moment = datetime.fromisoformat(step["time"])
    minute = timedelta(minutes=1)
    for bookmark, camera in zip(made, ("C101", "C102"), strict=True):
        assert (bookmark["camera"], bookmark["ref_event"], bookmark["table"]) == (camera, step["id"], "BJ1")
        ends = [datetime.fromisoformat(bookmark[name]) for name in ("from", "to", "expires")]
        assert ends == [moment - minute, moment + minute, moment + minute + timedelta(days=7)]
    # From now on one press is enough: at another step, and twice.
    page = source(sven, f"{ROUND}?step=5")
    other = sven.get(f"/api/v1{ROUND}?step=5").json()["steps"][4]["id"]
    assert re.search(r"<button[^>]*data-bookmark", page)
    assert case["title"] in page
    for _press in range(2):
        answer = sven.post("/bookmark/make", {"event": other, "back": f"{ROUND}?step=5"})
        assert (answer.status_code, answer.headers["Location"]) == (302, f"{ROUND}?step=5")
    assert [bookmark["ref_event"] for bookmark in bookmarks_of(case["id"])] == [step["id"]] * 2 + [other] * 2
    assert "Bookmarked in" in words(sven, f"{ROUND}?step=5")


def test_a_form_that_is_sent_twice_opens_one_case_and_makes_each_bookmark_once(door: InProcessDoor) -> None:
    sven, event = at("sven"), EventLog.objects.filter(table="BJ1").order_by("position")[3]
    sent = filled(sven, f"/bookmark?event={event.stream}@{event.version}&back=/events/{event.position}")
    for _press in range(3):
        assert sven.post("/bookmark/make", sent).status_code == 302
    [case] = sven.get("/api/v1/cases").json()["cases"]
    assert len(bookmarks_of(case["id"])) == 2
    again = filled(sven, f"/bookmark?event={event.stream}@{event.version}") | {"case": case["id"]}
    assert sven.post("/bookmark/make", again).status_code == 302
    assert len(bookmarks_of(case["id"])) == 2


def test_an_alert_is_bookmarked_from_its_first_event_to_its_last(door: InProcessDoor) -> None:
    sven, alert = at("sven"), Alert.objects.get(name="mispay")
    case = opened(door.house, alerts=[alert.id])
    sent = filled(sven, address_of(source(sven, f"/alerts/{alert.id}")))
    assert (sent["alert"], sent["case"]) == (alert.id, case)
    assert sven.post("/bookmark/make", sent).headers["Location"] == f"/alerts/{alert.id}"
    times = [EventLog.objects.named(event).values_list("time", flat=True).get() for event in json.loads(alert.events)]
    for bookmark in bookmarks_of(case):
        assert bookmark["ref_alert"] == alert.id
        assert datetime.fromisoformat(bookmark["from"]) < min(times)
        assert max(times) < datetime.fromisoformat(bookmark["to"])


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("camera", [], "No camera is chosen"),
        ("case", "", "No case is chosen"),
        ("since", "noon", "A time is missing or wrong"),
        ("until", "2020-01-01T00:00:00", "before"),
        ("other", "C7; <b>", ""),
    ],
)
def test_a_form_that_lacks_something_is_shown_again(door: InProcessDoor, field: str, value: Any, message: str) -> None:
    sven, event = at("sven"), EventLog.objects.filter(table="BJ1").order_by("position")[3]
    case = opened(door.house)
    sent = filled(sven, f"/bookmark?event={event.stream}@{event.version}") | {"case": case, "note": "the left hand"}
    answer = sven.post("/bookmark/make", sent | {field: value})
    if field == "other":
        assert answer.status_code == 302  # a camera's name is a text
        return
    text = answer.content.decode()
    assert answer.status_code == 422
    assert message in text
    assert "the left hand" in text
    assert bookmarks_of(case) == []


def test_who_may_not_see_an_event_an_alert_or_a_case_gets_no_bookmark_of_it(door: InProcessDoor) -> None:
    house, alert = door.house, Alert.objects.get(name="mispay")
    event = EventLog.objects.filter(table="BJ1").order_by("position")[3]
    name, case = f"{event.stream}@{event.version}", opened(house, subjects=["paul"])
    assert at("paul").get(f"/bookmark?alert={alert.id}").status_code == 404
    assert at("sid").get(f"/bookmark?event={name}").status_code == 404
    assert at("dora").get("/bookmark").status_code == 403
    assert at("paul").get(f"/bookmark?event={name}").status_code == 200
    assert case not in source(at("paul"), f"/bookmark?event={name}")
    sent = filled(at("paul"), f"/bookmark?event={name}") | {"case": case}
    nowhere = at("paul").post("/bookmark/make", sent | {"case": "0" * 16})
    assert (nowhere.status_code, at("paul").post("/bookmark/make", sent).status_code) == (404, 404)
    assert bookmarks_of(case) == []
    assert "data-bookmark" not in source(at("anna"), ROUND)
    for address in ("bookmarks.csv", "bookmarks.json"):
        assert at("paul").get(f"/cases/{case}/{address}").status_code == 404


def test_a_case_that_was_taken_from_me_is_no_longer_the_last_one(door: InProcessDoor) -> None:
    house, sven = door.house, at("sven")
    event = EventLog.objects.filter(table="BJ1").order_by("position")[3]
    case = opened(house, "olga", title="Quite another thing", roles=["surveillance"])
    sent = filled(sven, f"/bookmark?event={event.stream}@{event.version}") | {"case": case}
    assert sven.post("/bookmark/make", sent).status_code == 302
    assert "Quite another thing" in source(sven, ROUND)
    house.ok("cases", case, "olga", house.action("case.add", subjects=["sven"]))
    assert "Quite another thing" not in source(sven, ROUND)
    answer = sven.post("/bookmark/make", {"event": f"{event.stream}@{event.version}"})
    assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (302, "/bookmark")


# --- expiry -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "after", "warning"), [(7, 4.99, "no"), (7, 5.01, "yes"), (7, 7.01, "no"), (9, 6.99, "no")]
)
def test_nigc_543_a_recording_of_seven_days_is_warned_of_before_it_expires(
    door: InProcessDoor, monkeypatch: pytest.MonkeyPatch, days: int, after: float, warning: str
) -> None:
    house = door.house
    if days != 7:
        set_house(house, "video_days", days)
    house.grant("sara", "surveillance")
    case = opened(house, roles=["surveillance"])
    end = datetime.fromisoformat("2026-11-20T20:05:00+00:00")
    times = {"from": "2026-11-20T20:00:00.000Z", "to": "2026-11-20T20:05:00.000Z"}
    house.ok("cases", case, "sven", house.action("case.bookmark", camera="C7", **times))
    evening_with_everything.project(house)
    monkeypatch.setattr(
        "backoffice.cases.video_bookmarks.expired_and_expiring_recordings.clock.moment",
        lambda: end + timedelta(days=after),
    )
    for person in ("sven", "sara", "paul"):
        text = words(at(person), "/inbox")
        assert ("recording of camera C7 expires" in text) == (warning == "yes" and person != "paul"), person
        assert ("Protect the recording" in text) == (warning == "yes" and person != "paul")


def test_nigc_543_a_protected_recording_is_kept_for_thirty_days(
    door: InProcessDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, sven = door.house, at("sven")
    case = opened(house)
    times = {"from": "2026-11-20T20:00:00.000Z", "to": "2026-11-20T20:05:00.000Z"}
    house.ok("cases", case, "sven", house.action("case.bookmark", camera="C7", **times))
    evening_with_everything.project(house)
    moment = datetime.fromisoformat("2026-11-26T20:05:00+00:00")
    monkeypatch.setattr("backoffice.cases.video_bookmarks.expired_and_expiring_recordings.clock.moment", lambda: moment)
    [link] = re.findall(rf'href="(/cases/{case}/do/case.bookmark[^"]*)"', source(sven, "/inbox"))
    answer, _sent = done(sven, link.replace("&amp;", "&"))
    assert (answer.status_code, answer.headers["Location"]) == (302, "/inbox")
    assert [each["expires"] for each in bookmarks_of(case)] == ["2026-11-27T20:05:00.000Z", "2026-12-20T20:05:00.000Z"]
    assert "expires" not in words(sven, "/inbox").replace("expires in", "")
    assert words(sven, f"/cases/{case}").count("C7") == 1
    event = EventLog.objects.filter(table="BJ1").order_by("position")[3]
    sent = filled(sven, f"/bookmark?event={event.stream}@{event.version}")
    sven.post("/bookmark/make", sent | {"case": case, "kept": "protected"})
    last = bookmarks_of(case)[-1]
    assert datetime.fromisoformat(last["expires"]) - datetime.fromisoformat(last["to"]) == timedelta(days=30)


# --- exports ----------------------------------------------------------------------------------------------------------


@pytest.mark.django_db(databases="__all__")
def test_bookmarks_are_exported_from_the_page_the_command_and_with_the_case(
    door: InProcessDoor, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, sven = door.house, at("sven")
    case = opened(house)
    times = {"from": "2026-11-20T20:00:00.000Z", "to": "2026-11-20T20:05:00.000Z"}
    house.ok("cases", case, "sven", house.action("case.bookmark", camera="C7", **times, note="=1+1", table="BJ1"))
    evening_with_everything.project(house)
    page = source(sven, f"/cases/{case}")
    contents = {}
    for name in ("bookmarks.csv", "bookmarks.json"):
        assert f"/cases/{case}/{name}" in page
        answer = sven.get(f"/cases/{case}/{name}")
        assert answer.status_code == 200
        contents[name] = answer.content.decode()
        assert Look.objects.filter(kind="export", what__contains=f"{case}/{name}", person="sven").count() == 1
    [row] = csv.DictReader(io.StringIO(contents["bookmarks.csv"]))
    assert (row["camera"], row["from"], row["expires"]) == ("C7", times["from"], "2026-11-27T20:05:00.000Z")
    assert row["note"] == "'=1+1"
    [body] = json.loads(contents["bookmarks.json"])
    assert (body["timeBegin"], body["timeEnd"]) == (times["from"], times["to"])
    house.store.process_cache.get((Heads,), MemoryHeads)
    monkeypatch.setattr("backoffice.management.commands.case.open_store", lambda _address: _Open(house.store))
    for name in ("bookmarks.csv", "bookmarks.json"):
        call_command("case", "bookmarks", case, str(tmp_path / name), "--as", "sven", stdout=io.StringIO())
        assert (tmp_path / name).read_bytes().decode() == contents[name]
    assert Look.objects.filter(kind="export", what=f"case bookmarks {case}", person="sven").count() == 2


class _Open:
    """A store that stays open for the test when a command closes it."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return (lambda: None) if name == "close" else getattr(self._store, name)
