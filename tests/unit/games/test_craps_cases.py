"""The craps kinds as JSON in, JSON out: the cases refused as a whole, and the events that a session does not accept."""

from typing import Any

import pytest

from events.errors import PitledgerError
from events.games.cases import kinds


def answer(ruleset: str, kind: str, **inputs: Any) -> dict[str, Any]:
    return kinds(ruleset)[kind]({"kind": kind, **inputs})


def session(ruleset: str, *events: dict[str, Any]) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = answer(ruleset, "session", point=None, bets=[], events=list(events))["events"]
    return result


def place(id_: str, type_: str, stake: Any = 10, **fields: Any) -> dict[str, Any]:
    return {"place": {"id": id_, "type": type_, "stake": stake, **fields}}


BOTH = pytest.mark.parametrize("ruleset", ["craps-gr", "craps-by"])
PASS = {"id": "a", "type": "pass", "stake": 10}


@BOTH
@pytest.mark.parametrize(
    "inputs",
    [
        {"bets": [], "rolls": [[0, 7]]},
        {"bets": [], "rolls": [[1, 2, 3]]},
        {"bets": [], "rolls": [[1, "2"]]},
        {"bets": [], "rolls": [1, 2]},
        {"bets": [], "rolls": "none"},
        {"bets": []},
        {"rolls": []},
        {"bets": [PASS, PASS], "rolls": []},
        {"bets": [{**PASS, "stake": 0}], "rolls": []},
        {"bets": [{**PASS, "stake": -1}], "rolls": []},
        {"bets": [{**PASS, "stake": 2.5}], "rolls": []},
        {"bets": [{**PASS, "stake": 10.0}], "rolls": []},
        {"bets": [{**PASS, "stake": "10"}], "rolls": []},
        {"bets": [{**PASS, "stake": True}], "rolls": []},
        {"bets": [{**PASS, "type": "nonsense"}], "rolls": []},
        {"bets": [{**PASS, "after_win": "perhaps"}], "rolls": []},
        {"bets": [{"type": "pass", "stake": 10}], "rolls": []},
        {"bets": [{**PASS, "id": 7}], "rolls": []},
        {"bets": [{**PASS, "type": "place", "number": "6"}], "rolls": []},
        {"bets": [{**PASS, "type": "hardway", "number": 5}], "rolls": []},
        {"bets": [{**PASS, "type": "pass_odds", "base": "zz"}], "rolls": []},
        {"bets": [7], "rolls": []},
        {"point": 7, "bets": [], "rolls": []},
        {"point": "6", "bets": [], "rolls": []},
        {"bets": [], "rolls": [], "options": {"bar": 3}},
        {"bets": [], "rolls": [], "options": {"baar": 2}},
    ],
    ids=str,
)
def test_rolls_that_are_refused(ruleset: str, inputs: dict[str, Any]) -> None:
    with pytest.raises(PitledgerError):
        answer(ruleset, "rolls", **inputs)


@BOTH
def test_fractions_are_exact_and_in_lowest_terms(ruleset: str) -> None:
    bets = [{"id": "a", "type": "place", "stake": 10, "number": 6}]
    (roll,) = answer(ruleset, "rolls", point=5, bets=bets, rolls=[[3, 3]])["rolls"]
    assert roll["resolutions"] == [{"bet": "a", "outcome": "win", "profit": "35/3"}]


@BOTH
@pytest.mark.parametrize(
    "bet",
    [
        place("a", "nonsense"),
        place("a", "pass", 0),
        place("a", "pass", "10"),
        place("a", "place", 10, number=7),
        place("a", "come"),
        place("a", "pass_odds", base="c"),
        {"place": {}},
        {"place": 7},
        {"remove": "a"},
        {"remove": 7},
        {"working": {"bet": "a", "on": True}},
        {"working": {"bet": "a"}},
    ],
    ids=str,
)
def test_a_session_does_not_accept(ruleset: str, bet: dict[str, Any]) -> None:
    assert session(ruleset, bet) == [{"accepted": False}]


@BOTH
@pytest.mark.parametrize("event", [{"roll": [7, 7]}, {"roll": None}, {}, {"dance": 1}, {"roll": [1, 1], "remove": "a"}])
def test_a_session_that_cannot_be_read(ruleset: str, event: dict[str, Any]) -> None:
    with pytest.raises(PitledgerError):
        session(ruleset, event)


def test_no_bets_after_the_dice_are_offered() -> None:  # craps-gr P.11
    answers = session(
        "craps-gr",
        {"offer_dice": True},
        place("a", "field"),
        {"no_roll": "slid"},
        place("b", "field"),
        {"offer_dice": True},
        {"roll": [4, 5]},
        place("c", "field"),
    )
    assert answers[0] == answers[4] == {}
    assert [answers[at]["accepted"] for at in (1, 3, 6)] == [False, True, True]
    assert answers[2] == {"void": True, "point_after": None, "on_table": []}


def test_a_buy_bet_has_its_commission() -> None:
    answers = session("craps-by", place("x", "buy", 30, number=4), {"remove": "x"})
    assert answers == [{"accepted": True, "commission": "3/2"}, {"accepted": True, "returned": "63/2"}]


def test_one_id_may_come_again_after_its_bet_is_gone() -> None:
    answers = session("craps-gr", place("a", "field"), {"roll": [1, 1]}, place("a", "field"))
    assert answers[2] == {"accepted": True}


def test_only_the_kinds_a_ruleset_has() -> None:
    greek, belarusian = set(kinds("craps-gr")), set(kinds("craps-by"))
    both = {"rolls", "session", "odds_max", "throw", "shooter"}
    assert (greek, belarusian) == (both | {"limits"}, both | {"press", "combo"})


@BOTH
def test_a_house_s_settings_are_options(ruleset: str) -> None:
    options = {"off_on_come_out": {"hardway": True}}
    bets = [{"id": "a", "type": "hardway", "stake": 5, "number": 6}]
    inputs = {"point": None, "bets": bets, "rolls": [[3, 4]]}
    assert answer(ruleset, "rolls", **inputs)["on_table"] == []
    assert answer(ruleset, "rolls", **inputs, options=options)["on_table"] == ["a"]
