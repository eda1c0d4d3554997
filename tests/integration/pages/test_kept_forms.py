"""Filled-in forms are kept: people find their values after a sign-out or a new sign-in in another tab."""

import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from backoffice.kit import unsent_forms
from backoffice.people.idle_sign_out import HERE
from tests.support.houses.small_house import House
from tests.support.pages.page_actors import InProcessDoor, at, complaints, done, filled_in, open_door
from tests.support.pages.page_text_and_queries import words
from tests.support.pages.sign_in import next_page, session_of, signed_in

pytestmark = pytest.mark.django_db

ADJUST = "/progressives/blazing/do/meter.adjust"
CORRECTION = {"level": "mega", "amount_minor": "-285.80", "reason": "malfunction"}
LONG_AGO = 100_000.0


@pytest.fixture
def door(evening_house: House) -> Iterator[InProcessDoor]:
    with open_door(evening_house) as opened_door:
        yield opened_door


def sign_out_by_idleness(client: Client) -> None:
    """Make a person absent from their desk for long."""
    session = client.session
    session["seen_at"] = time.time() - LONG_AGO
    session.save()


def sent_too_late(client: Client) -> str:
    """Send a form after its reader was signed out, and return the page after the new sign-in."""
    sent = filled_in(client.get(ADJUST)) | CORRECTION | {"form-step": "send"}
    sign_out_by_idleness(client)
    answer = client.post(ADJUST, sent)
    assert answer.status_code == 302
    return next_page(answer["Location"])


def signed_in_again(client: Client, person: str) -> None:
    """Sign in by Django's own function, which keeps the browser's session."""
    before = dict(client.session.items())
    signed_in(client, person)
    session = client.session
    session.update({"forms": before["forms"]})
    session.save()


def test_who_was_signed_out_meanwhile_finds_the_form_as_it_was(door: InProcessDoor) -> None:
    client = at("mark")
    there = sent_too_late(client)
    assert door.sent == 0
    assert "You were signed out. Nothing was saved." in words(client, "/sign-in")
    signed_in_again(client, "mark")
    text = words(client, there)
    assert "285.80" in text
    assert "Needs one approval" in text
    answer, _sent = done(client, there)
    assert answer.status_code == 302, complaints(answer)


def test_nobody_else_finds_it(door: InProcessDoor) -> None:
    client = at("mark")
    there = sent_too_late(client)
    signed_in_again(client, "paul")
    assert "285.80" not in words(client, there)


def test_a_stranger_leaves_nothing_in_the_house(door: InProcessDoor) -> None:
    before = Session.objects.count()
    for of in ("", "mark", unsent_forms.shown_to("mark") + "x"):
        answer = Client().post(ADJUST, {"form-key": "k", "form-of": of, **CORRECTION})
        assert next_page(answer["Location"]) == ADJUST
    too_long = {"form-key": "k", "form-of": unsent_forms.shown_to("mark"), "reason": "x" * unsent_forms.LONGEST}
    assert next_page(Client().post(ADJUST, too_long)["Location"]) == ADJUST
    assert Session.objects.count() == before


def strict(person: str) -> Client:
    """A browser of which the house wants the token of its page."""
    client = Client(enforce_csrf_checks=True)
    client.cookies["sessionid"] = session_of(person)
    return client


def test_a_tab_of_before_the_last_sign_in_shows_its_form_again(door: InProcessDoor) -> None:
    client = strict("mark")
    sent = filled_in(client.get(ADJUST)) | CORRECTION | {"form-step": "send", "csrfmiddlewaretoken": "of before"}
    answer = client.post(ADJUST, sent)
    assert urlsplit(answer["Location"]).path == ADJUST
    assert door.sent == 0
    text = words(client, answer["Location"])
    assert "Nothing was saved yet" in text
    assert "285.80" in text


def test_a_tab_of_somebody_else_does_and_shows_nothing(door: InProcessDoor) -> None:
    sent = filled_in(at("mark").get(ADJUST)) | CORRECTION | {"form-step": "send"}
    answer = strict("paul").post(ADJUST, sent)
    assert answer.status_code == 403
    assert "This page expired" in answer.content.decode()
    assert "285.80" not in answer.content.decode()
    assert door.sent == 0


def test_two_tabs_at_the_entrance_are_told_in_our_own_words() -> None:
    answer = Client(enforce_csrf_checks=True).post("/sign-in", {"login": "mark", "password": "wrong"})
    assert answer.status_code == 403
    assert "This page expired" in answer.content.decode()


@pytest.mark.parametrize(("header", "stays"), [({}, False), ({HERE: "yes"}, True)])
def test_whoever_types_is_there_though_the_page_asks_by_itself(
    door: InProcessDoor, header: dict[str, str], *, stays: bool
) -> None:
    client = at("mark")
    session = client.session
    session["seen_at"] = time.time() - 600
    session.save()
    assert client.get("/inbox/count?seen=", headers=header).status_code == 200
    assert (time.time() - client.session["seen_at"] < 60) == stays
