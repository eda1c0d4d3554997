"""Every craps bet on every point and throw, beside crapssim; each difference is one that a clause explains."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from events.games import craps

pytestmark = pytest.mark.peers

STAKE = 60  # whole profits with every payout of both
POINTS = (None, 4, 5, 6, 8, 9, 10)
DICE = tuple(product(range(1, 7), range(1, 7)))
NUMBERS = (4, 5, 6, 8, 9, 10)

Found = tuple[str, Fraction]  # win | lose | push | stands, and the profit

# (ruleset, bet): what the difference comes to, and the clause. Everything else is equal, throw by throw.
EXPLAINED = {
    ("craps-gr", "horn"): "B.12, GRC-3: four times the whole stake on any of the four; the trade splits the stake",
    ("craps-by", "big6"): "B.10, BYC-4: like a place bet, off on the come-out; crapssim has it on",
    ("craps-by", "big8"): "B.10, BYC-4: like a place bet, off on the come-out; crapssim has it on",
    ("craps-by", "buy"): "B.7: the 5 % are paid when the bet is made; crapssim takes them from the win",
    ("craps-by", "lay"): "B.8: the 5 % are paid when the bet is made; crapssim takes them from the win",
}


def theirs_of(name: str, number: int | None) -> Any:
    """crapssim's bet of that kind."""
    from crapssim import bet as kinds

    plain: dict[str, Any] = {
        "pass": kinds.PassLine,
        "dont_pass": kinds.DontPass,
        "field": kinds.Field,
        "any7": kinds.Any7,
        "eleven": kinds.Yo,
        "any_craps": kinds.AnyCraps,
        "craps2": kinds.Two,
        "craps3": kinds.Three,
        "craps12": kinds.Boxcars,
        "horn": kinds.Horn,
        "big6": kinds.Big6,
        "big8": kinds.Big8,
    }
    numbered = {"hardway": kinds.HardWay, "place": kinds.Place, "buy": kinds.Buy, "lay": kinds.Lay}
    if number is None:
        return plain[name](STAKE)
    return numbered[name](number, STAKE)


def bets(ruleset: str) -> Iterator[tuple[str, int | None]]:
    """The bets that both know."""
    names = ["pass", "dont_pass", "field", "any7", "eleven", "any_craps", "craps2", "craps3", "craps12", "big6", "big8"]
    yield from ((name, None) for name in names)
    yield from (("hardway", number) for number in (4, 6, 8, 10))
    yield from (("place", number) for number in NUMBERS)
    if ruleset == "craps-gr":
        yield "horn", None
    else:
        yield from ((name, number) for name in ("buy", "lay") for number in NUMBERS)


def ours(ruleset: str, name: str, number: int | None, point: int | None, dice: tuple[int, int]) -> Found:
    bet = craps.Bet("b", name, STAKE, number)
    done = craps.roll(craps.rules(ruleset), point, [bet], dice).resolutions[0]
    return done.outcome, Fraction(done.profit)


def theirs(name: str, number: int | None, point: int | None, dice: tuple[int, int]) -> Found:
    from crapssim.table import Table

    table = Table()
    table.point.number = point
    table.dice.fixed_roll(list(dice))
    result = theirs_of(name, number).get_result(table)
    if result.amount < 0:
        return "lose", Fraction(result.amount).limit_denominator(1000)
    if result.amount == 0:
        return "stands", Fraction(0)
    profit = Fraction(result.amount - STAKE).limit_denominator(1000)
    return ("push" if profit == 0 else "win"), profit


@pytest.mark.parametrize("ruleset", ["craps-gr", "craps-by"])
def test_every_difference_from_crapssim_is_explained_by_a_clause(ruleset: str) -> None:
    differing = {
        (ruleset, name)
        for name, number in bets(ruleset)
        for point, dice in product(POINTS, DICE)
        if ours(ruleset, name, number, point, dice) != theirs(name, number, point, dice)
    }
    assert differing == {key for key in EXPLAINED if key[0] == ruleset}


@pytest.mark.parametrize("name", ["big6", "big8"])
def test_big_6_and_8_differ_on_the_come_out_only(name: str) -> None:
    for point, dice in product(POINTS[1:], DICE):
        assert ours("craps-by", name, None, point, dice) == theirs(name, None, point, dice)
