"""Forms that correct a bet, pay it late or void its round show it before and after. Approvers see the same."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from projections.eventlog.models import EventLog
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_actors import InProcessDoor, at, complaints, done, forms, open_door, preview_of
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db

FR2 = f"/tables/FR2/{DAY}"
WON = {"bet": "FR2-0-r", "reason": "the camera"}  # red in round 1: 20.00 laid, won, paid


@pytest.fixture
def door(evening_house: House) -> Iterator[InProcessDoor]:
    with open_door(evening_house) as opened_door:
        yield opened_door


def preview_text(person: str, url: str, **filled: str) -> str:
    """Return the text of a form's preview."""
    answer, _sent = preview_of(at(person), url, **filled)
    assert answer.status_code == 200, complaints(answer)
    return plain(answer.content.decode())


def plain(page: Any) -> str:
    """Return the text of a page without tags, in one line, with plain spaces."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)).replace("\N{MINUS SIGN}", "-")


def correcting(kind: str) -> str:
    """Return the form that corrects the bet of the last event of a type at FR2."""
    last_event = EventLog.objects.filter(type=kind, table="FR2").order_by("-position").first()
    assert last_event is not None
    [url] = forms(source(at("ines"), f"/events/{last_event.position}"), "bet.correct")
    return url


def test_a_settlement_is_put_right_with_what_it_was_beside_it(door: InProcessDoor) -> None:
    form = {**WON, "settled_in": "1", "amount_minor": "40.00"}
    page = preview_text("ines", f"{FR2}/do/settlement.correct", **form)
    for line in ("red (FR2-0-r)", "round 1, seat 1", "g-1"):
        assert line in page, line
    for name, before, after in (("Stake", "20.00", "40.00"), ("Profit of the player", "20.00", "40.00")):
        assert re.search(rf"{name} {before} EUR (→ )?{after} EUR", page), page
    assert re.search(r"Still to pay 0\.00 EUR (→ )?20\.00 EUR", page), page
    answer, _sent = done(at("ines"), f"{FR2}/do/settlement.correct", **form)
    assert answer.status_code == 302, complaints(answer)
    inbox = plain(source(at("sven"), "/inbox"))
    assert f"FR2 {DAY}" in inbox
    assert re.search(r"Still to pay 0\.00 EUR (→ )?20\.00 EUR", inbox), inbox
    [url] = forms(source(at("sven"), "/inbox"), "approval.give")
    answer, _sent = done(at("sven"), url)
    assert answer.status_code == 302, complaints(answer)
    corrected = EventLog.objects.filter(type="settlement.corrected.v1").latest("position")
    settled = EventLog.objects.named(str(corrected.corrects)).get()
    first, second = (plain(source(at("ines"), f"/events/{event.position}")) for event in (settled, corrected))
    assert f"Corrected by settlement corrected, event {corrected.position:,}" in first
    assert f"Corrects bet settled, event {settled.position:,}" in second
    again = preview_text("ines", f"{FR2}/do/settlement.correct", **(form | {"amount_minor": "0"}))
    assert re.search(r"Stake 40\.00 EUR (→ )?0\.00 EUR", again), again
    assert re.search(r"Still to pay 20\.00 EUR (→ )?-20\.00 EUR", again), again


def test_what_is_no_whole_amount_in_proportion_is_said_by_the_rule(door: InProcessDoor) -> None:
    form = {**WON, "bet": "FR2-1-r", "settled_in": "2", "amount_minor": "7.77"}
    looked, _sent = preview_of(at("ines"), f"{FR2}/do/settlement.correct", **form)
    assert looked.status_code == 422
    assert "The amount in proportion is not whole." in plain(looked.content.decode())


def test_a_payment_that_is_found_late_is_held_against_what_is_due(door: InProcessDoor) -> None:
    page = preview_text("paul", f"{FR2}/do/payment.report", **WON, won_in="1", amount_minor="5.00")
    assert "Due to the player 20.00 EUR" in page, page
    assert re.search(r"Paid 20\.00 EUR (→ )?25\.00 EUR", page), page
    assert re.search(r"Still to pay 0\.00 EUR (→ )?-5\.00 EUR", page), page
    answer, _sent = done(at("paul"), f"{FR2}/do/payment.report", **WON, won_in="1", amount_minor="5.00")
    assert answer.status_code == 302, complaints(answer)
    paid = EventLog.objects.filter(type="payment.made.v1", table="FR2").order_by("-position").first()
    assert paid is not None
    assert b'"won_in":1' in bytes(paid.raw)
    assert "Mispay" in words(at("ines"), f"/tables/FR2/{DAY}")


def test_a_bet_that_lies_is_put_right_from_what_is_recorded_of_it(door: InProcessDoor) -> None:
    house = door.house
    laid = {"bet": "b-9", "wager": "red", "player": "g-1", "seat": 1, "on_zero": "half"}
    house.ok("tables", "FR2", "dora", house.action("bet.place", amount_minor=2_000, **laid))
    evening_with_everything.project(house)
    answer, _sent = done(at("ines"), correcting("bet.placed.v1"), reason="it was more", amount_minor="25.00")
    assert answer.status_code == 302, complaints(answer)
    url = correcting("bet.corrected.v1")
    page = preview_text("ines", url, reason="a chip more", amount_minor="30.00", player="g-2")
    assert re.search(r"Amount 25\.00 EUR (→ )?30\.00 EUR", page), page
    assert re.search(r"Player g-1 (→ )?g-2", page), page


def test_a_round_is_void_with_what_lies_and_what_was_paid_before_ones_eyes(door: InProcessDoor) -> None:
    house = door.house
    bet = {"bet": "b-9", "wager": "red", "player": "g-1", "seat": 1, "on_zero": "half", "amount_minor": 2_000}
    house.ok("tables", "FR2", "dora", house.action("bet.place", **bet))
    evening_with_everything.project(house)
    page = preview_text("ines", f"{FR2}/do/round.void", round="3", reason="the ball was dropped")
    for line in ("Bets corrected 1", "Stakes 20.00 EUR", "Paid and kept by the players 0.00 EUR"):
        assert line in page, page
