"""Open items of a progressive: the work due, the responsible role, and the offered action, which works."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from events.envelope import Action, Meta, now
from events.progressives import due_lock_and_lapse_appending
from events.store import Append, NewEvent
from events.tables.event_types.progressive import ProgressiveArmed, ProgressiveStake
from projections.invariants import findings
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, House, types_of
from tests.support.pages.page_actors import offered
from tests.support.pages.page_text_and_queries import queries, source, words

pytestmark = pytest.mark.django_db

URL = "/progressives/blazing/matters"
NAME = "blazing"


def _ask(house: House, person: str, kind: str, **data: Any) -> Any:
    """The request that the action makes."""
    return house.ok("progressives", NAME, person, house.action(kind, **data))[0].data


def _agree(house: House, person: str, request: Any) -> list[Any]:
    give = house.action("approval.give", request=request.request, content=request.content)
    return house.ok("progressives", NAME, person, give)


def _section(client: Client, name: str, url: str = URL) -> str:
    """The words of one section of the page."""
    page = source(client, url)
    match = re.search(rf'<section[^>]* aria-labelledby="{name}">.*?</section>', page, re.DOTALL)
    assert match is not None, name
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", match[0]))).strip()


def _offered(person: str, kind: str) -> list[Action]:
    """Return the actions of this kind that the page offers to a person."""
    return [action for _address, action in offered(person, URL, kind)]


def _send(house: House, person: str, action: Action) -> list[Any]:
    return house.ok("progressives", NAME, person, action)


def test_a_quiet_progressive_says_what_would_be_here(client: Client, house: House) -> None:
    house.open_progressive()
    evening_with_everything.project(house)
    page = words(client, URL)
    assert "No open items" in page
    for sentence in (
        "No requests to approve",
        "All shares are paid",
        "No jackpot is waiting",
        "No rejected contributions in the last seven days",
        "No open variances",
        "No readings yet, and none is due",
        "No late hits",
    ):
        assert sentence in page
    assert "No open items" in words(client, "/progressives/")
    assert "No open items" in words(client, "/progressives/blazing")


def test_a_request_shows_who_may_agree_and_the_action_to_send(client: Client, evening_house: House) -> None:
    house = evening_house
    request = _ask(house, "mark", "parameters.change", level="minor", cap_minor=300_000)
    evening_with_everything.project(house)
    section = _section(client, "approvals")
    assert "change parameters" in section
    assert '"cap_minor": 300000' in section
    assert request.content in section
    assert "One more approval by: pit boss, inspector, security, surveillance, accountant, count" in section
    assert "not mark: has already approved" in section
    assert "1 to approve" in words(client, URL)
    assert "1 open item" in words(client, "/progressives/")
    assert "Approve request" in section
    assert _offered("olga", "approval.give") == []
    [agree] = _offered("anna", "approval.give")
    assert types_of(_send(house, "anna", agree)) == ["approval.given.v1", "parameters.changed.v1"]
    evening_with_everything.project(house)
    assert _offered("paul", "approval.give") == []
    assert "decided" in _section(client, "approvals")


def test_a_request_that_was_overtaken_waits_no_more(client: Client, evening_house: House) -> None:
    house = evening_house
    evening_with_everything.finish_blackjack(house)
    hit = f"BJ1-{DAY}-2-1"
    _ask(house, "sven", "hit.authorise", hit=hit, amount_minor=120_075)
    evening_with_everything.project(house)
    section = _section(client, "approvals")
    assert "One more approval by: inspector, pit boss" in section
    assert "not sven: has already approved" in section
    assert "not dora: the round's dealer" in section
    house.ok("progressives", NAME, "ines", house.action("hit.authorise", hit=hit, amount_minor=120_075))
    evening_with_everything.project(house)
    section = _section(client, "approvals")
    assert "no longer needed the hit is authorised" in section
    assert "No requests to approve" in section


def test_a_void_asked_by_the_pit_waits_for_surveillance_alone(client: Client, evening_house: House) -> None:
    house = evening_house
    evening_with_everything.finish_blackjack(house)
    _ask(house, "paul", "hit.void", hit=f"BJ1-{DAY}-2-1", reason="a card was misread")
    evening_with_everything.project(house)
    assert "One more approval by: surveillance Departments: surveillance" in _section(client, "approvals")


@pytest.mark.parametrize(
    ("kind", "person", "fields", "sentence"),
    [
        ("approval.decline", "anna", {"reason": "not before the audit"}, "declined"),
        ("approval.withdraw", "mark", {}, "withdrawn"),
    ],
)
def test_a_request_that_is_declined_or_withdrawn_waits_no_more(
    client: Client, evening_house: House, kind: str, person: str, fields: dict[str, str], sentence: str
) -> None:
    house = evening_house
    request = _ask(house, "mark", "parameters.change", level="minor", cap_minor=300_000)
    house.ok("progressives", NAME, person, house.action(kind, request=request.request, **fields))
    evening_with_everything.project(house)
    section = _section(client, "approvals")
    assert sentence in section
    assert fields.get("reason", "mark") in section
    assert "No requests to approve" in section
    assert _offered("paul", "approval.give") == []
    assert "No open items" in words(client, "/progressives/")


def test_a_request_whose_asker_has_lost_the_role_is_gone_with_the_next_sweep(
    client: Client, evening_house: House
) -> None:
    house = evening_house
    _ask(house, "mark", "parameters.change", level="minor", cap_minor=300_000)
    house.ok("people", "", "adam", house.action("role.revoke", person="mark", role="progressive manager"))
    assert [due_lock_and_lapse_appending.let_lapse(house.store, PROPERTY, NAME) for _ in range(2)] == [1, 0]
    evening_with_everything.project(house)
    section = _section(client, "approvals")
    assert "expired" in section
    assert "the requester no longer has the role for it" in section
    assert "No requests to approve" in section


def test_a_share_waits_for_its_authorisation_and_then_for_the_cage(client: Client, evening_house: House) -> None:
    house = evening_house
    assert "All shares are paid" in _section(client, "locks")
    evening_with_everything.finish_blackjack(house)
    evening_with_everything.project(house)
    assert "an inspector or pit boss, but not dora, the dealer of the round" in _section(client, "locks")
    [authorise] = _offered("ines", "hit.authorise")
    assert types_of(_send(house, "ines", authorise)) == ["hit.authorised.v1"]
    evening_with_everything.project(house)
    assert "to be paid by the cage" in _section(client, "locks")
    [pay] = _offered("cage", "jackpot.pay")
    assert json.loads(bytes(pay.data)) == {"hit": f"BJ1-{DAY}-2-1", "tender": "cash"}


def test_a_variance_is_open_until_it_is_added(client: Client, evening_house: House) -> None:
    house = evening_house
    house.ok("progressives", NAME, "anna", house.action("meter.read", level="mega", read_minor=2_510_150))
    evening_with_everything.project(house)
    section = _section(client, "variances")
    assert "25,101.50 25,001.50 100.00 over open" in section
    assert "1 variance" in words(client, URL)
    ways = [json.loads(bytes(action.data)) for action in _offered("mark", "variance.close")]
    add = next(way for way in ways if way["way"] == "added")
    request = _ask(house, "mark", "variance.close", **add, reason="the sign was late")
    _agree(house, "paul", request)
    evening_with_everything.project(house)
    section = _section(client, "variances")
    assert "added to the meter" in section
    assert "mark progressive manager paul pit boss" in section
    assert "No open variances" in section
    assert findings("default") == []


def test_a_level_that_waits_is_told_and_cleared_by_the_deal(client: Client, evening_house: House) -> None:
    house = evening_house
    assert due_lock_and_lapse_appending.alert_waiting(house.store, PROPERTY, NAME, after_s=-1) == 1
    evening_with_everything.project(house)
    section = _section(client, "levels")
    assert "minor BJ1, round 2" in section
    assert "waiting" in section
    assert "1 level waiting" in words(client, URL)
    evening_with_everything.finish_blackjack(house)
    evening_with_everything.project(house)
    section = _section(client, "levels")
    assert "No jackpot is waiting" in section
    assert "cleared" in section


def _misfit(house: House) -> None:
    """Append a round with a wrong stake, from a table without the product's deciders."""
    name = f"{PROPERTY}/tables/BJ2/{DAY}"
    bet = ProgressiveStake(box=1, player="g-9", stake_minor=700, bet="b1")
    where = {"pit": "A", "table": "BJ2", "gaming_day": DAY, "shift": "day", "ruleset": "blackjack-trilux"}
    armed = ProgressiveArmed(**where, round=1, progressive=NAME, bets=(bet,), amount_minor=700)
    new = NewEvent(armed, Meta(time=now(), actor="dora", actorrole="dealer"))
    house.store.append([Append(name, house.store.head(name), [new])])


def test_what_did_not_fit_is_what_the_fold_refused(client: Client, evening_house: House) -> None:
    _misfit(evening_house)
    evening_with_everything.project(evening_house)
    [refused] = due_lock_and_lapse_appending.refused_facts(evening_house.store, PROPERTY, NAME)
    section = _section(client, "misfits")
    assert "progressive bets taken" in section
    assert refused.clause in section
    assert f"/events/{refused.position}" in source(client, URL)
    assert "This round did not contribute" in section
    assert "1 rejected" in words(client, URL)


def test_a_badge_is_red_where_something_is_wrong(client: Client, evening_house: House) -> None:
    def state(url: str) -> list[str]:
        badge = r'state-(\w+)" title="[^"]*"><svg[^>]*>.*?</svg>(?:\d+ open|No open items for staff)'
        return re.findall(badge, source(client, url), re.DOTALL)

    assert state("/progressives/") == ["green"]
    _ask(evening_house, "mark", "parameters.change", level="minor", cap_minor=300_000)
    evening_with_everything.project(evening_house)
    assert state("/progressives/") == ["amber"]
    _misfit(evening_house)
    evening_with_everything.project(evening_house)
    assert state("/progressives/") == ["red"]


def test_the_page_follows_by_parts(client: Client, evening_house: House) -> None:
    page = source(client, f"{URL}/live")
    assert "<html" not in page
    seen = re.search(r'name="seen" value="([^"]+)"', page)
    assert seen is not None
    assert client.get(f"{URL}/live", {"seen": seen[1]}).status_code == 204
    assert "There is no progressive nope." in words(client, "/progressives/nope/matters", 404)


def test_no_query_stands_in_a_loop(client: Client, evening_house: House) -> None:
    house = evening_house
    for number in range(2):
        _ask(house, "mark", "parameters.change", level="minor", cap_minor=300_000 + number)
        request = _ask(house, "mark", "parameters.change", level="major", feed_millionths=40_000 + number)
        _agree(house, "paul", request)
    evening_with_everything.finish_blackjack(house)
    evening_with_everything.project(house)
    pages = (URL, "/progressives/blazing", "/progressives/", "/notices")
    before = [queries(client, url) for url in pages]
    for number in range(5):
        _ask(house, "mark", "parameters.change", level="minor", cap_minor=400_000 + number)
        request = _ask(house, "mark", "parameters.change", level="major", feed_millionths=41_000 + number)
        _agree(house, "paul", request)
    _misfit(house)
    evening_with_everything.project(house)
    assert [queries(client, url) for url in pages] == before
    assert max(before) <= 14
