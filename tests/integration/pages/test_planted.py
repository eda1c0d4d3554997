"""Faults planted through the API, as surveillance finds them: on the wall, in searches and timelines.

The access log has a line for each of these reads.
"""

from collections.abc import Iterator

import msgspec
import pytest
from django.test import Client

from backoffice.access.models import Look
from backoffice.access.personal_data_access_log import PERSON, SEARCH
from tests.support.houses import evening_with_everything
from tests.support.houses.alert_scenario_house import RED, AtWork, line, wheel
from tests.support.houses.small_house import DAY, serving
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(db: None) -> Iterator[AtWork]:
    """A late bet and a short payment at FR1, a foreign die and one that the table has at CR1."""
    made = AtWork()
    with serving(made):
        at = wheel(made)
        at("round.open")
        at("bet.place", bet="a", **RED)
        at("ball.launch", wheel="cw", ball="ccw")
        at("bets.close")
        at.fact("bet.place", bet="late", **{**RED, "player": "g-2"})
        at("ball.land", number=1)
        at.fact("payment.make", bet="a", amount_minor=400)
        at("round.end")
        dice = line(made)
        dice("dice.offer")
        dice("dice.roll", dice=[2, 4])
        dice("dice.offer")
        dice.fact("dice.roll", dice=[5, 4], serials=["X1", "K17"])
        evening_with_everything.project(made)
        yield made
    made.close()


@pytest.fixture
def sven(house: AtWork) -> Client:
    return signed_in(Client(), "sven")


def types(client: Client, query: str) -> list[str]:
    answer = client.get("/api/v1/search", {"q": query, "order": "oldest"}).json()
    return [entry["event"]["type"].rpartition(".v")[0] for entry in answer["events"]]


def test_the_interface_tells_each_alert_once_with_its_proofs(house: AtWork, sven: Client) -> None:
    alerts = sven.get("/api/v1/alerts").json()["alerts"]
    assert {alert["id"] for alert in alerts} == {alert.id for alert in house.alerts()}
    listed = [
        (alert["name"], alert["severity"], alert["table"], alert["round"], alert["data"]["person"]) for alert in alerts
    ]
    assert sorted(listed) == [
        ("foreign dice", "high", "CR1", 1, "Ann"),
        ("late bet", "high", "FR1", 1, "g-2"),
        ("mispay", "high", "FR1", 1, "g-1"),
    ]
    for alert in alerts:
        raising = house.store.after(alert["raised_at_position"] - 1, 1)[0]
        assert alert["events"][-1] == msgspec.json.decode(raising.raw)["id"]
    for person in ("dora", "ines", "paul"):
        assert signed_in(Client(), person).get("/api/v1/alerts").status_code == 403


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('alert:"late bet"', ["bets.closed", "bet.placed"]),
        ("alert:mispay", ["bet.settled", "payment.made", "round.ended"]),
        ('alert:"foreign dice"', ["dice.rolled", "irregularity.recorded"]),
        ('irregularity:"late bet"', ["bet.placed", "bet.settled", "irregularity.recorded"]),
        ('irregularity:"foreign die"', ["dice.rolled", "irregularity.recorded"]),
        ("has:irregularity table:CR1", ["dice.rolled", "irregularity.recorded"]),
        ("die:X1", ["dice.rolled"]),
        ("die:K17", ["dice.put", "dice.chosen", "dice.rolled", "dice.rolled"]),
        (f"die:K17 day:{DAY}", ["dice.put", "dice.chosen", "dice.rolled", "dice.rolled"]),
        ("die:X1,K17 -type:dice.put", ["dice.chosen", "dice.rolled", "dice.rolled"]),
        ("die:4", []),
        ("player:g-2", ["bet.placed", "bet.settled", "irregularity.recorded"]),
    ],
)
def test_searches_find_what_was_planted(sven: Client, query: str, expected: list[str]) -> None:
    assert types(sven, query) == expected


def test_timelines_have_it_and_looks_have_what_was_looked_at(sven: Client) -> None:
    of_late = ["bet.placed.v1", "bet.settled.v1", "irregularity.recorded.v1"]
    for thing, types_ in (("dice/X1", ["dice.rolled.v1"]), ("player/g-2", of_late)):
        touched = sven.get(f"/api/v1/timelines/{thing}").json()["touches"]
        assert [touch["type"] for touch in touched] == types_
    assert [(look.person, look.kind, look.entry_count) for look in Look.objects.order_by("number")] == [
        ("sven", SEARCH, 1),
        ("sven", SEARCH, 3),
    ]


@pytest.mark.parametrize("part", ["live", "total", "facets"])
def test_a_part_of_a_search_is_a_look_too_unless_its_page_was_opened(sven: Client, part: str) -> None:
    """A search followed for hours also leaves one line, for any address of its page."""
    for seen in ("", "a", "b"):
        assert sven.get(f"/events/{part}", {"q": "player:g-1", "seen": seen}).status_code == 200
    sven.get("/events", {"q": "player:g-2"})
    sven.get(f"/events/{part}", {"q": "player:g-2"})
    lines = [(look.person, look.kind, look.what) for look in Look.objects.order_by("number")]
    addresses = (f"/events/{part}?q=player:g-1", "/events?q=player:g-2")
    assert lines == [("sven", SEARCH, address) for address in addresses]


def test_the_luck_of_players_is_a_look_at_people(sven: Client) -> None:
    anna = signed_in(Client(), "anna")
    for by in ("table", "player"):
        anna.get(f"/days/{DAY}/luck", {"by": by})
        anna.get(f"/days/{DAY}/luck/part", {"by": by})
        anna.get(f"/api/v1/days/{DAY}/luck", {"by": by})
    assert [(look.person, look.kind, look.what) for look in Look.objects.order_by("number")] == [
        ("anna", PERSON, f"/days/{DAY}/luck?by=player"),
        ("anna", PERSON, f"/api/v1/days/{DAY}/luck?by=player"),
    ]


def test_a_round_that_is_followed_is_a_replay(sven: Client) -> None:
    page = f"/tables/FR1/{DAY}/rounds/1"
    sven.get(f"{page}/live?step=2")
    sven.get(f"{page}?step=3")
    sven.get(f"{page}/live?step=2")
    assert [look.what for look in Look.objects.order_by("number")] == [f"{page}/live?step=2", f"{page}?step=3"]
