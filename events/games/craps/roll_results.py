"""Results of one throw for the bets on a craps table. Pure: the same point, bets and dice always give the same outcome.

`shooter_turn_and_throw_refusals.py` checks whether a throw is regular, and `lawful_bet_changes.py` whether a bet is
allowed. Here both are assumed.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Invalid
from events.games.craps.craps_bet_struct_and_validity import CrapsBet, commission
from events.games.craps.ruleset import CRAPS, NATURALS, POINTS, BetShape, CrapsRules, Result, Thrown, Verdict
from events.rules.exact_amount_parsing import Amount

Dice: TypeAlias = tuple[int, int]

_WIN: Final = "win"
_LOSE: Final = "lose"
_PUSH: Final = "push"
_STANDS: Final = "stands"
_LOST: Verdict = (_LOSE, -1, 1, None)
_BACK: Verdict = (_PUSH, 0, 1, None)
_WAITS: Verdict = (_STANDS, 0, 1, None)  # undecided in its place; a come bet that stays has its number instead


class Resolution(Struct, frozen=True, gc=False):
    """Result of a throw for one bet. `profit` is without the stake: minus the stake when lost, 0 for push and stands.

    `number`: the present place of a standing come or don't come bet. `commission`: due again on a winning bet that
    stays, where the house takes it so.
    """

    bet: str
    outcome: Result
    profit: Amount
    number: int | None = None
    commission: Amount = 0


class ThrowOutcome(Struct, frozen=True, gc=False):
    """One settled throw: `come_out` is before it, `point_after` after it; `bets` are the remaining ones."""

    total: int
    come_out: bool
    point_after: int | None
    seven_out: bool
    resolutions: tuple[Resolution, ...]
    bets: tuple[CrapsBet, ...]


def next_point(point: int | None, total: int) -> int | None:
    """The point after a throw of `total`. [craps-gr P.14; craps-by P.10-P.11]"""
    if point is None:
        return total if total in POINTS else None
    return None if total in (point, 7) else point


def roll(rules: CrapsRules, point: int | None, bets: Sequence[CrapsBet], dice: Dice) -> ThrowOutcome:
    """Settle one throw on the bets of the layout (`craps_bet_struct_and_validity.lay`). Exact.

    Raises Invalid for impossible dice.

    [craps-gr B.1-B.19; craps-by B.1-B.11] Losing, pushed and winning bets leave, save those that stay after a win.
    """
    try:
        verdicts, total, after, seven_out = rules.throws[point, dice]
    except (KeyError, TypeError):
        verdicts, total, after, seven_out = _first_time(rules, point, dice)
    resolutions: list[Resolution] = []
    bets_left: list[CrapsBet] = []
    for bet in bets:
        key = (bet.type, bet.number, bet.working)
        verdict = verdicts.get(key)
        if verdict is None:
            verdict = verdicts[key] = _verdict(rules, point, dice, *key)
        if verdict is _WAITS:
            bets_left.append(bet)
            resolutions.append(Resolution(bet.id, _STANDS, 0))
            continue
        outcome, profit, per, new_number = verdict
        if outcome is _STANDS:
            bets_left.append(bet if new_number == bet.number else replace(bet, number=new_number))
            resolutions.append(Resolution(bet.id, _STANDS, 0, new_number))
        elif outcome is _WIN and bet.after_win == "stay" and rules.bet(bet.type).rule.may_stay:
            bets_left.append(bet)
            commission_due = commission(rules, bet) if rules.data.commission_again else 0
            resolutions.append(Resolution(bet.id, _WIN, _profit(bet.stake, profit, per), None, commission_due))
        else:
            won = bet.stake * profit if per == 1 else _profit(bet.stake, profit, per)
            resolutions.append(Resolution(bet.id, outcome, won))
    return ThrowOutcome(total, point is None, after, seven_out, tuple(resolutions), tuple(bets_left))


def _first_time(rules: CrapsRules, point: int | None, dice: Dice) -> Thrown:
    """Return the result of these dice at this point. It is calculated at its first throw and cached in the rules."""
    if point is not None and point not in POINTS:
        raise Invalid("point", coded("not-a-point", point=str(point)))
    try:
        total = _TOTALS[dice]
    except (KeyError, TypeError):
        raise Invalid("dice", coded("dice-numbers-needed")) from None
    thrown: Thrown = ({}, total, next_point(point, total), total == 7 and point is not None)
    return rules.throws.setdefault((point, dice), thrown)


def _profit(stake: int, profit: int, per: int) -> Amount:
    amount = stake * profit
    return amount // per if amount % per == 0 else Fraction(amount, per)


def _verdict(
    rules: CrapsRules, point: int | None, dice: Dice, name: str, number: int | None, wish: bool | None
) -> Verdict:
    """Return one throw's result for a bet of this kind."""
    shape = rules.bet(name)
    on = point is not None or _is_on(shape, wish)
    return _DECIDE[shape.rule.form](rules, shape, point, shape.rule.number or number, on, dice)


def _is_on(shape: BetShape, wish: bool | None) -> bool:
    """Return whether a bet plays on a come-out. [craps-gr B.19, GRC-9; craps-by B.6-B.8, B.10, BYC-3, BYC-4]"""
    if wish is not None and shape.rule.player_decides:
        return wish
    return not shape.rule.off_on_come_out


def _won(shape: BetShape, at: int) -> Verdict:
    return (_WIN, *shape.odds[at], None)


def _line(rules: CrapsRules, shape: BetShape, point: int | None, number: int | None, on: bool, dice: Dice) -> Verdict:
    """Pass and don't pass: by the come-out, then by the point. [craps-gr B.1-B.2; craps-by B.1, B.4]"""
    total = sum(dice)
    if point is not None:
        return _by_number(shape, point, total)
    return _WAITS if total in POINTS else _first_throw(rules, shape, total)


def _travelling(
    rules: CrapsRules, shape: BetShape, point: int | None, number: int | None, on: bool, dice: Dice
) -> Verdict:
    """Come and don't come: by the first throw, then by the number it moved to. [craps-gr B.3-B.4; craps-by B.3, B.5]"""
    total = sum(dice)
    if number is None:
        return (_STANDS, 0, 1, total) if total in POINTS else _first_throw(rules, shape, total)
    verdict = _by_number(shape, number, total)
    return (_STANDS, 0, 1, number) if verdict is _WAITS else verdict


def _first_throw(rules: CrapsRules, shape: BetShape, total: int) -> Verdict:
    """A flat bet on a throw that makes no point; the barred total is a tie. [craps-gr B.2; craps-by B.4, BYC-2]"""
    right = shape.rule.side == "right"
    if not right and total == rules.data.bar:
        return _BACK
    wins = NATURALS if right else CRAPS
    return _won(shape, total) if total in wins else _LOST


def _by_number(shape: BetShape, number: int, total: int) -> Verdict:
    """The right side wins with the number and loses with 7; the wrong side the other way round."""
    wins, loses = (number, 7) if shape.rule.side == "right" else (7, number)
    if total == wins:
        return _won(shape, number)
    return _LOST if total == loses else _WAITS


def _odds(rules: CrapsRules, shape: BetShape, point: int | None, number: int | None, on: bool, dice: Dice) -> Verdict:
    """Odds go with their flat bet; when it is decided while they are off they are handed back. [GRC-5]"""
    verdict = _by_number(shape, _required_number(number), sum(dice))
    return verdict if on or verdict is _WAITS else _BACK


def _place(rules: CrapsRules, shape: BetShape, point: int | None, number: int | None, on: bool, dice: Dice) -> Verdict:
    """Place, buy, lay, big 6 and 8: by their number against 7, or nothing while they are off."""
    return _by_number(shape, _required_number(number), sum(dice)) if on else _WAITS


def _hardway(
    rules: CrapsRules, shape: BetShape, point: int | None, number: int | None, on: bool, dice: Dice
) -> Verdict:
    """The double wins; 7 or the number by another way loses. [craps-gr B.9; craps-by B.11]"""
    at = _required_number(number)
    if not on or sum(dice) not in (at, 7):
        return _WAITS
    return _won(shape, at) if dice[0] == dice[1] else _LOST


def _one_roll(
    rules: CrapsRules, shape: BetShape, point: int | None, number: int | None, on: bool, dice: Dice
) -> Verdict:
    """Every throw decides."""
    return _won(shape, sum(dice)) if sum(dice) in shape.odds else _LOST


def _required_number(number: int | None) -> int:
    if number is None:
        raise Invalid("number", coded("bet-without-number"))
    return number


_Decide: TypeAlias = Callable[[CrapsRules, BetShape, int | None, int | None, bool, Dice], Verdict]
_DECIDE: dict[str, _Decide] = {
    "line": _line,
    "travelling": _travelling,
    "odds": _odds,
    "number": _place,
    "hardway": _hardway,
    "one_roll": _one_roll,
}
_TOTALS: dict[Dice, int] = {(first, two): first + two for first in range(1, 7) for two in range(1, 7)}
