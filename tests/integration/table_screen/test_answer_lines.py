"""The answer to entries of which the state comes after it: what the door adds is what one answer has."""

from typing import Any

import pytest

from backoffice.people import badge_and_key_authentication
from backoffice.table_screen.table_device_request_views import STATE_QUERY
from tests.support.houses.small_house import House
from tests.support.tables.table_device import Tablet, act, paired

pytestmark = pytest.mark.django_db
STAKE = {"wager": "red", "amount_minor": 500, "player": "p1"}
MOVING = ("house_time", "csrf")  # members that differ between two answers


@pytest.fixture
def tablet(house: House) -> Tablet:
    tablet = paired(house)
    assert tablet.come(badge_and_key_authentication.issue_badge("dora")).status_code == 200
    return tablet


def sent(tablet: Tablet, *entries: Any, language: str = "en", **about: bool) -> Any:
    body = {"entries": entries, "group_refusals": True, **about}
    return tablet.post(f"/table/{tablet.table}/queue", body, **{"Accept-Language": language})


@pytest.mark.parametrize("language", ["en", "el"])
def test_answers_and_state_are_what_one_answer_has(tablet: Tablet, language: str) -> None:
    sent(tablet, tablet.entry(act("round.open")))
    entry = tablet.entry(act("bet.place", bet="b1", **STAKE))
    whole = sent(tablet, entry, language=language).json()
    answers = sent(tablet, entry, language=language, state_after=True)
    own = whole.pop("state")
    assert answers.json() == whole
    query = answers[STATE_QUERY]
    state = tablet.client.get(f"/table/FR1/state?{query}", headers={"Accept-Language": language}).json()
    assert {**state, **dict.fromkeys(MOVING)} == {**own, **dict.fromkeys(MOVING)}
    assert "place_refusals" in state


def test_a_state_may_have_each_refusal_at_its_places(tablet: Tablet) -> None:
    answers = sent(tablet, tablet.entry(act("round.open")), state_after=True, group_refusals=False)
    assert answers[STATE_QUERY] == ""
    assert tablet.client.get("/table/FR1/state").json().get("place_refusals") is None


def test_a_refused_request_is_one_problem(tablet: Tablet) -> None:
    tablet.entry(act("round.open"))  # never sent: the next one is not the next of the chain
    answer = sent(tablet, tablet.entry(act("bets.close")), state_after=True)
    assert (answer.status_code, answer.json()["code"]) == (409, "queue-entry-missing")
    assert STATE_QUERY not in answer
