"""Access by role: every address, asked as every role and without sign-in, answers by its declared rule.

The addresses come from the resolver and the rules from the declarations, so that new addresses are tested too.
"""

import html
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver, resolve, reverse

from backoffice.access.models import Access
from backoffice.kit.reader_and_read_rule_types import KNOWN, Reader
from backoffice.people import badge_and_key_authentication, display_keys
from backoffice.people.request_identity import listener
from backoffice.people.roles_allowed_per_page import SIGNS
from backoffice.urls import unruled
from events.people.authority import ANSWERS
from tests.support.houses.small_house import House
from tests.support.pages.addresses import ABSENT, CASE, CLOSED, OF_NO_CASE, PATTERNS, READ, READS, ROLES
from tests.support.pages.sign_in import next_page, session_of, signed_in

pytestmark = pytest.mark.django_db


def test_every_address_has_a_rule_and_only_these_are_anybodys() -> None:
    assert unruled(get_resolver().url_patterns) == []
    assert unruled([URLPattern(PATTERNS[0][1].pattern, lambda request: None)]) != []
    assert {address for address, rule in READS if rule.public} == {
        "/healthz", "/readyz", "/start", "/api/v1/openapi.json", "/^api/",  # whatever is not there
        "/metrics",  # they have networks and a token of their own: backoffice/http/monitoring_access.py
        "/account/mail", "/account/language",  # of whoever is signed in
        "/table/FR1", "/table/FR1/manifest.webmanifest", "/table/sw.js",  # the page without its table's state
        "/table/pair", "/table/pairings/FR1",  # they ask for the code, and for the device's cookie
        "/table/confirm/FR1",  # of whoever is signed in
        # they ask for the device and its badges
        *(f"/table/FR1/{part}" for part in ("session", "state", "queue", "entries", "reader", "second", "second/FR1")),
        "/api/v1/tables/actions", "/api/v1/tables/FR1/actions", "/api/v1/tables/FR1/layout",  # they ask for a badge
        *(f"/api/v1/cases/{CASE}/{part}" for part in ("attachments", "exports")),  # so do they
    }  # fmt: skip
    assert len(CLOSED) >= 26


def closed_links(answer: Any, reader: Reader) -> list[str]:
    """Return the targets of a page's links and forms that would refuse its reader."""
    if not answer.headers.get("Content-Type", "").startswith("text/html") or answer.streaming:
        return []
    led = set(re.findall(r'(?:href|action)="(/[^"?#]*)', answer.content.decode()))
    led = {path for path in led if not path.startswith("/static/")}
    return sorted(path for path in led if not getattr(resolve(path).func, "open_to", KNOWN).admits(reader))


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_answered_by_the_rules(evening_house: House, role: str) -> None:
    if role not in ("administrator", "auditor"):
        evening_house.grant("maria", role)
    person = {"administrator": "adam", "auditor": "olga"}.get(role, "maria")
    client = signed_in(Client(), person)
    for address, rule in CLOSED:
        answer = client.get(address)
        status, reader = answer.status_code, Reader(person, frozenset({role}))
        if rule.admits(reader):
            assert status in (200, 204, 302) or address in (*ABSENT, *OF_NO_CASE), address
            assert closed_links(answer, reader) == [], address
        else:
            assert status == 403, address


def test_a_badge_is_answered_as_its_person_by_the_interface_and_by_no_page(evening_house: House) -> None:
    for person, role in (("cage", "cage"), ("olga", "auditor"), ("nemo", "")):
        headers = {"Authorization": f"Bearer {badge_and_key_authentication.issue_badge(person)}"}
        for address, rule in CLOSED:
            status = Client().get(address, headers=headers).status_code
            if not address.startswith("/api/"):
                assert status == 302, address
            else:
                there = 404 if address in (*OF_NO_CASE, "/api/v1/draws/FR1") else 200
                assert status == (there if rule.admits(Reader(person, frozenset({role}))) else 403), address


def test_nobody_is_shown_the_way_in(evening_house: House) -> None:
    for address, _rule in CLOSED:
        for client in (Client(), Client(headers={"Authorization": "Bearer wrong", "Pitledger-Device": "wrong"})):
            response = client.get(address)
            if address.startswith("/api/"):
                assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Bearer"), address
            else:
                assert response.status_code == 302, address
                assert next_page(response.headers["Location"]) == (reverse("start") if address == "/" else address)


def test_a_part_that_follows_has_its_page_sign_in(evening_house: House) -> None:
    response = Client().get("/floor/live?seen=1", headers={"HX-Request": "true"})
    assert (response.status_code, response.headers["HX-Refresh"]) == (401, "true")


def test_the_auditor_reads_everything_and_an_administrator_no_money() -> None:
    assert all(rule.known or "auditor" in rule.roles for _address, rule in READ)
    # What waits in the inbox for an administrator is the floor's.
    theirs = ("/people", "/inbox", "/first-steps", "/system", "/api/v1/system")
    assert all("administrator" not in rule.roles for address, rule in READ if not address.startswith(theirs))


def test_an_auditor_does_nothing_and_an_administrator_nothing_with_money() -> None:
    forms = {address.rpartition("/do/")[2]: rule for address, rule in CLOSED if "/do/" in address}
    assert len(forms) > 30
    of_cases = {name for name, rule in forms.items() if name.startswith("case.")}  # also those about surveillance
    assert not any("auditor" in rule.roles for name, rule in forms.items() if name not in of_cases | set(ANSWERS))
    theirs = {name for name, rule in forms.items() if "administrator" in rule.roles and "approval." not in name}
    events = {name for name in theirs if "." in name}
    assert events == {"role.grant", "role.revoke", "person.admit", "table.install"}


def test_a_terminal_s_key_opens_what_has_no_money(evening_house: House) -> None:
    headers = {"Pitledger-Device": badge_and_key_authentication.issue_device_key("t1", "FR1")}
    for address, rule in CLOSED:
        if address.startswith("/api/"):
            assert Client().get(address, headers=headers).status_code == (200 if rule.known else 403), address


def test_a_role_that_was_taken_opens_nothing_a_second_later(
    evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(Client(), "anna")
    assert client.get("/").status_code == 200
    revoke = evening_house.action("role.revoke", person="anna", role="accountant")
    evening_house.ok("people", "", "adam", revoke)
    monkeypatch.setattr("backoffice.people.current_roles.REMEMBERED_S", -1.0)
    assert client.get("/").status_code == 403


def test_who_is_refused_stands_in_the_access_log(evening_house: House) -> None:
    signed_in(Client(), "dora").get("/?gaming_day=secret")
    Client().get("/api/v1/tables")
    lines = {(line.person, line.what, line.outcome[:3]) for line in Access.objects.all()}
    assert lines == {("dora", "read /", "403"), ("", "no badge from 127.0.0.1", "401")}


@pytest.mark.parametrize(
    ("person", "first"), [("olga", "/"), ("cage", "/cage"), ("cora", "/count-room"), ("adam", "/inbox")]
)
def test_after_signing_in_people_come_to_what_is_theirs(evening_house: House, person: str, first: str) -> None:
    assert signed_in(Client(), person).get(reverse("start")).headers["Location"] == first
    assert next_page(Client().get(reverse("start")).headers["Location"]) == reverse("start")


@pytest.mark.parametrize(
    ("person", "why"), [("dora", "Record your actions at the table's terminal"), ("nemo", "You have no role yet")]
)
def test_who_may_open_no_page_lands_on_their_work(evening_house: House, person: str, why: str) -> None:
    client = signed_in(Client(), person)
    there = client.get(reverse("start"))["Location"]
    assert there == reverse("work")
    assert why in html.unescape(client.get(there).content.decode())


def test_a_display_opens_the_signs_and_nothing_else(evening_house: House) -> None:
    screen, code = Client(), display_keys.invite("bar", "adam")
    assert screen.post("/display", {"code": "wrong"}).status_code == 422
    assert screen.post("/display", {"code": code}).status_code == 302
    assert "/progressives/blazing/sign" in screen.get("/display").content.decode()
    for address, rule in CLOSED:
        status = screen.get(address).status_code
        if not address.startswith("/api/"):
            assert status == (200 if rule.displays else 403), address
    assert Client().post("/display", {"code": code}).status_code == 422  # it works once
    assert display_keys.COOKIE not in str(screen.get("/display").content)


def test_a_display_whose_key_was_revoked_or_made_anew_is_nobody(evening_house: House) -> None:
    for end in (lambda: display_keys.revoke("bar"), lambda: display_keys.invite("bar", "adam")):
        screen = Client()
        screen.post("/display", {"code": display_keys.invite("bar", "adam")})
        assert screen.get("/progressives/blazing/sign").status_code == 200
        end()
        assert screen.get("/progressives/blazing/sign").status_code == 302


def test_a_stream_goes_by_the_cookies_that_came_with_it(evening_house: House) -> None:
    screen = Client()
    screen.post("/display", {"code": display_keys.invite("bar", "adam")})
    cases = {"olga": True, "dora": True, "adam": False}
    for person, may in cases.items():
        assert SIGNS.admits(listener(f"sessionid={session_of(person)}")) == may
    assert SIGNS.admits(listener(f"{display_keys.COOKIE}={screen.cookies[display_keys.COOKIE].value}"))
    assert listener("").is_nobody
    idle = session_of("olga", seen_at=0)
    assert listener(f"sessionid={idle}").is_nobody
