"""Craps bets on the layout, and the conditions of a valid bet: a known type, a number, a stake, a flat bet."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Invalid, NoSuchBet
from events.games.craps.ruleset import POINTS, BetShape, CrapsRules
from events.rules.exact_amount_parsing import Amount, simple

AfterWin: TypeAlias = Literal["stay", "down"]


class CrapsBet(Struct, frozen=True, gc=False):
    """A bet: `stake` in whole units; `number` of the box, or the number to which a come bet has moved (None: in its
    box).

    `base` is the id of the flat bet of an odds bet. `working` is the player's wish for come-outs (None: house rule).
    `after_win` "stay" leaves a winning bet on the layout where the rules allow it. `player` is its owner, where known.
    """

    id: str
    type: str
    stake: int
    number: int | None = None
    base: str | None = None
    working: bool | None = None
    after_win: AfterWin = "down"
    player: str = ""


def lay(rules: CrapsRules, bet: CrapsBet, point: int | None, other_bets: Sequence[CrapsBet]) -> CrapsBet:
    """Return the bet in its place: odds on the number of their flat bet, no number where a bet needs none.

    Raises Refused for a bet that this game does not have, a wrong number, or a come bet in its box without a point. It
    also raises it for odds without a flat bet of the same player, or on another number. Raises Invalid for a stake that
    is not a positive whole number.
    """
    shape = rules.bet(bet.type)
    if bet.stake <= 0:
        raise Invalid("stake", coded("amount-is-no-stake", amount=str(bet.stake)))
    number = _number(rules, shape, bet, point, other_bets)
    return bet if number == bet.number else replace(bet, number=number)


def lie(rules: CrapsRules, point: int | None, bets: Sequence[CrapsBet]) -> tuple[CrapsBet, ...]:
    """Bets already on the table, in order of their ids. Raises as `lay`, and Invalid for an id used twice."""
    by_id = {bet.id: bet for bet in bets}
    if len(by_id) != len(bets):
        raise Invalid("bets", coded("bet-ids-repeated"))
    return tuple(lay(rules, by_id[id_], point, bets) for id_ in sorted(by_id))


def find(bets: Sequence[CrapsBet], id_: str) -> CrapsBet:
    """The bet with this id. Raises Invalid."""
    for bet in bets:
        if bet.id == id_:
            return bet
    raise Invalid("bet", coded("bet-not-on-table", bet=id_))


def win(rules: CrapsRules, bet: CrapsBet) -> Amount:
    """Return the win of a bet on a number, above its stake. Raises Invalid where that depends on the throw."""
    shape = rules.bet(bet.type)
    number = shape.rule.number or bet.number
    if shape.rule.form == "one_roll" or number not in shape.odds:
        raise Invalid("bet", coded("win-depends-on-throw", wager=bet.type))
    return paid(bet.stake, *shape.odds[number])


def commission(rules: CrapsRules, bet: CrapsBet) -> Amount:
    """Return the price of the bet in addition to its stake: buy 5% of the stake, lay 5% of the possible win, else 0."""
    due = rules.bet(bet.type).rule.commission
    if due is None:
        return 0
    return paid(bet.stake if due.of == "stake" else win(rules, bet), due.percent, 100)


def paid(stake: Amount, profit: int, per: int) -> Amount:
    """`stake` at `profit` to `per`, exactly."""
    return simple(Fraction(stake * profit) / per)


def _number(
    rules: CrapsRules, shape: BetShape, bet: CrapsBet, point: int | None, other_bets: Sequence[CrapsBet]
) -> int | None:
    form = shape.rule.form
    if form == "odds":
        return _odds_number(rules, shape, bet, point, other_bets)
    if form in ("line", "one_roll") or shape.rule.number is not None:
        return None
    if form == "travelling" and bet.number is None:
        _check_box(rules, shape, point)
        return None
    if bet.number not in POINTS or bet.number not in shape.odds:
        raise rules.refused(shape.where, coded("bet-not-on-number", wager=bet.type, number=bet.number), NoSuchBet)
    return bet.number


def _check_box(rules: CrapsRules, shape: BetShape, point: int | None) -> None:
    """Require a point for a come bet in its box: the next throw decides or moves it, and it is never there without a
    point.
    """
    if point is None:
        raise rules.refused(shape.where, coded("bet-needs-point", wager=shape.name))


def _odds_number(
    rules: CrapsRules, shape: BetShape, bet: CrapsBet, point: int | None, other_bets: Sequence[CrapsBet]
) -> int:
    base = next((other for other in other_bets if other.id == bet.base), None)
    if base is None or base.type != shape.rule.base:
        raise rules.refused(shape.where, coded("odds-need-base", wager=bet.type, base=shape.rule.base))
    if base.player != bet.player:
        raise rules.refused(shape.where, coded("odds-on-own-bet", base=base.id))
    number = point if rules.bet(base.type).rule.form == "line" else base.number
    if number is None:
        raise rules.refused(shape.where, coded("base-without-number", base=base.id))
    if bet.number not in (None, number):
        raise rules.refused(shape.where, coded("base-on-another-number", number=number, named=bet.number))
    return number
