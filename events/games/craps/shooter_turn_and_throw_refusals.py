"""Checks of the shooter and of a throw, as refusals with their clauses. See `throws` for the rules.

Some rules are in one ruleset only: its data names their clauses (`keeps_dice`, `work_order`, `taken_away`).
"""

from collections.abc import Collection, Mapping, Sequence

from events.error_codes import coded
from events.games.craps.ruleset import CrapsRules
from events.games.craps.throw_validity_and_next_shooter import Throw, missing_staff, next_shooter, throw_check


def check_turn(
    rules: CrapsRules,
    seats: Sequence[str],
    current: str | None,
    declines: Collection[str],
    player: str,
    *,
    dice_pass: bool,
) -> None:
    """Raises Refused unless the dice are `player`'s now. [craps-gr P.5, GRC-8; craps-by P.11, BYC-22]"""
    turn = next_shooter(seats, current, declines, dice_pass=dice_pass)
    if turn.shooter is None:
        raise rules.refused(rules.where("order_of_dice"), coded("dice-without-shooter", player=player))
    if turn.shooter != player:
        text = coded("dice-of-another-player", shooter=turn.shooter, player=player)
        raise rules.refused(rules.where("order_of_dice"), text)


def check_choice(rules: CrapsRules, *, chosen_before: bool) -> None:
    """Raise Refused where a shooter keeps the dice he chose until they pass or a die leaves the table.

    [craps-by P.12; craps-gr P.7 lets him change at any moment of his series]
    """
    if chosen_before and "keeps_dice" in rules.data.clauses:
        raise rules.refused(rules.where("keeps_dice"), coded("dice-kept"))


def check_throw(rules: CrapsRules, throw: Throw) -> None:
    """Raises Refused where the observation makes the throw "no roll". [craps-gr P.8-P.9; craps-by P.12, I.1]"""
    if reasons := throw_check(rules, throw):
        raise rules.refused(rules.where("no_roll"), coded("no-roll", reasons=reasons))


def is_mixed(rules: CrapsRules, throw: Throw) -> bool:
    """Return whether all dice are mixed and two are chosen again, since one left the table. [craps-by I.1]"""
    return throw.off_table and "keeps_dice" in rules.data.clauses


def check_offered(rules: CrapsRules, *, offered: bool) -> None:
    """Raises Refused for a throw with dice that were not passed to the shooter. [craps-gr P.6; craps-by P.7]"""
    if not offered:
        raise rules.refused(rules.where("offer"), coded("dice-not-passed"))


def check_work_order(rules: CrapsRules, *, unpaid: bool) -> None:
    """Raises Refused for a new or moved bet while winning bets wait for their payment. [craps-by P.14]"""
    if unpaid and "work_order" in rules.data.clauses:
        raise rules.refused(rules.where("work_order"), coded("winning-bets-first"))


def check_taking_away(rules: CrapsRules) -> None:
    """Raises Refused where the rules do not let the dice be taken from a shooter. [craps-gr P.10]"""
    if "taken_away" not in rules.data.clauses:
        raise rules.refused(rules.where("offer"), coded("dice-not-taken-away"))


def check_staff(rules: CrapsRules, present: Mapping[str, int]) -> None:
    """Raise Refused where a table of any size would lack staff.

    [craps-gr P.2; craps-by P.4-P.5]
    """
    sizes = rules.data.procedure.staff
    short = {size: missing_staff(rules, size, present) for size in sizes}
    if all(short.values()):
        least = min(short.values(), key=lambda lacking: sum(lacking.values()))
        raise rules.refused(rules.where("staff"), coded("staff-missing", roles=sorted(least)))
