"""The wall display: open alerts for a large screen, acknowledged by events, for surveillance only."""

import re
import time
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from backoffice.access.models import Access, Look
from backoffice.models import Display, Person
from backoffice.people import display_keys
from backoffice.people.request_identity import listener
from backoffice.people.roles_allowed_per_page import WALLS
from backoffice.surveillance.large_screen_alert_content import wall_display, wall_mark
from projections.alerts.models import Alert
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.addresses import CLOSED
from tests.support.pages.page_actors import at, open_door
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db
URL, PART = "/alerts/wall", "/alerts/wall/part"


def mispay() -> Alert:
    return Alert.objects.get(name="mispay")


def do(house: House, kind: str, **data: Any) -> None:
    """Sven does something with the mispay, and the read models know it."""
    house.ok("alerts", mispay().id, "sven", house.action(kind, **data))
    evening_with_everything.project(house)


def row(client: Client, path: str = URL) -> str:
    """The mispay on the wall."""
    [item] = re.findall(rf'(?s)<li class="[^"]*" data-id="{mispay().id}".*?</li>', source(client, path))
    return str(item)


def test_it_shows_every_alert_that_is_not_closed(evening_house: House) -> None:
    page = words(at("sven"), URL)
    assert "Mispay" in page
    assert "high severity" in page
    total = Alert.objects.exclude(status="cleared").count()
    assert f"{total} alerts are not closed" in page
    do(evening_house, "alert.clear", disposition="mistake", reason="seen on camera 4")
    assert mispay().id not in source(at("sven"), URL)
    assert Alert.objects.filter(name="mispay").exists(), "an alert is never deleted"


def test_an_acknowledgement_is_an_event_that_every_wall_shows(evening_house: House) -> None:
    assert "data-new" in row(at("sven"))
    mark = wall_mark()
    do(evening_house, "alert.acknowledge")
    for person in ("sven", "olga"):
        assert "Acknowledged by" in row(at(person))
        assert "data-new" not in row(at(person))
    assert wall_mark() != mark, "the stream tells the walls"
    assert mispay().status == "open"
    [event] = [
        stored_event
        for stored_event in evening_house.store.after(0, 10_000)
        if stored_event.stream.endswith(mispay().id)
    ]
    assert event.type == "alert.acknowledged.v1"
    refused = evening_house.no("alerts", mispay().id, "sven", evening_house.action("alert.acknowledge"))
    assert (refused.status, "sven acknowledged this alert already." in refused.detail) == (422, True)


def test_a_reopened_alert_is_new_again(evening_house: House) -> None:
    do(evening_house, "alert.acknowledge")
    do(evening_house, "alert.clear", disposition="mistake", reason="seen")
    do(evening_house, "alert.reopen", reason="another chip")
    assert "data-new" in row(at("sven"))
    do(evening_house, "alert.acknowledge")
    assert "data-new" not in row(at("sven"))


def test_an_assigned_alert_is_not_new(evening_house: House) -> None:
    do(evening_house, "alert.assign", person="sven")
    assert "Assigned to" in row(at("sven"))
    assert "data-new" not in row(at("sven"))


def test_new_alerts_come_first(evening_house: House) -> None:
    first = wall_display().entries[0].alert.id
    evening_house.ok("alerts", first, "sven", evening_house.action("alert.acknowledge"))
    evening_with_everything.project(evening_house)
    shown = wall_display()
    assert [entry.is_new for entry in shown.entries] == sorted((entry.is_new for entry in shown.entries), reverse=True)
    assert shown.entries[-1].alert.id == first
    assert shown.new == shown.total - 1


def test_it_is_filtered_by_severity_and_rule(evening_house: House) -> None:
    severities = {severity: Alert.objects.filter(severity=severity).count() for severity in ("high", "medium", "low")}
    for severity, number in severities.items():
        assert len(wall_display(severity).entries) == number
    assert {entry.alert.name for entry in wall_display(name="mispay").entries} == {"mispay"}
    assert len(wall_display("nonsense", "nothing").entries) == sum(severities.values())
    assert 'value="mispay" selected' in source(at("sven"), f"{URL}?name=mispay")
    assert "No alerts" in words(at("sven"), f"{URL}?name=mispay&severity=low") or severities["low"]


def test_the_button_acknowledges_and_leads_back_to_the_wall(evening_house: House) -> None:
    sven = at("sven")
    [action] = re.findall(r'action="([^"]+alert\.acknowledge)"', row(sven))
    with open_door(evening_house):
        answer = sven.post(action, {"form-step": "send", "form-back": PART})
    evening_with_everything.project(evening_house)
    assert (answer.status_code, answer.headers.get("Location")) == (302, PART)
    assert "Acknowledged by" in row(sven, PART)
    assert "<html" not in source(sven, PART), "the alerts alone"


def test_nobody_acknowledges_an_alert_about_themselves(evening_house: House) -> None:
    evening_house.grant("dora", "surveillance")
    evening_with_everything.project(evening_house)
    assert "About you: another person decides." in row(at("dora"))
    assert "data-acknowledge" not in row(at("dora"))
    refused = evening_house.no("alerts", mispay().id, "dora", evening_house.action("alert.acknowledge"))
    assert "Another person must decide" in refused.detail


def test_the_auditor_reads_the_wall_and_acknowledges_nothing(evening_house: House) -> None:
    assert "data-acknowledge" not in source(at("olga"), URL)
    for person in ("ines", "anna", "adam"):
        for path in (URL, PART):
            assert at(person).get(path).status_code == 403


def test_a_wall_that_follows_leaves_one_line_in_the_access_log(evening_house: House) -> None:
    sven = at("sven")
    before = Look.objects.count()
    source(sven, URL)
    for number in range(3):
        source(sven, f"{PART}?seen={number}")
    assert Look.objects.count() == before + 1


# --- a screen that shows alerts without a sign-in ---------------------------------------------------------------------

SCREENS = "/alerts/wall/displays"


def set_up(person: str = "sven") -> tuple[Client, str]:
    """A screen that a person has set up, by the link of the page; and its name."""
    page = at(person).post(f"{SCREENS}/do/add").content.decode()
    [(name, code)] = re.findall(r"(wall-\d+):.*?/display#([\w-]+)", page, re.DOTALL)
    screen = Client()
    answer = screen.post("/display", {"code": code})
    assert (answer.status_code, screen.get("/display").headers["Location"]) == (302, URL)
    assert Client().post("/display", {"code": code}).status_code == 422, "the link works once"
    return screen, name


def test_a_screen_shows_alerts_without_a_sign_in_and_without_people(
    evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening_house.ok("alerts", mispay().id, "sven", evening_house.action("alert.assign", person="sven"))
    evening_with_everything.project(evening_house)
    screen, name = set_up()
    monkeypatch.setenv("PITLEDGER_IDLE_S", "60")
    monkeypatch.setattr("backoffice.people.idle_sign_out.time", SimpleNamespace(time=lambda: time.time() + 86_400))
    for path in (URL, PART):
        page = source(screen, path)
        assert mispay().id in page
        assert "data-acknowledge" not in page
        people = {alert.person for alert in Alert.objects.all()} | {"sven"} - {""}
        people |= set(Person.objects.exclude(name="").values_list("name", flat=True))
        assert not [each for each in people if each and re.search(rf">\s*{re.escape(each)}\b", page)]
    assert [(line.device, line.person) for line in Look.objects.filter(what__startswith=URL)] == [(name, "")]


def test_a_screen_opens_the_wall_and_nothing_else(evening_house: House) -> None:
    screen, _name = set_up()
    for address, rule in CLOSED:
        status = screen.get(address).status_code
        assert status == (200 if rule.walls else 403), address
    assert screen.post("/alerts/wall/displays/do/add").status_code == 403
    assert at("sven").get(URL).status_code == 200


def test_a_screen_stops_when_it_is_revoked_or_its_maker_leaves(
    evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.people.current_roles.REMEMBERED_S", -1.0)
    first, name = set_up()
    second, other = set_up()
    cookies = f"{display_keys.COOKIE}={second.cookies[display_keys.COOKIE].value}"
    assert WALLS.admits(listener(cookies))
    assert name in source(at("olga"), SCREENS)
    assert "Revoke" not in source(at("olga"), SCREENS)
    for stranger in ("olga", "paul"):
        assert at(stranger).post(f"{SCREENS}/do/revoke", {"name": name}).status_code == 403
    at("sven").post(f"{SCREENS}/do/revoke", {"name": name})
    assert (first.get(URL).status_code, second.get(URL).status_code) == (302, 200)
    assert name not in source(at("sven"), SCREENS)
    Person.objects.filter(id="sven").update(is_active=False)
    assert second.get(URL).status_code == 302
    Person.objects.filter(id="sven").update(is_active=True)
    evening_house.grant("sid", "surveillance")
    evening_house.ok("people", "", "adam", evening_house.action("role.revoke", person="sven", role="surveillance"))
    assert second.get(URL).status_code == 302
    assert not WALLS.admits(listener(cookies))
    lines = {line.what for line in Access.objects.filter(person="sven")}
    assert {f"people display {name}", f"people display {other}", f"people revoke {name}"} <= lines


def test_a_screen_of_signs_is_not_revoked_here(evening_house: House) -> None:
    display_keys.invite("bar", "adam")
    at("sven").post(f"{SCREENS}/do/revoke", {"name": "bar"})
    assert Display.objects.get(id="bar").code
