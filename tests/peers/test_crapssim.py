"""Every craps bet on every point and throw, beside crapssim; each difference is one that a clause explains."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import pytest

from events.games.craps.craps_bet_struct_and_validity import CrapsBet, commission
from events.games.craps.roll_results import roll
from events.games.craps.ruleset import rules

pytestmark = pytest.mark.peers

STAKE = 60  # whole profits with every payout of both
POINTS = (None, 4, 5, 6, 8, 9, 10)
DICE = tuple(product(range(1, 7), range(1, 7)))
NUMBERS = (4, 5, 6, 8, 9, 10)
THROWS = {"craps-gr": 12_456, "craps-by": 13_500}

BetResult = tuple[str, Fraction, int | None]  # win | lose | push | stands, the profit, where a come bet lies then


class ExplainedDifference(NamedTuple):
    """A difference: when it shows, by the bet's number, the point and the total thrown, and the clause behind it."""

    when: Callable[[int | None, int | None, int], bool]
    why: str


def decided_on_come_out(number: int | None, point: int | None, total: int) -> bool:
    return point is None and total in (number, 7)


# (ruleset, bet): the throws on which they differ, and why. On every other throw they are equal.
EXPLAINED = {
    ("craps-gr", "horn"): ExplainedDifference(
        lambda number, point, total: total in (2, 3, 11, 12),
        "B.12, GRC-3: four times the whole stake on any of the four; the trade splits the stake",
    ),
    ("craps-gr", "dont_come_odds"): ExplainedDifference(
        decided_on_come_out, "B.19, GRC-6: off on the come-out, as the text says; crapssim leaves them in play"
    ),
    ("craps-by", "come_odds"): ExplainedDifference(
        decided_on_come_out, "B.3, BYC-3: win or lose with their come bet; crapssim hands them back on the come-out"
    ),
    ("craps-by", "lay"): ExplainedDifference(
        decided_on_come_out, "B.8: always in play, come-out included; crapssim has it off"
    ),
    ("craps-by", "big6"): ExplainedDifference(
        lambda number, point, total: decided_on_come_out(6, point, total),
        "B.10, BYC-4: like a place bet, off on the come-out; crapssim has it in play",
    ),
    ("craps-by", "big8"): ExplainedDifference(
        lambda number, point, total: decided_on_come_out(8, point, total),
        "B.10, BYC-4: like a place bet, off on the come-out; crapssim has it in play",
    ),
}


def table_of_theirs(point: int | None, dice: tuple[int, int]) -> Any:
    """Return crapssim's table for this throw, without its default rounding of commissions to a dollar."""
    from crapssim.table import Table

    table = Table()
    table.settings["vig_rounding"] = "none"
    table.point.number = point
    table.dice.fixed_roll(list(dice))
    return table


def theirs_of(name: str, number: int | None) -> Any:
    """crapssim's bet of that kind."""
    from crapssim import bet as kinds

    plain: dict[str, Any] = {
        "pass": kinds.PassLine,
        "dont_pass": kinds.DontPass,
        "come": kinds.Come,
        "dont_come": kinds.DontCome,
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
    if name in ("come", "dont_come"):
        return plain[name](STAKE, number)
    if name.endswith("_odds"):
        return kinds.Odds(plain[name.removesuffix("_odds")], number, STAKE)
    return numbered[name](number, STAKE)


def bets(ruleset: str) -> Iterator[tuple[str, int | None]]:
    """The bets that both know."""
    names = ["pass", "dont_pass", "field", "any7", "eleven", "any_craps", "craps2", "craps3", "craps12", "big6", "big8"]
    yield from ((name, None) for name in names)
    yield from (("hardway", number) for number in (4, 6, 8, 10))
    yield from ((name, number) for name in ("come", "dont_come") for number in (None, *NUMBERS))
    yield from ((name, number) for name in ("place", "pass_odds", "come_odds") for number in NUMBERS)
    if ruleset == "craps-gr":
        yield "horn", None
        yield from ((name, number) for name in ("dont_pass_odds", "dont_come_odds") for number in NUMBERS)
    else:
        yield from ((name, number) for name in ("buy", "lay") for number in NUMBERS)


def throws(name: str, number: int | None) -> Iterator[tuple[int | None, tuple[int, int]]]:
    """Every throw at every point at which such a bet can lie: a new come bet and odds of the line need a point."""
    for point, dice in product(POINTS, DICE):
        of_the_line = name in ("pass_odds", "dont_pass_odds")
        new_come = name in ("come", "dont_come") and number is None
        if not (of_the_line and point != number) and not (new_come and point is None):
            yield point, dice


def own_result(ruleset: str, name: str, number: int | None, point: int | None, dice: tuple[int, int]) -> BetResult:
    bet = CrapsBet("b", name, STAKE, number)
    done = roll(rules(ruleset), point, [bet], dice).resolutions[0]
    return done.outcome, Fraction(done.profit), done.number


def peer_result(name: str, number: int | None, point: int | None, dice: tuple[int, int]) -> BetResult:
    """Return crapssim's result of the bet itself. A commission lost with the bet was paid in addition, as with us."""
    table = table_of_theirs(point, dice)
    bet = theirs_of(name, number)
    result = bet.get_result(table)
    if result.amount < 0:
        return "lose", exactly(result.amount + bet.cost(table) - STAKE), None
    if result.amount == 0:
        bet.update_number(table)
        return "stands", Fraction(0), bet.number if name in ("come", "dont_come") else None
    profit = exactly(result.amount - STAKE)
    return ("push" if profit == 0 else "win"), profit, None


def exactly(amount: float) -> Fraction:
    return Fraction(amount).limit_denominator(1000)


@pytest.mark.parametrize("ruleset", ["craps-gr", "craps-by"])
def test_every_difference_from_crapssim_is_explained_by_a_clause(ruleset: str) -> None:
    tried, differing = 0, set()
    for name, number in bets(ruleset):
        explained = EXPLAINED.get((ruleset, name))
        for point, dice in throws(name, number):
            we, they = own_result(ruleset, name, number, point, dice), peer_result(name, number, point, dice)
            expected = explained is not None and explained.when(number, point, sum(dice))
            assert (we != they) == expected, (name, number, point, dice, we, they)
            differing |= {(ruleset, name)} if expected else set()
            tried += 1
    assert differing == {key for key in EXPLAINED if key[0] == ruleset}
    assert tried == THROWS[ruleset]


@pytest.mark.parametrize("name", ["buy", "lay"])
@pytest.mark.parametrize("number", NUMBERS)
def test_commissions_are_equal(name: str, number: int) -> None:
    due = commission(rules("craps-by"), CrapsBet("b", name, STAKE, number))
    assert due == exactly(theirs_of(name, number).cost(table_of_theirs(None, (1, 1))) - STAKE)
