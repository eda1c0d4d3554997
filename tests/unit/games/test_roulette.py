"""Roulette: places, pays, zero, en prison, limits, acceptance, procedure, odds. [002]"""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from events.errors import Invalid, Refused, Unknown
from events.games.cases import kinds
from events.games.roulette import en_prison_stake_results as roulette_prison
from events.games.roulette import layout, par, stake_acceptance_and_payment_order
from events.games.roulette import rules as roulette
from events.games.roulette.rules import RouletteBet, check_bet, settle_bet, settle_spin
from events.games.roulette.stake_acceptance_and_payment_order import Payee, StakeOffer

AMERICAN = roulette.rules("roulette-american")
FRENCH = roulette.rules("roulette-french")
BOTH = pytest.mark.parametrize("game", [AMERICAN, FRENCH], ids=lambda game: game.name)
EVEN = pytest.mark.parametrize("chance", layout.EVEN_CHANCES)
ZERO = FRENCH.even_chances_on_zero

ONE_OF_EACH = [
    RouletteBet("straight", "straight", 10, (17,)),
    RouletteBet("split", "split", 10, (20, 17)),
    RouletteBet("street", "street", 10, (16, 17, 18)),
    RouletteBet("corner", "corner", 10, (16, 17, 19, 20)),
    RouletteBet("line", "line", 10, (16, 17, 18, 19, 20, 21)),
    RouletteBet("column", "column", 10, which=2),
    RouletteBet("dozen", "dozen", 10, which=2),
    *(RouletteBet(chance, chance, 10) for chance in layout.EVEN_CHANCES),
]


def answer(ruleset: str, kind: str, **inputs: Any) -> dict[str, Any]:
    return kinds(ruleset)[kind]({"kind": kind, **inputs})


def spin(ruleset: str, number: Any, *bets: Any) -> dict[str, Any]:
    return answer(ruleset, "spin", number=number, bets=list(bets))


# Places


def test_the_cloth_has_every_place_of_a_single_zero_layout() -> None:
    counts = {name: len(layout.places(name)) for name in layout.TYPES}
    numbers = {"straight": 37, "split": 60, "street": 14, "corner": 23, "line": 11, "column": 3, "dozen": 3}
    assert counts == numbers | dict.fromkeys(layout.EVEN_CHANCES, 1)


@pytest.mark.parametrize(
    ("name", "size"),
    [("straight", 1), ("split", 2), ("street", 3), ("corner", 4), ("line", 6), ("column", 12), ("dozen", 12)],
)
def test_every_place_of_a_type_covers_the_same_count_of_numbers(name: str, size: int) -> None:
    assert {len(place) for place in layout.places(name)} == {size}


@EVEN
def test_an_even_chance_covers_eighteen_numbers_without_zero(chance: str) -> None:
    (place,) = layout.places(chance)
    assert len(place) == 18
    assert 0 not in place


def test_the_pairs_of_even_chances_share_the_numbers() -> None:
    for name, other in (("red", "black"), ("odd", "even"), ("low", "high")):
        both = [*layout.places(name)[0], *layout.places(other)[0]]
        assert sorted(both) == list(range(1, 37))


def test_colours_are_those_of_the_wheel() -> None:
    red = "1 3 5 7 9 12 14 16 18 19 21 23 25 27 30 32 34 36"
    assert [n for n in range(37) if layout.colour(n) == "red"] == [int(n) for n in red.split()]
    assert [n for n in range(37) if layout.colour(n) == "green"] == [0]


@BOTH
@pytest.mark.parametrize(
    "bet",
    [
        RouletteBet("b", "straight", 1, (37,)),
        RouletteBet("b", "straight", 1, (-1,)),
        RouletteBet("b", "straight", 1, (1, 2)),
        RouletteBet("b", "straight", 1),
        RouletteBet("b", "split", 1, (1, 5)),
        RouletteBet("b", "split", 1, (3, 4)),
        RouletteBet("b", "split", 1, (5, 5)),
        RouletteBet("b", "split", 1, (0, 4)),
        RouletteBet("b", "split", 1, (36, 37)),
        RouletteBet("b", "street", 1, (2, 3, 4)),
        RouletteBet("b", "street", 1, (1, 2, 2)),
        RouletteBet("b", "street", 1, (0, 1, 3)),
        RouletteBet("b", "corner", 1, (3, 4, 6, 7)),
        RouletteBet("b", "corner", 1, (0, 1, 2, 4)),
        RouletteBet("b", "corner", 1, (1, 2, 4)),
        RouletteBet("b", "line", 1, (2, 3, 4, 5, 6, 7)),
        RouletteBet("b", "line", 1, (1, 2, 3, 7, 8, 9)),
        RouletteBet("b", "column", 1, which=0),
        RouletteBet("b", "column", 1, which=4),
        RouletteBet("b", "column", 1),
        RouletteBet("b", "dozen", 1, (1,), which=1),
        RouletteBet("b", "straight", 1, (1,), which=1),
        RouletteBet("b", "red", 1, which=1),
        RouletteBet("b", "red", 1, (1,)),
        RouletteBet("b", "two_dozens", 1, which=1),
        RouletteBet("b", "basket", 1, (0, 1, 2, 3)),
    ],
)
def test_a_place_that_the_layout_does_not_have_is_refused_with_its_clause(
    game: roulette.RouletteRules, bet: RouletteBet
) -> None:
    with pytest.raises(Refused) as refused:
        check_bet(game, bet)
    assert refused.value.clause == f"{game.name} P.7"
    assert refused.value.source == "002 §8a"


def test_a_bet_astride_two_dozens_names_the_reading() -> None:
    with pytest.raises(Refused) as refused:
        check_bet(FRENCH, RouletteBet("b", "two_dozens", 1, which=1))
    assert refused.value.reading == "ROU-7"


@pytest.mark.parametrize(
    ("name", "numbers", "pay"),
    [
        ("split", (0, 1), 17),
        ("split", (2, 0), 17),
        ("split", (0, 3), 17),
        ("street", (0, 1, 2), 11),
        ("street", (3, 2, 0), 11),
        ("corner", (0, 1, 2, 3), 8),
    ],
)
@BOTH
def test_bets_with_zero_pay_by_the_count_of_numbers(
    game: roulette.RouletteRules, name: str, numbers: tuple[int, ...], pay: int
) -> None:
    result = settle_bet(game, 0, RouletteBet("b", name, 10, numbers))
    assert (result.outcome, result.profit, result.returned) == ("win", pay * 10, 10)


def test_a_house_may_take_no_bets_with_zero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = own_ruleset(tmp_path, monkeypatch, "roulette-zero-less", zero_places=False)
    with pytest.raises(Refused, match="no split with zero") as refused:
        check_bet(game, RouletteBet("b", "split", 1, (0, 1)))
    assert refused.value.reading == "ROU-5"
    assert check_bet(game, RouletteBet("b", "straight", 1, (0,))) == {0}


# Pays


@BOTH
def test_every_bet_pays_its_odds_on_17(game: roulette.RouletteRules) -> None:
    profits = {result.bet: result.profit for result in settle_spin(game, 17, ONE_OF_EACH)}
    assert profits == {
        "straight": 350,
        "split": 170,
        "street": 110,
        "corner": 80,
        "line": 50,
        "column": 20,
        "dozen": 20,
        "red": -10,
        "black": 10,
        "odd": 10,
        "even": -10,
        "low": 10,
        "high": -10,
    }


@BOTH
def test_columns_and_dozens_lose_on_zero(game: roulette.RouletteRules) -> None:
    outcomes = {
        settle_bet(game, 0, RouletteBet("b", name, 1, which=w)).outcome for name in ("column", "dozen") for w in (1, 3)
    }
    assert outcomes == {"lose"}


@BOTH
@pytest.mark.parametrize(("number", "profit", "returned"), [(8, 200 * 11, 250), (10, -200, 50)])
def test_an_excess_not_seen_in_time_comes_back(
    game: roulette.RouletteRules, number: int, profit: int, returned: int
) -> None:
    result = settle_bet(game, number, RouletteBet("b", "street", 250, (7, 8, 9), maximum=200))
    assert (result.profit, result.returned) == (profit, returned)


@pytest.mark.parametrize("number", [-1, 37, True, "0", 5.0, None])
def test_the_wheel_has_37_positions(number: Any) -> None:
    assert "error" not in spin("roulette-french", 36)
    with pytest.raises(Invalid, match="number"):
        spin("roulette-french", number)


@pytest.mark.parametrize(
    "bet",
    [
        {"id": "b", "type": "red", "stake": 0},
        {"id": "b", "type": "red", "stake": -5},
        {"id": "b", "type": "red", "stake": "7/2"},
        {"id": "b", "type": "red", "stake": 2.5},
        {"id": "b", "type": "red", "stake": True},
        {"id": "b", "type": "red"},
        {"id": 7, "type": "red", "stake": 1},
        {"type": "red", "stake": 1},
        {"id": "b", "type": "red", "stake": 1, "max": 0},
        {"id": "b", "type": "red", "stake": 1, "on_zero": "keep"},
        {"id": "b", "type": "straight", "stake": 1, "numbers": ["5"]},
        {"id": "b", "type": "straight", "stake": 1, "numbers": 5},
        "red",
        None,
    ],
)
def test_a_bet_that_cannot_be_read_is_invalid(bet: Any) -> None:
    with pytest.raises(Invalid):
        spin("roulette-french", 1, bet)


def test_two_bets_of_one_id_are_invalid() -> None:
    with pytest.raises(Invalid, match="same id"):
        settle_spin(FRENCH, 1, [RouletteBet("b", "red", 1), RouletteBet("b", "black", 1)])


# Zero


@EVEN
def test_american_even_chances_lose_on_zero(chance: str) -> None:
    result = settle_bet(AMERICAN, 0, RouletteBet("b", chance, 10))
    assert (result.outcome, result.profit, result.returned) == ("lose", -10, 0)


@EVEN
def test_french_even_chances_give_half_back_or_go_to_prison(chance: str) -> None:
    half = settle_bet(FRENCH, 0, RouletteBet("b", chance, 7, on_zero="half"))
    prison = settle_bet(FRENCH, 0, RouletteBet("b", chance, 7, on_zero="prison"))
    assert (half.outcome, half.profit, half.returned) == ("half", Fraction(-7, 2), Fraction(7, 2))
    assert (prison.outcome, prison.profit, prison.returned, prison.in_prison) == ("prison", 0, 0, 7)


def test_who_does_not_say_gets_half_back() -> None:
    assert settle_bet(FRENCH, 0, RouletteBet("b", "red", 10)).outcome == "half"


def test_on_the_last_coup_nothing_stays_in_prison() -> None:
    result = settle_bet(FRENCH, 0, RouletteBet("b", "red", 10, on_zero="prison"), last_coup=True)
    assert (result.outcome, result.returned, result.in_prison) == ("half", 5, 0)


def test_zero_on_a_stake_over_the_maximum_gives_the_excess_back_first() -> None:
    half = settle_bet(FRENCH, 0, RouletteBet("b", "low", 74, maximum=20, on_zero="half"))
    prison = settle_bet(FRENCH, 0, RouletteBet("b", "low", 74, maximum=20, on_zero="prison"))
    assert (half.profit, half.returned) == (-10, 64)
    assert (prison.profit, prison.returned, prison.in_prison) == (0, 54, 20)


@pytest.mark.parametrize(
    ("game", "bet"),
    [
        (AMERICAN, RouletteBet("b", "red", 1, on_zero="half")),
        (FRENCH, RouletteBet("b", "column", 1, which=1, on_zero="half")),
        (FRENCH, RouletteBet("b", "straight", 1, (0,), on_zero="prison")),
    ],
)
def test_a_choice_at_zero_is_only_for_french_even_chances(game: roulette.RouletteRules, bet: RouletteBet) -> None:
    with pytest.raises(Refused, match="French roulette") as refused:
        check_bet(game, bet)
    assert refused.value.clause == f"{game.name} B"


# En prison


@pytest.mark.parametrize(
    ("numbers", "choices", "last_coup", "events", "returned"),
    [
        ([1], [], False, ["win"], 160),
        ([2], [], False, ["lose"], 0),
        ([0], ["half"], False, ["half"], 40),
        ([0, 1], ["prison"], False, ["prison", "released"], 80),
        ([0, 2], ["prison"], False, ["prison", "lose"], 0),
        ([0, 0], ["prison", "half"], False, ["prison", "half"], 20),
        ([0, 0, 1], ["prison", "prison"], False, ["prison", "prison", "released"], 40),
        ([0, 0, 0], ["prison", "prison", "half"], False, ["prison", "prison", "half"], 10),
        ([0, 0, 0, 1], ["prison"] * 3, False, ["prison"] * 3 + ["released"], 20),
        ([0, 0, 0, 0], ["prison"] * 3, False, ["prison"] * 3 + ["lose"], 0),
        ([0], [], True, ["half"], 40),
        ([0], ["prison"], True, ["half"], 40),
        ([0, 0], ["prison"], True, ["prison", "half"], 20),
        ([0, 0, 0], ["prison", "prison"], True, ["prison", "prison", "half"], 10),
        ([0, 1], ["prison"], True, ["prison", "released"], 80),
        ([0, 0, 0, 0], ["prison"] * 3, True, ["prison"] * 3 + ["lose"], 0),
    ],
)
def test_a_stake_en_prison_is_followed_to_its_end(
    numbers: list[int], choices: list[str], last_coup: bool, events: list[str], returned: int
) -> None:
    result = answer(
        "roulette-french", "en_prison", type="red", stake=80, numbers=numbers, choices=choices, last_coup=last_coup
    )
    assert result == {"events": events, "state": "closed", "returned": returned, "net": returned - 80}


@pytest.mark.parametrize(("zeros", "cash", "release"), [(1, "25/2", 25), (2, "25/4", "25/2"), (3, "25/8", "25/4")])
def test_an_open_stake_shows_what_it_is_worth(zeros: int, cash: str, release: int | str) -> None:
    inputs = {"type": "odd", "stake": 25, "numbers": [0] * zeros, "choices": ["prison"] * zeros}
    assert answer("roulette-french", "en_prison", **inputs) == {
        "events": ["prison"] * zeros,
        "state": "prison",
        "cash_value": cash,
        "release_value": release,
    }


@pytest.mark.parametrize(
    "inputs",
    [
        {"numbers": [1, 2]},
        {"numbers": [0, 1, 5], "choices": ["prison"]},
        {"numbers": [0, 5], "choices": ["half"]},
        {"numbers": [0]},
        {"numbers": [0, 0], "choices": ["prison"]},
        {"numbers": [0], "choices": ["maybe"]},
        {"numbers": []},
        {"numbers": [37]},
        {"numbers": [0], "choices": ["half"], "stake": 0},
        {"numbers": [0], "choices": ["half"], "stake": "1/2"},
        {"numbers": [0], "choices": ["half"], "type": "column"},
        {"numbers": [0], "choices": ["half"], "type": None},
    ],
)
def test_a_story_that_cannot_be_is_refused(inputs: dict[str, Any]) -> None:
    with pytest.raises((Invalid, Refused)):
        answer("roulette-french", "en_prison", **({"type": "red", "stake": 10} | inputs))


def test_there_is_no_prison_in_the_american_game() -> None:
    assert "en_prison" not in kinds("roulette-american")
    held = roulette_prison.Prison("red", 10, 0)
    assert roulette_prison.after_zero(AMERICAN.even_chances_on_zero, held, None).event == "lose"


def test_a_live_stake_is_carried_from_spin_to_spin() -> None:
    held = roulette_prison.after_zero(ZERO, roulette_prison.Prison("black", 80, 0), "prison").prison
    assert held == roulette_prison.Prison("black", 80, 1)
    held = roulette_prison.next_number(ZERO, held, 0, "prison").prison
    assert held is not None
    assert (held.cash_value, held.release_value) == (20, 40)
    assert roulette_prison.next_number(ZERO, held, 2, None) == roulette_prison.PrisonStep("released", 40)


# Limits and acceptance


@BOTH
def test_limits_are_multiples_of_the_minimum(game: roulette.RouletteRules) -> None:
    bands = stake_acceptance_and_payment_order.limits(game, Fraction(5, 2))
    assert bands["straight"] == (50, 75)
    assert bands["column"] == bands["dozen"] == (600, 900)
    assert {bands[chance] for chance in layout.EVEN_CHANCES} == {(900, 1350)}
    assert stake_acceptance_and_payment_order.limits(game, Fraction(1, 100))["straight"] == (
        Fraction(1, 5),
        Fraction(3, 10),
    )


@pytest.mark.parametrize("minimum", [0, -1, "0", "1/0", 2.5, None, "x"])
def test_a_minimum_is_above_zero(minimum: Any) -> None:
    with pytest.raises(Invalid):
        answer("roulette-american", "limits", minimum=minimum)


def test_a_maximum_on_the_edge_of_its_band_is_good() -> None:
    low = {name: low for name, (low, _) in AMERICAN.maxima.items()}
    high = {name: high for name, (_, high) in AMERICAN.maxima.items()}
    assert (
        stake_acceptance_and_payment_order.table_check(AMERICAN, 1, low)
        == stake_acceptance_and_payment_order.table_check(AMERICAN, 1, high)
        == []
    )
    assert stake_acceptance_and_payment_order.table_check(AMERICAN, 1, high | {"street": 91, "red": 541}) == [
        "street",
        "red",
    ]
    assert stake_acceptance_and_payment_order.table_check(AMERICAN, 1, low | {"line": 119}) == ["line"]


def test_a_missing_maximum_is_bad_and_an_unknown_one_invalid() -> None:
    maxima = {name: low for name, (low, _) in FRENCH.maxima.items()}
    del maxima["corner"]
    assert stake_acceptance_and_payment_order.table_check(FRENCH, 1, maxima) == ["corner"]
    with pytest.raises(Invalid, match="two_dozens"):
        stake_acceptance_and_payment_order.table_check(FRENCH, 1, maxima | {"two_dozens": 1})


STRAIGHT = {"type": "straight", "numbers": (5,)}


@BOTH
@pytest.mark.parametrize(
    ("phase", "offer", "accepted", "handed_back", "clause"),
    [
        ("open", {"stake": 50}, 50, 0, None),
        ("spinning", {"stake": 50}, 50, 0, None),
        ("no_more_bets", {"stake": 50}, 0, 50, "P.3"),
        ("open", {"stake": 150}, 100, 50, "I.1"),
        ("no_more_bets", {"stake": 150}, 0, 150, "P.3"),
        ("open", {"stake": 4}, 0, 4, "L"),
        ("open", {"stake": 5}, 5, 0, None),
        ("open", {"stake": 100}, 100, 0, None),
        ("open", {"stake": 50, "how": "racetrack"}, 0, 50, "P.7"),
        ("spinning", {"stake": 50, "how": "racetrack", "by": "croupier"}, 50, 0, None),
        ("open", {"stake": 50, "how": "call_without_stake"}, 0, 0, "P.7"),
        ("no_more_bets", {"stake": 50, "how": "call_without_stake", "by": "croupier"}, 0, 0, "P.7"),
        ("open", {"stake": 50, "type": "split", "numbers": (1, 5)}, 0, 50, "P.7"),
        ("open", {"stake": 50, "type": "split", "numbers": (1, 4)}, 50, 0, None),
        ("open", {"stake": 50, "type": "two_dozens", "numbers": ()}, 0, 50, "P.7"),
    ],
)
def test_what_of_a_stake_is_accepted(
    game: roulette.RouletteRules, phase: Any, offer: dict[str, Any], accepted: int, handed_back: int, clause: str | None
) -> None:
    taken = stake_acceptance_and_payment_order.accept(game, phase, StakeOffer(**(STRAIGHT | offer)), 5, 100)
    assert (taken.accepted, taken.handed_back) == (accepted, handed_back)
    assert (taken.why.clause if taken.why else None) == (f"{game.name} {clause}" if clause else None)


@pytest.mark.parametrize(
    ("lying", "stake", "accepted", "handed_back"),
    [(60, 40, 40, 0), (60, 41, 40, 1), (100, 5, 0, 5), (120, 5, 0, 5), (60, 1, 1, 0), (3, 2, 2, 0), (3, 1, 0, 1)],
)
def test_limits_count_what_already_lies_on_the_place(lying: int, stake: int, accepted: int, handed_back: int) -> None:
    taken = stake_acceptance_and_payment_order.accept(
        FRENCH, "open", StakeOffer("straight", stake, (5,)), 5, 100, lying=lying
    )
    assert (taken.accepted, taken.handed_back) == (accepted, handed_back)


@pytest.mark.parametrize("change", [{"stake": 0}, {"phase": "shut"}, {"how": "by post"}, {"max": 1.5}, {"bet": None}])
def test_an_offer_that_cannot_be_read_is_invalid(change: dict[str, Any]) -> None:
    inputs = {"phase": "open", "how": "layout", "by": "player", "minimum": 5, "max": 100, "bet": STRAIGHT, "stake": 5}
    assert answer("roulette-french", "accept", **inputs) == {"accepted": 5, "handed_back": 0}
    with pytest.raises(Invalid):
        answer("roulette-french", "accept", **(inputs | change))


# Procedure


@pytest.mark.parametrize(
    ("wheel", "ball", "revolutions", "fallen", "reasons"),
    [
        ("cw", "ccw", 4, False, ()),
        ("ccw", "cw", 12, False, ()),
        ("cw", "ccw", 3, False, ("under_four_turns",)),
        ("cw", "cw", 9, False, ("ball_with_wheel",)),
        ("cw", "ccw", 9, True, ("object_in_wheel",)),
        ("ccw", "ccw", 0, True, ("object_in_wheel", "ball_with_wheel", "under_four_turns")),
    ],
)
def test_no_spin(wheel: Any, ball: Any, revolutions: int, fallen: bool, reasons: tuple[str, ...]) -> None:
    checked = stake_acceptance_and_payment_order.spin_check(AMERICAN, wheel, ball, revolutions, object_in_wheel=fallen)
    assert (checked.valid, checked.reasons) == (not reasons, reasons)


def test_payment_goes_by_groups_then_numbers_player_by_player() -> None:
    bets = [
        Payee("1", "straight", "C"),
        Payee("2", "dozen", "A"),
        Payee("3", "split", "A"),
        Payee("4", "high", "A"),
        Payee("5", "street", "C"),
        Payee("6", "column", "C"),
        Payee("7", "red", "B"),
    ]
    assert stake_acceptance_and_payment_order.pay_order(bets) == ["6", "4", "7", "2", "1", "5", "3"]


def test_an_unknown_bet_has_no_place_in_the_order() -> None:
    with pytest.raises(Invalid):
        answer("roulette-french", "pay_order", bets=[{"id": "1", "player": "A", "type": "two_dozens"}])


@pytest.mark.parametrize("work", ["bet", "change", "pay", "sort_colour_chips"])
def test_only_the_croupier_handles_chips(work: Any) -> None:
    stake_acceptance_and_payment_order.check_staff(FRENCH, "croupier", work)
    with pytest.raises(Refused, match="inspector"):
        stake_acceptance_and_payment_order.check_staff(FRENCH, "inspector", work)
    if work == "sort_colour_chips":
        stake_acceptance_and_payment_order.check_staff(FRENCH, "assistant", work)
    else:
        with pytest.raises(Refused, match="assistant") as refused:
            stake_acceptance_and_payment_order.check_staff(FRENCH, "assistant", work)
        assert refused.value.clause == "roulette-french P.6"


# Odds


def test_every_american_bet_keeps_one_thirty_seventh() -> None:
    edges = par.edges("roulette-american")
    assert [edge.bet for edge in edges] == list(layout.TYPES)
    assert {edge.edge for edge in edges} == {Fraction(1, 37)}


def test_french_even_chances_keep_half_of_it_or_a_little_more_en_prison() -> None:
    edges = par.edges("roulette-french")
    half = {edge.edge for edge in edges if edge.condition == "always half"}
    prison = {edge.edge for edge in edges if edge.condition == "always en prison"}
    assert half == {Fraction(1, 74)}
    assert {round(100 * edge, 3) for edge in half} == {Fraction("1.351")}
    assert {round(100 * edge, 3) for edge in prison} == {Fraction("1.370")}
    assert {edge.edge for edge in edges if not edge.condition} == {Fraction(1, 37)}
    assert len(edges) == 7 + 2 * 6


def test_the_letter_of_the_text_would_leave_the_bank_next_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zero = {"rule": "choice", "release": "any number"}
    own_ruleset(tmp_path, monkeypatch, "roulette-letter", even_chances_on_zero=zero)
    (edge,) = [e.edge for e in par.edges("roulette-letter") if (e.bet, e.condition) == ("red", "always en prison")]
    assert round(100 * edge, 3) == Fraction("0.037")


# Rulesets


def own_ruleset(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, **changes: Any) -> roulette.RouletteRules:
    """Return a casino's own ruleset. Every test takes a new name, since a process reads a ruleset only once."""
    shipped = Path(roulette.__file__).parent / "rulesets" / "roulette-french.json"
    document = json.loads(shipped.read_text(encoding="utf-8")) | {"name": name} | changes
    (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    monkeypatch.setenv("PITLEDGER_RULESETS", str(folder))
    return roulette.rules(name)


def test_a_ruleset_without_all_pays_is_invalid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Invalid, match="payouts and maxima"):
        own_ruleset(tmp_path, monkeypatch, "roulette-short", payouts={"straight": 35})


def test_a_ruleset_that_does_not_exist_is_unknown() -> None:
    with pytest.raises(Unknown):
        roulette.rules("roulette-martian")


@BOTH
def test_a_ruleset_names_its_readings(game: roulette.RouletteRules) -> None:
    assert game.version
    assert {"ROU-5", "ROU-7", "ROU-16"} <= set(game.readings)
