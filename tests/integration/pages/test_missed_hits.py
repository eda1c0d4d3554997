"""An undeclared jackpot is red in the list of open items, with the share at stake."""

import json
from typing import Any

import pytest
from django.test import Client

from events.desk.command_and_answer_structs import Answer, Command
from events.envelope import Action, Who
from events.progressives import due_lock_and_lapse_appending
from events.streams.stream_kind_declaration import Target
from projections.figures_of_all_read_models_with_digest import books, digest
from projections.invariants import findings
from projections.matters.models import HousePayment, MissedHit
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, House, events_of
from tests.support.pages.page_actors import offered
from tests.support.pages.page_text_and_queries import words

pytestmark = pytest.mark.django_db
NAME, INDEX, URL = "blazing", "/progressives/", "/progressives/blazing/matters"


def undeclared(house: House) -> None:
    """Deal 7-7-7 in red on box 1 of BJ1, a Minor of 1,200.37, without declaring it."""
    act = house.action
    house.open_table("BJ1")
    bets = [
        act("bet.place", bet=f"{wager}{box}", wager=wager, amount_minor=amount, player=f"g-{box}", box=box)
        for box, stake in ((1, 500), (2, 1_000))
        for wager, amount in (("main", 1_000), ("blazing7s", stake))
    ]
    places: list[dict[str, Any]] = [{"to": "box", "box": 1}, {"to": "box", "box": 2}, {"to": "dealer"}]
    places += places[:2]
    dealt = [act("card.deal", card=card, **at) for card, at in zip(("7D", "7H", "7H", "7H", "7D"), places, strict=True)]
    start = [act("round.open"), *bets, act("bets.close"), act("progressive.arm")]
    house.ok("tables", "BJ1", "dora", *start, *dealt, act("hit.declare", box=2, level="minor"), act("deal.complete"))
    rest = [act("hand.stand", box=1), act("hand.stand", box=2), act("card.deal", to="dealer", card="TC")]
    house.ok("tables", "BJ1", "dora", *rest, act("round.end"))
    house.ok("tables", "BJ1", "ines", act("session.close", closer={"100": 10}))
    due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, NAME)
    evening_with_everything.project(house)


def send(house: House, person: str, address: str, action: Action) -> list[Any]:
    assert address == f"/tables/BJ1/{DAY}"
    target = Target("tables", "BJ1", DAY)
    [reply] = house.desk.do(Command(target, (action,), Who(person=person, roles=frozenset(), factor_s=0)))
    assert isinstance(reply, Answer), reply
    return events_of([reply])


def test_an_undeclared_hit_is_to_be_done_until_two_people_declare_it(client: Client, house: House) -> None:
    undeclared(house)
    assert "undeclared minor 1,200.37" in words(client, INDEX)
    assert "1 undeclared hit" in words(client, URL)
    send(house, "ines", *offered("ines", URL, "hit.declare_late")[0])
    evening_with_everything.project(house)
    assert "late hit to approve minor" in words(client, INDEX)
    page = words(client, URL)
    assert "1 to approve" in page
    assert "One more approval by: surveillance" in page
    assert "not dora: the round's dealer" in page
    send(house, "sven", *offered("sven", URL, "approval.give")[0])
    due_lock_and_lapse_appending.reconcile(house.store, PROPERTY, NAME)
    evening_with_everything.project(house)
    assert "undeclared" not in words(client, INDEX)
    assert MissedHit.objects.get().cleared_by == "declared late"
    assert findings() == []


def test_what_the_house_pays_stands_in_the_books_as_a_line_of_its_own(client: Client, house: House) -> None:
    undeclared(house)
    before = books()
    assert "house_payments" not in before, "books without one are as they were"
    paid, late = f"BJ1-{DAY}-1-2", f"BJ1-{DAY}-1-1-late"
    _agreed(house, "tables", "BJ1", "ines", house.action("hit.declare_late", round=1, box=1, level="minor"))
    share = due_lock_and_lapse_appending.current(house.store, PROPERTY, NAME).lock(paid)
    assert share is not None
    _agreed(house, "progressives", NAME, "ines", house.action("hit.authorise", hit=paid, amount_minor=share.share))
    house.ok("progressives", NAME, "cage", house.action("jackpot.pay", hit=paid, gaming_day=DAY))
    evening_with_everything.project(house)
    [(_address, action)] = offered("cage", URL, "house.pay")
    data = {**json.loads(bytes(action.data)), "amount_minor": 10_000, "gaming_day": DAY, "reason": "half of the Minor"}
    pay = house.action("house.pay", **data)
    _agreed(house, "progressives", NAME, "cage", pay, "anna")  # sven agreed that it was a hit
    evening_with_everything.project(house)
    [line] = books()["house_payments"]
    assert (line["hit"], line["amount_minor"], line["is_void"]) == (late, 10_000, False)
    assert digest(books()) != digest(before)
    assert "Paid by the house" in words(client, URL)
    assert "100.00" in words(client, URL)
    slip = HousePayment.objects.get().slip
    year, number = slip.split("-")
    void = house.action("house.void", slip_year=year, slip=int(number), reason="he was paid before")
    _agreed(house, "progressives", NAME, "cage", void)
    evening_with_everything.project(house)
    assert books()["house_payments"][0]["is_void"]
    assert "he was paid before" in words(client, URL)
    assert findings() == []


def _agreed(house: House, kind: str, name: str, person: str, action: Action, second: str = "sven") -> None:
    for event in house.ok(kind, name, person, action):
        if event.type == "approval.requested.v1":
            approval = house.action("approval.give", request=event.data.request, content=event.data.content)
            house.ok(kind, name, second, approval)
