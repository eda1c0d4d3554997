"""Making, taking down and switching craps bets: the lawful changes of a table in a given state.

The functions check (and refuse with the clause) or return the changed table. `table_limits_and_size_checks` checks the
sizes.
"""

from msgspec import Struct
from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Invalid
from events.games.craps.craps_bet_struct_and_validity import CrapsBet, commission, find, lay
from events.games.craps.roll_results import Dice, ThrowOutcome, roll
from events.games.craps.ruleset import POINTS, CrapsRules
from events.rules.exact_amount_parsing import Amount, simple


class BettingTable(Struct, frozen=True):
    """The state of a craps layout: the point (None: come-out), the bets on it, whether the dice are offered."""

    point: int | None = None
    bets: tuple[CrapsBet, ...] = ()
    dice_offered: bool = False


def may_place(rules: CrapsRules, table: BettingTable, bet: CrapsBet) -> CrapsBet:
    """Return the bet in its place. Raises Refused with the clause that forbids it, or Invalid for an impossible bet.

    Line bets need a come-out, come bets a point, odds a flat bet whose number is known. [craps-gr B.1-B.4, B.13-B.16;
    craps-by B.1-B.5] Some rulesets accept no bet after the dice are offered. [craps-gr P.11]
    """
    laid_bet = lay(rules, bet, table.point, table.bets)
    shape = rules.bet(bet.type)
    if any(other.id == bet.id for other in table.bets):
        raise Invalid("id", coded("bet-id-used", bet=bet.id))
    _check_open(rules, table)
    if shape.rule.form == "line" and table.point is not None:
        raise rules.refused(shape.where, coded("bet-before-come-out", wager=bet.type))
    if shape.rule.form == "travelling" and laid_bet.number is not None:
        raise rules.refused(shape.where, coded("bet-in-own-box", wager=bet.type))
    return laid_bet


def place(rules: CrapsRules, table: BettingTable, bet: CrapsBet) -> BettingTable:
    """The table with the bet on it. Raises as `may_place`."""
    laid = may_place(rules, table, bet)
    return replace(table, bets=tuple(sorted((*table.bets, laid), key=lambda bet: bet.id)))


def may_remove(rules: CrapsRules, table: BettingTable, bet_id: str) -> tuple[CrapsBet, ...]:
    """The bets that would come down: the bet and the odds that go with it [GRC-18]. Raises Refused for a contract bet.

    [craps-gr B.5, GRC-10, GRC-17; craps-by B.1, BYC-11, BYC-21] Raises Invalid where there is no such bet.
    """
    bet = find(table.bets, bet_id)
    shape = rules.bet(bet.type)
    tied = table.point is not None or bet.number is not None
    if shape.rule.contract == "always" or (shape.rule.contract == "point_on" and tied):
        raise rules.refused(rules.where("contract"), coded("contract-bet-stays", wager=bet.type))
    return (bet, *(other for other in table.bets if other.base == bet_id and _is_odds(rules, other)))


def remove(rules: CrapsRules, table: BettingTable, bet_id: str) -> tuple[BettingTable, Amount]:
    """Return the table without the bet and its odds, and the player's money back, commissions included. Raises as
    above."""
    down = may_remove(rules, table, bet_id)
    left = tuple(bet for bet in table.bets if bet not in down)
    return replace(table, bets=left), simple(sum(bet.stake + commission(rules, bet) for bet in down))


def may_switch(rules: CrapsRules, table: BettingTable, bet_id: str) -> CrapsBet:
    """Return the bet if its player may decide whether it plays on come-outs. Raises Refused, or Invalid for no such
    bet."""
    bet = find(table.bets, bet_id)
    shape = rules.bet(bet.type)
    if not shape.rule.player_decides:
        raise rules.refused(shape.where, coded("bet-always-working", wager=bet.type))
    return bet


def switch(rules: CrapsRules, table: BettingTable, bet_id: str, on: bool) -> BettingTable:
    """The table with the player's wish for come-out throws noted. [craps-gr B.19; craps-by B.6]"""
    return _with(table, replace(may_switch(rules, table, bet_id), working=on))


def after_win(rules: CrapsRules, table: BettingTable, bet_id: str, *, stay: bool) -> BettingTable:
    """The table with the player's wish for a win noted: leave the bet up or take it down. [GRC-13; craps-by B.6]"""
    bet = find(table.bets, bet_id)
    shape = rules.bet(bet.type)
    if stay and not shape.rule.may_stay:
        raise rules.refused(shape.where, coded("winning-bet-comes-down", wager=bet.type))
    return _with(table, replace(bet, after_win="stay" if stay else "down"))


def restake(rules: CrapsRules, table: BettingTable, bet_id: str, stake: int) -> BettingTable:
    """Return the table with another stake on a bet: raised like a new bet, or lowered as if partly taken down.

    Raises Refused for a line or come bet past its first throw [GRC-10], and for a lower stake of a contract bet. It
    also raises it for a raise while the dice are offered. Raises Invalid for an unknown bet or a stake that is not
    positive.
    """
    bet = find(table.bets, bet_id)
    laid = lay(rules, replace(bet, stake=stake), table.point, table.bets)
    if stake < bet.stake:
        may_remove(rules, table, bet_id)
    else:
        _may_raise(rules, table, bet)
    return _with(table, laid)


def offer_dice(table: BettingTable) -> BettingTable:
    """The stickman has offered the dice. [craps-gr P.11]"""
    return replace(table, dice_offered=True)


def no_roll(table: BettingTable) -> BettingTable:
    """The throw counts for nothing, and bets may be made again. [craps-gr I.1, GRC-12; craps-by I.1]"""
    return replace(table, dice_offered=False)


def throw(rules: CrapsRules, table: BettingTable, dice: Dice) -> tuple[BettingTable, ThrowOutcome]:
    """Return the table after a regular throw, and the throw's outcome. Raises Invalid for impossible dice."""
    outcome = roll(rules, table.point, table.bets, dice)
    return BettingTable(point=outcome.point_after, bets=outcome.bets), outcome


def check_point(point: int | None) -> int | None:
    """The point, if it is one. Raises Invalid."""
    if point is not None and point not in POINTS:
        raise Invalid("point", coded("not-a-point", point=str(point)))
    return point


def _check_open(rules: CrapsRules, table: BettingTable) -> None:
    if table.dice_offered and rules.data.bets_close_on_offer:
        raise rules.refused(rules.where("bets_closed"), coded("dice-offered"))


def _may_raise(rules: CrapsRules, table: BettingTable, bet: CrapsBet) -> None:
    """Refuse a raise of a flat bet outside its first phase, in which a new one could be made. [GRC-10]"""
    _check_open(rules, table)
    shape = rules.bet(bet.type)
    current_number = {"line": table.point, "travelling": bet.number}.get(shape.rule.form)
    if current_number is not None:
        raise rules.refused(shape.where, coded("bet-not-raised", wager=bet.type))


def _with(table: BettingTable, changed: CrapsBet) -> BettingTable:
    return replace(table, bets=tuple(changed if bet.id == changed.id else bet for bet in table.bets))


def _is_odds(rules: CrapsRules, bet: CrapsBet) -> bool:
    return rules.bet(bet.type).rule.form == "odds"
