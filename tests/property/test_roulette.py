"""Roulette for any bets and any numbers: no chip is lost or created, and every refusal names its clause."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.errors import Invalid, Refused
from events.games.roulette import json_case_settlement, layout, stake_acceptance_and_payment_order
from events.games.roulette import rules as roulette
from events.games.roulette.en_prison_stake_results import Choice, Prison, after_zero, next_number
from events.games.roulette.rules import RouletteBet

AMERICAN = roulette.rules("roulette-american")
FRENCH = roulette.rules("roulette-french")
ZERO = FRENCH.even_chances_on_zero

games = st.sampled_from([AMERICAN, FRENCH])
numbers = st.integers(0, 36)
choices: st.SearchStrategy[Choice] = st.sampled_from(["half", "prison"])
stakes = st.integers(1, 10**12)


@st.composite
def places(draw: st.DrawFn) -> dict[str, Any]:
    """Any place of the cloth, its numbers in any order."""
    name = draw(st.sampled_from(layout.TYPES))
    if name in layout.EVEN_CHANCES:
        return {"type": name}
    if name in layout.GROUP_BETS:
        return {"type": name, "which": draw(st.integers(1, 3))}
    place = draw(st.sampled_from(layout.places(name)))
    return {"type": name, "numbers": tuple(draw(st.permutations(place)))}


@st.composite
def bets(draw: st.DrawFn, game: roulette.RouletteRules) -> list[RouletteBet]:
    """Good bets with ids of their own, some over a maximum, some with a wish for zero."""
    bets_ = []
    for at, place in enumerate(draw(st.lists(places(), max_size=8))):
        wish = game is FRENCH and place["type"] in layout.EVEN_CHANCES
        on_zero = draw(st.none() | choices) if wish else None
        maximum = draw(st.none() | stakes)
        bets_.append(RouletteBet(id=f"b{at}", stake=draw(stakes), maximum=maximum, on_zero=on_zero, **place))
    return bets_


@given(st.data(), games, numbers, st.booleans())
def test_every_chip_stays_or_goes_to_one_of_the_two(
    data: st.DataObject, game: roulette.RouletteRules, number: int, last_coup: bool
) -> None:
    laid = data.draw(bets(game))
    for bet, result in zip(laid, roulette.settle_spin(game, number, laid, last_coup=last_coup), strict=True):
        assert result.bet == bet.id
        assert bet.stake + min(result.profit, 0) == result.returned + result.in_prison
        played = bet.stake if bet.maximum is None else min(bet.stake, bet.maximum)
        assert result.returned >= bet.stake - played
        assert -played <= result.profit <= played * game.payouts[bet.type]
        assert (result.outcome == "win") == (result.profit > 0)
        assert (result.outcome == "prison") == (result.in_prison > 0)


@given(st.data(), games, numbers)
def test_results_do_not_depend_on_the_order_of_the_bets(
    data: st.DataObject, game: roulette.RouletteRules, number: int
) -> None:
    laid = data.draw(bets(game))
    shuffled = data.draw(st.permutations(laid))
    results = {result.bet: result for result in roulette.settle_spin(game, number, laid)}
    other = {result.bet: result for result in roulette.settle_spin(game, number, shuffled)}
    assert results == other


@given(
    games,
    st.sampled_from((*layout.TYPES, "two_dozens", "")),
    st.lists(st.integers(-2, 40), max_size=6),
    st.none() | st.integers(-1, 4),
)
def test_a_place_is_on_the_cloth_or_refused_with_its_clause(
    game: roulette.RouletteRules, name: str, named: list[int], which: int | None
) -> None:
    try:
        place, refused = roulette.check_place(game, name, named, which), None
    except Refused as error:
        place, refused = frozenset(), error
    if refused is not None:
        assert refused.clause.startswith(f"{game.name} ")
        assert refused.source.startswith("002 §")
    else:
        assert tuple(sorted(place)) in layout.places(name)
        assert not named or sorted(named) == sorted(place)


@given(places())
def test_every_place_keeps_the_same_share(place: dict[str, Any]) -> None:
    bet = RouletteBet(id="b", stake=1, **place)
    house_share = -sum(Fraction(roulette.settle_bet(AMERICAN, number, bet).profit) for number in range(37))
    assert house_share / 37 == Fraction(1, 37)


@given(
    st.sampled_from(layout.EVEN_CHANCES),
    stakes,
    st.lists(st.tuples(numbers | st.just(0), choices), min_size=1, max_size=6),
    st.booleans(),
)
def test_a_stake_en_prison_never_comes_back_larger(
    chance: str, stake: int, spins: list[tuple[int, str]], last_coup: bool
) -> None:
    step = after_zero(ZERO, Prison(chance, stake, 0), "prison")
    events = []
    for at, (number, choice) in enumerate(spins):
        if (held := step.prison) is None:
            break
        assert 2 * held.cash_value == held.release_value == Fraction(2 * stake, 2**held.zeros)
        step = next_number(ZERO, held, number, choice, last_coup=last_coup and at == len(spins) - 1)
        assert 0 <= step.returned <= held.release_value
        events.append(step.event)
    assert step.prison is None or set(events) <= {"prison"}
    if last_coup and len(events) == len(spins):
        assert step.prison is None or spins[-1][0] != 0


@given(
    st.sampled_from(layout.EVEN_CHANCES),
    stakes,
    st.lists(numbers | st.just(0), min_size=1, max_size=5),
    st.lists(choices, max_size=4),
    st.booleans(),
)
def test_a_case_en_prison_is_answered_or_refused(
    chance: str, stake: int, spun: list[int], answers: list[str], last_coup: bool
) -> None:
    case = {"type": chance, "stake": stake, "numbers": spun, "choices": answers, "last_coup": last_coup}
    try:
        result = json_case_settlement.en_prison("roulette-french", case)
    except Invalid:
        assert len(spun) > 1 or len(answers) < spun.count(0)
        return
    assert len(result["events"]) == len(spun)
    if result["state"] == "closed":
        assert Fraction(result["net"]) == Fraction(result["returned"]) - stake
    else:
        assert 2 * Fraction(result["cash_value"]) == Fraction(result["release_value"])


@given(
    games,
    st.sampled_from(["open", "spinning", "no_more_bets"]),
    st.sampled_from(["layout", "racetrack", "call_without_stake"]),
    st.sampled_from(["player", "croupier"]),
    places(),
    stakes,
    st.integers(1, 10**6),
    st.integers(1, 1000),
)
def test_an_offered_stake_is_divided_and_any_refusal_names_its_clause(
    game: roulette.RouletteRules,
    phase: Any,
    how: Any,
    by: str,
    place: dict[str, Any],
    stake: int,
    minimum: int,
    factor: int,
) -> None:
    maximum = minimum * factor
    offer = stake_acceptance_and_payment_order.StakeOffer(stake=stake, how=how, by=by, **place)
    taken = stake_acceptance_and_payment_order.accept(game, phase, offer, minimum, maximum)
    assert taken.accepted + taken.handed_back == (0 if how == "call_without_stake" else stake)
    assert taken.accepted == 0 or minimum <= taken.accepted <= maximum
    assert (taken.why is None) == (taken.accepted == stake)
    if taken.why is not None:
        assert taken.why.clause.startswith(f"{game.name} ")
        assert taken.why.source


@given(st.lists(st.tuples(st.sampled_from(layout.TYPES), st.sampled_from("ABC")), max_size=12))
def test_everyone_is_paid_once_and_the_groups_come_first(winners: list[tuple[str, str]]) -> None:
    laid = {f"b{at}": stake_acceptance_and_payment_order.Payee(f"b{at}", *winner) for at, winner in enumerate(winners)}
    order = stake_acceptance_and_payment_order.pay_order(list(laid.values()))
    assert sorted(order) == sorted(laid)
    groups = [_group(laid[paid].type) for paid in order]
    assert groups == sorted(groups)
    players = [laid[paid].player for paid in order if _group(laid[paid].type) == 3]
    assert len(list(_runs(players))) == len(set(players))


def _group(name: str) -> int:
    groups = (("column",), layout.EVEN_CHANCES, ("dozen",), layout.NUMBER_BETS)
    return next(at for at, group in enumerate(groups) if name in group)


def _runs(players: list[str]) -> list[str]:
    return [player for at, player in enumerate(players) if at == 0 or players[at - 1] != player]


@given(st.integers(1, 10**6), st.data())
def test_a_posted_maximum_is_good_inside_its_band_only(minimum: int, data: st.DataObject) -> None:
    bands = stake_acceptance_and_payment_order.limits(FRENCH, minimum)
    maxima = {name: data.draw(st.integers(int(low), int(high))) for name, (low, high) in bands.items()}
    assert stake_acceptance_and_payment_order.table_check(FRENCH, minimum, maxima) == []
    name = data.draw(st.sampled_from(layout.TYPES))
    outside = data.draw(st.sampled_from([bands[name][0] - 1, bands[name][1] + 1]))
    assert stake_acceptance_and_payment_order.table_check(FRENCH, minimum, maxima | {name: outside}) == [name]


@given(st.integers().filter(lambda number: not 0 <= number <= 36))
def test_there_is_no_38th_position(number: int) -> None:
    with pytest.raises(Invalid):
        roulette.settle_spin(AMERICAN, number, [])
