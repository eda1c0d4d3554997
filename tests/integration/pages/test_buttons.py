"""Actions from the pages: permitted people have a button, the form shows the effect, and the action is done once."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from allauth.account.internal.flows import login
from django.test import Client

from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, progressive
from tests.support.pages.page_actors import InProcessDoor, at, complaints, done, filled_in, forms, open_door, preview_of
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db

BLAZING = "/progressives/blazing"
ADJUST = f"{BLAZING}/do/meter.adjust"
CORRECTION = {"level": "mega", "amount_minor": "-285.80", "reason": "malfunction"}


@pytest.fixture
def door(evening_house: House) -> Iterator[InProcessDoor]:
    with open_door(evening_house) as opened_door:
        yield opened_door


def events_of(house: House, kind: str) -> int:
    return sum(event.type == kind for event in house.store.after(0, 100_000))


def test_who_may_has_a_button_and_nobody_else(door: InProcessDoor) -> None:
    assert 'href="/progressives/blazing/do/meter.adjust"' in source(at("mark"), BLAZING)
    for person in ("cage", "olga"):
        assert "do/meter.adjust" not in source(at(person), BLAZING)
        assert at(person).get(ADJUST).status_code == 403
        assert at(person).post(ADJUST, CORRECTION | {"form-step": "send"}).status_code == 403
    assert door.sent == 0


def test_what_would_change_is_shown_and_nothing_is_written(door: InProcessDoor) -> None:
    before = len(door.house.store.after(0, 100_000))
    looked, _sent = preview_of(at("mark"), ADJUST, **CORRECTION)
    page = looked.content.decode()
    assert "Needs one approval" in page
    assert "-285.80" in page.replace("−", "-")
    assert len(door.house.store.after(0, 100_000)) == before


def test_it_is_sent_once_however_often_the_button_is_pressed(door: InProcessDoor) -> None:
    client = at("mark")
    answer, sent = done(client, ADJUST, **CORRECTION)
    assert (answer.status_code, answer["Location"]) == (302, BLAZING)
    assert "Sent for approval" in words(client, BLAZING)
    assert client.post(ADJUST, sent)["Location"] == BLAZING
    requests = [event for event in door.house.store.after(0, 100_000) if event.type == "approval.requested.v1"]
    assert sum(b"malfunction" in request.raw for request in requests) == 1


def test_the_same_form_with_something_else_in_it_is_another_action(door: InProcessDoor) -> None:
    client = at("mark")
    _answer, sent = done(client, ADJUST, **CORRECTION)
    again = client.post(ADJUST, {**sent, "amount_minor": "1.00"})
    assert again.status_code == 422
    assert "used before" in again.content.decode()
    assert filled_in(again)["form-key"] != sent["form-key"]


def test_a_rule_that_is_about_a_field_speaks_there_with_its_clause(door: InProcessDoor) -> None:
    form = CORRECTION | {"amount_minor": "0"}
    looked, _sent = preview_of(at("mark"), ADJUST, **form)
    assert looked.status_code == 422
    page = re.sub(r"\s+", " ", looked.content.decode())
    field = page.partition('id="id_amount_minor_error"')[2].partition("</ul>")[0]
    assert "An adjustment of 0 changes nothing. Enter an amount." in field
    assert "house progressive.adjust" in field
    assert 'aria-invalid="true"' in page
    assert page.count("An adjustment of 0 changes nothing.") == 1


def test_what_is_wrong_stands_at_its_field_and_a_rule_with_its_clause(door: InProcessDoor) -> None:
    looked, _sent = preview_of(at("mark"), ADJUST, **CORRECTION | {"amount_minor": "12.345"})
    assert looked.status_code == 422
    assert "no more than 2 decimal places" in looked.content.decode()
    refused, _sent = preview_of(at("mark"), ADJUST, **CORRECTION | {"level": "grand"})
    assert refused.status_code in (404, 422)
    assert "grand" in refused.content.decode()


def test_others_agree_by_their_button(door: InProcessDoor) -> None:
    done(at("mark"), ADJUST, **CORRECTION | {"amount_minor": "2.50"})
    anna = at("anna")
    page = source(anna, f"{BLAZING}/matters")
    (url,) = forms(page, "approval.give")
    looked, _sent = preview_of(anna, url)
    assert "2.50" in looked.content.decode()
    answer, _sent = done(anna, url)
    assert answer["Location"] == f"{BLAZING}/matters"
    assert events_of(door.house, "meter.adjusted.v1") == 1


def test_a_progressive_that_does_not_exist_yet_is_agreed_to_by_its_button(door: InProcessDoor) -> None:
    data = progressive() | {"progressive": "second"}
    door.house.ok("progressives", "second", "mark", door.house.action("progressive.open", **data))
    evening_with_everything.project(door.house)
    [url] = forms(source(at("anna"), "/inbox"), "approval.give")
    looked, _sent = preview_of(at("anna"), url)
    assert looked.status_code == 200, complaints(looked)
    assert "seed: 25,000.00\N{NO-BREAK SPACE}EUR" in looked.content.decode()
    answer, _sent = done(at("anna"), url)
    assert (answer.status_code, answer["Location"]) == (302, "/inbox"), complaints(answer)
    assert events_of(door.house, "progressive.opened.v1") == 2
    assert at("anna").get("/progressives/third/do/approval.give").status_code == 404


def test_a_sign_is_read_and_a_hit_is_authorised_and_paid(door: InProcessDoor) -> None:
    evening_with_everything.finish_blackjack(door.house)
    evening_with_everything.project(door.house)
    answer, _sent = done(at("cora"), f"{BLAZING}/do/meter.read", level="major", read_minor="8000.00")
    assert answer.status_code == 302
    assert events_of(door.house, "meter.read.v1") == 1
    ines = at("ines")
    page = source(ines, f"{BLAZING}/matters")
    (url,) = forms(page, "hit.authorise")
    answer, _sent = done(ines, url)
    assert answer.status_code == 302, complaints(answer)
    assert events_of(door.house, "hit.authorised.v1") == 2


def test_an_old_second_factor_is_asked_for_again_and_the_action_goes_on(door: InProcessDoor) -> None:
    client = at("mark")
    older(client, 10_000)
    first, _sent = done(client, ADJUST, **CORRECTION)
    assert first.status_code == 302, complaints(first)
    assert events_of(door.house, "meter.adjusted.v1") == 0
    assert first["Location"].startswith("/account/factors/reauthenticate/?next=")
    older(client, -10_000)
    answer = client.get(parse_qs(first["Location"].partition("?")[2])["next"][0])
    assert answer["Location"] == BLAZING, complaints(answer)


def older(client: Client, seconds: float) -> None:
    """Age the sign-in of a browser by this number of seconds."""
    session = client.session
    shown = [{**method, "at": method["at"] - seconds} for method in session[login.AUTHENTICATION_METHODS_SESSION_KEY]]
    session[login.AUTHENTICATION_METHODS_SESSION_KEY] = shown
    session.save()
