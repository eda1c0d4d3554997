"""Timelines: the samples, what cannot be read, and the sentences of the rules that are easily read wrongly."""

import json
from pathlib import Path
from typing import Any

import pytest

from events.games.cases import answer
from events.progressives.json_facts_to_settled_meters import timeline
from tests.unit.progressives.naive_timeline_oracle import oracle_answer

Json = dict[str, Any]
SAMPLES = [json.loads(line) for line in Path("tests/data/cases/timeline.jsonl").read_text().splitlines()]
GIVEN: Json = SAMPLES[0]["given"]
BETS = [
    {"box": 1, "player": "Ann", "stake": 500},
    {"box": 2, "player": "Bob", "stake": 1000},
    {"box": 3, "player": "Cy", "stake": 500},
]
INES, BORIS = {"name": "Ines", "role": "inspector"}, {"name": "Boris", "role": "pit boss"}
SOFIA = {"name": "Sofia", "role": "surveillance"}
PETRA, ADA = {"name": "Petra", "role": "progressive manager"}, {"name": "Ada", "role": "accountant"}
TWO = [INES, SOFIA]


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample["id"] for sample in SAMPLES])
def test_sample(sample: Json) -> None:
    result = answer(sample)
    if "error" in sample["expect"]:
        assert set(result) == {"error"}
    else:
        assert result == sample["expect"]
        assert oracle_answer(sample["given"]) == sample["expect"]


def settle(*facts: Json, **changes: Any) -> Json:
    """The answer to these facts, at 1, 2, 3, ...; the naive reading must say the same."""
    numbered = [{"at": at, **fact} for at, fact in enumerate(facts, 1)]
    inputs = {**GIVEN, **changes, "facts": numbered}
    result = timeline(inputs)
    assert result == oracle_answer(inputs)
    return result


def arm(table: str = "T1", name: str = "1", **changes: Any) -> Json:
    return {"arm": {"table": table, "round": name, "dealer": "Dora", "bets": BETS, **changes}}


def hit(name: str, box: int = 1, table: str = "T1", level: str = "mega", number: str = "1") -> Json:
    return {"hit": {"id": name, "table": table, "round": number, "box": box, "level": level}}


def late(name: str, box: int, number: str = "1") -> Json:
    return {"late_hit": {"id": name, "table": "T1", "round": number, "box": box, "level": "mega", "by": TWO}}


def dealt(table: str = "T1", number: str = "1") -> Json:
    return {"dealt": {"table": table, "round": number}}


def over(table: str = "T1", number: str = "1") -> Json:
    return {"over": {"table": table, "round": number}}


def authorise(name: str, *by: Json) -> Json:
    return {"authorise": {"hit": name, "by": list(by or TWO)}}


def pay(name: str) -> Json:
    return {"pay": {"hit": name}}


def void(name: str) -> Json:
    return {"void": {"hit": name, "by": TWO, "reason": "wrong card"}}


def adjust(amount: int | str, reason: str = "malfunction", level: str = "mega") -> Json:
    return {"adjust": {"level": level, "amount": amount, "reason": reason, "by": [PETRA, ADA]}}


def parameters(level: str = "mega", **change: Any) -> Json:
    return {"parameters": {"level": level, "set": change, "by": [PETRA, ADA]}}


def level(name: str = "mega", **changes: Any) -> Json:
    return {**GIVEN["levels"], name: {**GIVEN["levels"][name], **changes}}


def test_one_of_two_paid_winners_keeps_his_share_when_the_other_is_void() -> None:
    facts = [arm(), hit("a"), hit("b", 2), dealt(), over(), authorise("a"), authorise("b"), pay("b"), void("a")]
    result = settle(*facts)
    assert result["hits"] == {"a": {"status": "void"}, "b": {"status": "paid", "share": 2500100}}
    (lock,) = result["locks"]["mega"]
    assert (lock["at"], lock["hits"], lock["amount"]) == (2, ["b"], 2500100), "the position is fixed as well"
    assert result["levels"]["mega"]["meter"] == 2500000 + 2500100, "the share of the void one is back on the meter"


def test_full_each_gives_the_meter_once_while_one_hit_stands() -> None:
    facts = [arm(), hit("a"), hit("b", 2), dealt(), over(), authorise("a"), pay("a")]
    before, after = settle(*facts, policy="full-each"), settle(*facts, void("b"), policy="full-each")
    assert before["locks"]["mega"][0]["house"] == 5000200
    assert after["locks"]["mega"][0]["house"] == 0
    assert before["levels"]["mega"] == after["levels"]["mega"]


def test_a_fixed_share_beyond_the_meter_is_the_houses() -> None:
    facts = [
        *(arm(), hit("a"), dealt(), over(), authorise("a")),
        *(arm(name="2"), hit("b", number="2"), dealt(number="2"), over(number="2"), authorise("b"), pay("b")),
        void("a"),
    ]
    result = settle(*facts, levels=level(meter=0))
    (lock,) = result["locks"]["mega"]
    assert (lock["meter"], lock["amount"], lock["house"]) == (400, 400, 2500200 - 400)
    assert result["hits"]["b"] == {"status": "paid", "share": 2500200}


def test_a_meter_that_was_negative_gives_nothing_and_nothing_is_below_zero_now() -> None:
    facts = [
        *(arm(), hit("a"), dealt(), over(), adjust(-2400000)),
        *(arm(name="2"), hit("b", number="2"), dealt(number="2"), over(number="2"), void("a")),
    ]
    result = settle(*facts, levels=level(meter=0))
    assert result["refused"] == []
    (lock,) = result["locks"]["mega"]
    assert (lock["meter"], lock["amount"], result["hits"]["b"]["share"]) == (400 - 2400000, 0, 0)
    assert result["levels"]["mega"]["meter"] == 2500000 + 400 - 2400000


def test_an_approved_amount_that_comes_back_brings_its_authorisation_back() -> None:
    facts = [arm(), arm("T2"), hit("a"), hit("b", table="T2"), hit("a2", 2), dealt(), authorise("a2")]
    half = level(meter=4999600)  # half of the meter at the hits is just the seed
    assert settle(*facts, levels=half)["hits"]["a2"] == {"status": "authorised", "share": 2500000}
    waiting = settle(*facts, void("a"), levels=half)
    assert waiting["hits"]["a2"] == {"status": "pending"}, "its group stands behind the undealt table now"
    again = settle(*facts, void("a"), dealt("T2"), levels=half)
    assert again["hits"]["a2"] == {"status": "authorised", "share": 2500000}
    other = settle(*facts, void("a"), dealt("T2"), levels=level(meter=4999602))
    assert other["hits"]["a2"] == {"status": "locked", "share": 2500000}


def test_every_amount_that_was_approved_is_remembered() -> None:
    facts = [arm(), arm("T2"), hit("b"), hit("c", table="T2"), hit("c2", 2, "T2"), dealt(), dealt("T2"), authorise("c")]
    facts += [void("c2"), authorise("c")]
    half = level(meter=1249600)  # the meter at the hits is just half of the seed
    assert settle(*facts, levels=half)["hits"]["c"] == {"status": "authorised", "share": 2500000}
    assert settle(*facts, void("b"), levels=half)["hits"]["c"] == {"status": "authorised", "share": 1250000}


def test_a_late_hit_is_a_group_of_its_own_behind_the_lock() -> None:
    result = settle(arm(), hit("a"), dealt(), over(), arm("T2"), late("b", 2))
    assert [lock["hits"] for lock in result["locks"]["mega"]] == [["a"], ["b"]]
    assert result["hits"]["b"]["share"] == 2500200, "the seed and what was fed since"


def test_a_late_hit_waits_behind_an_undealt_round() -> None:
    result = settle(arm(), dealt(), arm("T2"), hit("a", table="T2"), late("b", 2))
    assert result["hits"] == {"a": {"status": "pending"}, "b": {"status": "pending"}}


def test_the_box_of_a_void_hit_may_hit_again_in_the_same_round() -> None:
    result = settle(arm(), hit("a"), void("a"), hit("b"), hit("a", 2), dealt())
    assert result["refused"] == [5], "the id of a void hit stays used"
    assert result["locks"]["mega"][0]["at"] == 4


def test_the_seed_in_force_at_the_position_counts_whenever_the_lock_is_made() -> None:
    result = settle(arm(), hit("a"), parameters(seed=7), parameters(cap=6000000), dealt())
    assert result["locks"]["mega"][0]["seed"] == 2500000
    moved = settle(arm(), hit("a"), parameters(seed=7), hit("b", 2), dealt(), void("a"))
    assert moved["locks"]["mega"][0]["seed"] == 7, "the group stands at its second hit now"


def test_a_level_with_a_pending_hit_may_rise_but_not_fall() -> None:
    result = settle(arm(), hit("a"), adjust(-1), adjust(5), dealt(), adjust(-1))
    assert result["refused"] == [3]
    assert result["locks"]["mega"][0]["meter"] == 5000200, "the rise belongs to the next cycle"
    assert result["levels"]["mega"]["meter"] == 2500000 + 5 - 1


@pytest.mark.parametrize("amount", [0, "0/3"])
def test_an_adjustment_of_nothing_is_refused(amount: int | str) -> None:
    assert settle(adjust(amount))["refused"] == [1]


@pytest.mark.parametrize(
    "change",
    [{}, {"feed": "1/5"}, {"feed": "-1/10"}, {"seed": -1}, {"cap": 4999999}, {"cap": 1}, {"seed": 9, "cap": 8}],
)
def test_parameters_out_of_bounds_are_refused(change: Json) -> None:
    assert settle(parameters(**change))["refused"] == [1]


@pytest.mark.parametrize(
    "by",
    [
        [],
        [PETRA],
        [PETRA, {"name": "Petra", "role": "accountant"}],
        [ADA, {"name": "Cora", "role": "count"}],
        [INES, BORIS],
        [PETRA, {"name": "Root", "role": "administrator"}],
        [PETRA, {"name": "Aldo", "role": "auditor"}],
        [PETRA, {"name": "Who", "role": "guest"}],
    ],
)
def test_parameters_need_two_departments(by: list[Json]) -> None:
    fact = {"parameters": {"level": "mega", "set": {"seed": 1}, "by": by}}
    assert settle(fact)["refused"] == [1]


def test_surveillance_must_be_a_third_name() -> None:
    twice = {"name": "Ines", "role": "surveillance"}
    dealer = {"name": "Dora", "role": "surveillance"}
    facts = [arm(), hit("a"), dealt(), authorise("a", INES, twice), authorise("a", INES, dealer)]
    assert settle(*facts)["refused"] == [4, 5]
    assert settle(*facts, authorise("a", INES, twice, BORIS))["refused"] == [4, 5], "Boris approves, Ines watches"


def test_the_bonus_is_for_each_paid_hit_of_others_by_the_highest_stake() -> None:
    bets = [*BETS, {"box": 4, "player": "Ann", "stake": 1000}]
    facts = [arm(bets=bets), hit("a", 2), hit("b", 1, level="minor"), dealt(), over()]
    facts += [authorise("a"), authorise("b", BORIS), pay("a"), pay("b")]
    assert settle(*facts)["envy"] == {"Ann": 100000, "Cy": 50000 + 2500, "Bob": 5000}
    assert settle(*facts, envy_to_winner=True)["envy"]["Bob"] == 100000 + 5000


def test_a_cap_leaves_the_overflow_on_the_new_meter() -> None:
    result = settle(arm(), hit("a"), dealt(), levels=level(cap=5000100))
    assert result["locks"]["mega"][0]["amount"] == 5000100
    assert result["levels"]["mega"]["meter"] == 2500100


def test_order_and_repetition_of_delivery_do_not_matter() -> None:
    facts = [{"at": at, **fact} for at, fact in enumerate([arm(), hit("a"), dealt(), authorise("a"), over(), pay("a")])]
    once = timeline({**GIVEN, "facts": facts})
    assert timeline({**GIVEN, "facts": [*reversed(facts), *facts]}) == once


BAD_LEVELS = [
    level(seed=-1),
    level(meter=-1),
    level(reserve="-1/2"),
    level(feed="-1/10"),
    level(feed="0"),
    level(feed="3/10"),
    level(feed=0.1),
    level(cap=2499999),
    level(cap="5000001/1"),
    level(cap=True),
    level(seed=None),
    {"mega": None},
    {},
]


@pytest.mark.parametrize("levels", BAD_LEVELS)
def test_bad_levels_are_an_error(levels: Json) -> None:
    case = {"ruleset": "blazing7s", "given": {**GIVEN, "levels": levels}}
    assert set(answer(case)) == {"error"}


BAD_GIVEN: list[Json] = [
    {"policy": "winner-takes-all"},
    {"policy": None},
    {"stakes": [500]},
    {"stakes": [0, 500]},
    {"stakes": "500"},
    {"envy": {"mega": [1]}},
    {"envy": []},
    {"envy_to_winner": 1},
    {"surveillance_over": None},
    {"facts": None},
    {"facts": [1]},
    {"facts": [{}]},
    {"facts": [{"at": 1}]},
    {"facts": [{"at": True, "pay": {"hit": "h"}}]},
    {"facts": [{"at": 1, "pay": {}}]},
    {"facts": [{"at": 1, "pay": []}]},
    {"facts": [{"at": 1, "dance": {}}]},
    {"facts": [{"at": 1, "pay": {"hit": "h"}, "void": {"hit": "h"}}]},
    {"facts": [{"at": 1, "pay": {"hit": "h"}}, {"at": 1, "pay": {"hit": "g"}}]},
    {"facts": [{"at": 1, "arm": {"table": "T1", "round": "1", "dealer": "D", "bets": [7]}}]},
    {"facts": [{"at": 1, "adjust": {"level": "mega", "amount": 0.5, "reason": "malfunction", "by": []}}]},
    {"facts": [{"at": 1, "parameters": {"level": "mega", "set": {"colour": 1}, "by": []}}]},
    {"facts": [{"at": 1, "authorise": {"hit": "h", "by": ["Ines"]}}]},
]


@pytest.mark.parametrize("change", BAD_GIVEN, ids=repr)
def test_what_cannot_be_read_is_an_error(change: Json) -> None:
    case = {"ruleset": "blazing7s", "given": {**GIVEN, **change}}
    assert set(answer(case)) == {"error"}


def test_too_many_denominators_are_an_error() -> None:
    facts = [{"at": at, **adjust(f"1/{10**39 + at * 2 + 1}")} for at in range(100)]
    assert set(answer({"ruleset": "blazing7s", "given": {**GIVEN, "facts": facts}})) == {"error"}


def test_missing_people_and_reasons_are_refused() -> None:
    result = timeline({**GIVEN, "facts": [{"at": 3, "adjust": {"level": "mega", "amount": 1}}]})
    assert result["refused"] == [3]


def test_groups_of_odd_names_stay_apart() -> None:
    facts = [arm("T", "1#2"), hit("a", table="T", number="1#2"), arm("T#1", "2"), hit("b", table="T#1", number="2")]
    facts += [dealt("T", "1#2"), dealt("T#1", "2"), late_named("T#1/mega")]
    assert len(settle(*facts)["locks"]["mega"]) == 3


def late_named(name: str) -> Json:
    body = {"id": name, "table": "T", "round": "1#2", "box": 2, "level": "mega", "by": TWO}
    return {"late_hit": body}
