"""A second person approves at the screen: on a phone with a code, or by a one-time code, and in no other way."""

import re
import time
from typing import Any

import pytest
from allauth.mfa.totp.internal import auth as totp
from django.test import Client

from backoffice.people import badge_and_key_authentication
from tests.support.houses.small_house import House
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import without_form_secrets
from tests.support.pages.sign_in import code, enrolled, wrong_codes
from tests.support.tables.table_device import Tablet, act, paired

pytestmark = pytest.mark.django_db


def requested_void(house: House) -> tuple[Tablet, dict[str, Any]]:
    tablet = paired(house)
    tablet.come(badge_and_key_authentication.issue_badge("dora"))
    tablet.come(badge_and_key_authentication.issue_badge("ines"), "inspector")
    tablet.send([tablet.entry(act("round.open"))])
    void = tablet.entry(act("round.void", round=1, reason="no spin"), role="inspector")
    [answer] = tablet.send([void]).json()["answers"]
    request: dict[str, Any] = answer["replies"][0]["events"][0]["event"]["data"]
    return tablet, request


def second(tablet: Tablet, request: dict[str, Any], **fields: Any) -> dict[str, Any]:
    give = {"type": "approval.give", "data": {"request": request["request"], "content": request["content"]}}
    question = {"session": tablet.sessions["inspector"], "action": give, **fields}
    answer = tablet.post(f"/table/{tablet.table}/second", question)
    assert answer.status_code == 200, answer.content
    answered: dict[str, Any] = answer.json()
    return answered


def state(tablet: Tablet, shown: dict[str, Any]) -> str:
    return str(tablet.client.get(f"/table/{tablet.table}/second/{shown['id']}").json()["state"])


def test_two_people_agree_on_their_phones(house: House) -> None:
    tablet, request = requested_void(house)
    for person in ("paul", "sven"):
        shown = second(tablet, request)
        page = at(person).get(f"/table/confirm/{shown['code']}")
        text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))
        assert "no spin" in text
        assert "ines" in text
        assert state(tablet, shown) == "waiting"
        assert b"Done" in at(person).post(f"/table/confirm/{shown['code']}").content
        assert state(tablet, shown) == "done"
        assert b"answered already" in at(person).get(f"/table/confirm/{shown['code']}").content
    assert house.store.after(0, 10_000)[-1].type == "round.voided.v1"


def test_somebody_without_the_role_or_signed_out_agrees_to_nothing(house: House) -> None:
    tablet, request = requested_void(house)
    shown = second(tablet, request)
    before = house.store.position()
    assert Client().get(f"/table/confirm/{shown['code']}").status_code == 302
    answer = at("dora").post(f"/table/confirm/{shown['code']}")
    assert "Done" not in without_form_secrets(answer.content.decode())
    assert at("paul").get("/table/confirm/ABCDEFGH").status_code == 404
    assert house.store.position() == before


def test_an_old_factor_is_shown_again_first(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    tablet, request = requested_void(house)
    shown = second(tablet, request)
    monkeypatch.setattr("backoffice.table_screen.second_person_views.is_fresh", lambda _request: False)
    answer = at("paul").post(f"/table/confirm/{shown['code']}")
    assert answer.headers["Location"].startswith("/account/factors/reauthenticate")


def test_a_one_time_code_works_once_and_guessing_ends(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)  # else the app may show the next code already
    tablet, request = requested_void(house)
    _client, secret = enrolled("paul")
    shown = second(tablet, request)
    path = f"/table/FR1/second/{shown['id']}"
    used = code(secret)
    assert tablet.post(path, {"person": "paul", "one_time_code": used}).status_code == 403  # used to set it up
    wrong = wrong_codes(secret)[0]
    for _ in range(4):
        assert tablet.post(path, {"person": "paul", "one_time_code": wrong}).status_code == 403
    assert tablet.post(path, {"person": "paul", "one_time_code": wrong}).status_code == 429
    assert tablet.post(path, {"person": "nobody", "one_time_code": wrong}).status_code == 403
    assert state(tablet, shown) == "waiting"


def test_a_fresh_one_time_code_is_the_second_factor(house: House) -> None:
    tablet, request = requested_void(house)
    _client, secret = enrolled("paul")
    later = totp.format_hotp_value(totp.hotp_value(secret, max(totp.yield_hotp_counters_from_time())))
    shown = second(tablet, request)
    answer = tablet.post(f"/table/FR1/second/{shown['id']}", {"person": "paul", "one_time_code": later})
    assert answer.json()["state"] == "done", answer.content
    event = house.store.after(0, 10_000)[-1]
    assert event.type == "approval.given.v1"
    assert f'"actordevice":"{tablet.device}"' in event.raw.decode()
    again = second(tablet, request)
    used = tablet.post(f"/table/FR1/second/{again['id']}", {"person": "paul", "one_time_code": later})
    assert used.status_code == 403


def test_a_plain_action_needs_no_second_person(house: House) -> None:
    tablet, _request = requested_void(house)
    question = {"session": tablet.sessions["inspector"], "action": act("round.open")}
    assert tablet.post("/table/FR1/second", question).status_code == 400
    ended = {"session": "other", "action": act("round.void", reason="x")}
    assert tablet.post("/table/FR1/second", ended).status_code == 403
