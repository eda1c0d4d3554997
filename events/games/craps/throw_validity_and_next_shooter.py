"""The throw and the shooter: throws that count, the next shooter, the dice, the staff."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from events.error_codes import coded
from events.errors import Invalid
from events.games.craps.craps_bet_struct_and_validity import CrapsBet
from events.games.craps.roll_results import Resolution, ThrowOutcome
from events.games.craps.ruleset import CrapsRules


class Throw(Struct, frozen=True):
    """Observation of a throw: how many dice passed the middle and hit the far end, and faults."""

    past_middle: int = 2
    hit_end: int = 2
    slid: bool = False
    off_table: bool = False
    cocked: bool = False
    in_dice_bowl: bool = False
    off_dice_bowl: bool = False
    in_chip_bank: bool = False
    in_chip_rack: bool = False
    knocked_back: bool = False


class ShooterTurn(Struct, frozen=True):
    """The next shooter (None: no player), and whether the shooter must have a bet on the line first."""

    shooter: str | None
    line_bet_needed: bool


class ThrownDie(Struct, frozen=True):
    """One of the dice on the table."""

    serial: str
    colour: str


def throw_check(rules: CrapsRules, throw: Throw) -> list[str]:
    """Return why a throw is "no roll"; an empty list for a valid one. [craps-gr P.8-P.9; craps-by P.12, I.1, BYC-12]

    Raises Invalid for a count that is not of two dice.
    """
    for field in ("past_middle", "hit_end"):
        if not 0 <= getattr(throw, field) <= 2:
            raise Invalid(field, coded("dice-count"))
    needed = rules.data.throw
    reasons = [fault for fault in needed.faults if getattr(throw, fault)]
    if throw.past_middle < needed.past_middle:
        reasons.append("not_past_middle")
    if throw.hit_end < needed.hit_end:
        reasons.append("end_not_hit")
    return reasons


def next_shooter(
    seats: Sequence[str], current: str | None, declines: Collection[str], *, dice_pass: bool
) -> ShooterTurn:
    """Return the next shooter clockwise: a player who declines is passed over, the last shooter comes last. `seats` are
    clockwise from the dealer's left. [craps-gr P.5, P.12, GRC-8; craps-by P.9, P.11, BYC-22]

    Raises Invalid where the shooter sits nowhere.
    """
    if current is not None and current not in seats:
        raise Invalid("current", coded("shooter-without-seat", player=current))
    first = 0 if current is None else seats.index(current) + dice_pass
    for place in range(len(seats)):
        seat = seats[(first + place) % len(seats)]
        if seat not in declines:
            return ShooterTurn(seat, line_bet_needed=True)
    return ShooterTurn(None, line_bet_needed=False)


def check_shooter(rules: CrapsRules, bets: Collection[CrapsBet]) -> None:
    """Check that the shooter has a bet on the line. [craps-gr P.12; craps-by P.9] Raises Refused."""
    if not any(rules.bet(bet.type).rule.form == "line" for bet in bets):
        raise rules.refused(rules.where("shooter"), coded("shooter-needs-bet"))


def check_dice(rules: CrapsRules, on_table: Sequence[ThrownDie], places: Collection[int]) -> None:
    """Check that the right number of dice is on the table, alike if they must be, and that the shooter took two.

    `places`: places in `on_table`, from 0. [craps-gr P.7; craps-by P.2, P.7-P.8] Raises Refused, or Invalid for a place
    without a die.
    """
    reference, count = rules.where("dice"), rules.data.procedure.dice_on_table
    if len(on_table) != count:
        raise rules.refused(reference, coded("dice-on-table-wrong", wanted=count, dice=len(on_table)))
    if rules.data.procedure.dice_alike and len({(die.serial, die.colour) for die in on_table}) > 1:
        raise rules.refused(reference, coded("dice-not-alike"))
    if len(set(places)) != 2:
        raise rules.refused(reference, coded("two-dice-needed"))
    if not set(places) <= set(range(count)):
        raise Invalid("chosen", coded("dice-places-range", last=count - 1))


def missing_staff(rules: CrapsRules, size: str, present: Mapping[str, int]) -> dict[str, int]:
    """Return the staff missing at a table of this size ("full", "mini"), by duty. [craps-gr P.2; craps-by P.4-P.5]

    Raises Invalid for a size the ruleset does not know.
    """
    needed = rules.data.procedure.staff.get(size)
    if needed is None:
        raise Invalid("size", coded("table-size-unknown", sizes=list(rules.data.procedure.staff)))
    short = {duty: count - present.get(duty, 0) for duty, count in needed.items()}
    return {duty: count for duty, count in short.items() if count > 0}


def pay_order(rules: CrapsRules, outcome: ThrowOutcome, bets: Mapping[str, CrapsBet]) -> list[str]:
    """Return the ids of the decided bets in order of settlement: losing ones, then winning ones by kind. [craps-by
    P.14]

    `bets`: those before the throw, by id, in the order of their places. Kinds without a place in the ruleset's order
    come first, in the order of their places.
    """
    rank = {name: place for place, names in enumerate(rules.data.procedure.pay_order, 1) for name in names}
    places = {id_: place for place, id_ in enumerate(bets)}

    def turn(decided: Resolution) -> tuple[bool, int, int]:
        paid = decided.outcome != "lose"
        return paid, rank.get(bets[decided.bet].type, 0) if paid else 0, places[decided.bet]

    return [done.bet for done in sorted((r for r in outcome.resolutions if r.outcome != "stands"), key=turn)]
