"""Every place of the cloth on every number, beside penny-ante; each difference is one that a clause explains."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

import pytest

from events.games.roulette import rules as roulette
from events.games.roulette.layout import EVEN_CHANCES, NUMBER_BETS, NUMBERS, colour, covered, places

pytestmark = pytest.mark.peers

STAKE = 60
PLACES = 157
SIZES = {"straight": 1, "split": 2, "street": 3, "corner": 4}
RULESETS = ("roulette-american", "roulette-french")

# (ruleset, type, number): what the difference comes to, and the clause. All other bets on all other numbers are equal.
EXPLAINED = {
    ("roulette-french", name, 0): "B. (6b), ROU-2: half of an even chance comes back on zero; penny-ante takes it all"
    for name in EVEN_CHANCES
}
# The same for places: penny-ante takes any numbers, as long as there are so many of them.
NO_PLACE = {
    "split": "P.7 (8a): bets are valid on the printed spaces only",
    "street": "P.7 (8a): the same",
    "corner": "P.7 (8a): the same",
    "line": "P.7 (8a): the same",
}
_THEIR_NAMES = {"straight": "straight_up", "line": "six_line"}
_ORDINALS = {1: "first", 2: "second", 3: "third"}


def wheel() -> Any:
    """penny-ante's wheel with a single zero."""
    from penny_ante import Wheel

    return Wheel("EUROPEAN")


def spaces() -> dict[int, Any]:
    """Return penny-ante's spaces by their numbers."""
    return {int(space.value): space for space in wheel().spaces}


@cache
def layout() -> Any:
    from penny_ante import Layout

    return Layout(wheel())


def theirs_of(name: str, numbers: tuple[int, ...] = (), which: int | None = None) -> Any:
    """penny-ante's bet; one on numbers names them, any other goes by its own rule. Raises ValueError for no bet."""
    from penny_ante import Bet, BetType

    known = _THEIR_NAMES.get(name, name) if which is None else f"{_ORDINALS[which]}_{name}"
    return Bet(BetType(known), {str(number) for number in numbers}, STAKE, layout=layout() if numbers else None)


def bets() -> Iterator[tuple[roulette.RouletteBet, Any]]:
    """Yield a bet on every place, for our rules and for penny-ante."""
    for name in NUMBER_BETS:
        for numbers in places(name):
            yield roulette.RouletteBet("b", name, STAKE, numbers), theirs_of(name, numbers)
    for name in ("column", "dozen"):
        for which in (1, 2, 3):
            yield roulette.RouletteBet("b", name, STAKE, which=which), theirs_of(name, which=which)
    for name in EVEN_CHANCES:
        yield roulette.RouletteBet("b", name, STAKE), theirs_of(name)


def own_payment(ruleset: str, bet: roulette.RouletteBet, number: int) -> tuple[object, object]:
    """Profit, and all that the player gets."""
    result = roulette.settle_bet(roulette.rules(ruleset), number, bet)
    return result.profit, result.returned + max(result.profit, 0)


def peer_payment(bet: Any, space: Any) -> tuple[object, object]:
    paid = bet.calculate_payout(space)
    return paid - STAKE, paid


def is_taken(name: str, numbers: tuple[int, ...]) -> bool:
    """Return whether penny-ante accepts a bet on these numbers."""
    try:
        theirs_of(name, numbers)
    except ValueError:
        return False
    return True


def test_the_wheels_have_the_same_numbers_and_colours() -> None:
    assert {number: space.color.lower() for number, space in spaces().items()} == {n: colour(n) for n in NUMBERS}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_difference_from_penny_ante_is_explained_by_a_clause(ruleset: str) -> None:
    fallen = spaces()
    pairs = list(bets())
    differing = {
        (ruleset, bet.type, number)
        for (bet, their_bet), number in product(pairs, NUMBERS)
        if own_payment(ruleset, bet, number) != peer_payment(their_bet, fallen[number])
    }
    assert differing == {key for key in EXPLAINED if key[0] == ruleset}
    assert len(pairs) == PLACES


def test_every_place_that_only_one_of_them_has_is_explained_by_a_clause() -> None:
    tried = [(name, numbers) for name, size in SIZES.items() for numbers in combinations(NUMBERS, size)]
    tried += [("line", numbers) for numbers in combinations(range(14), 6)]
    differing = {name for name, numbers in tried if is_taken(name, numbers) != (covered(name, numbers) is not None)}
    assert differing == set(NO_PLACE)
    assert len(tried) == 77_521
