"""Roulette at the table: limits, accepted stakes, no spin, order of payment, staff. [002 §1-§3, §5, §7, §8]"""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from events.error_codes import coded
from events.errors import Invalid, Refused
from events.games.roulette.layout import EVEN_CHANCES, NUMBER_BETS, TYPES
from events.games.roulette.rules import RouletteRules, check_place
from events.rules.exact_amount_parsing import Amount, simple

Phase = Literal["open", "spinning", "no_more_bets"]
How = Literal["layout", "racetrack", "call_without_stake"]
Direction = Literal["cw", "ccw"]
Work = Literal["bet", "change", "pay", "sort_colour_chips"]


class StakeOffer(Struct, frozen=True):
    """A stake offered on a place: its form (`how`), its giver (`by`: "player", "croupier", ...), its amount."""

    type: str
    stake: int
    numbers: tuple[int, ...] = ()
    which: int | None = None
    how: How = "layout"
    by: str = "player"


class Acceptance(Struct, frozen=True):
    """The accepted part of a stake and the part handed back; `why` is the rule behind anything less than the whole."""

    accepted: Amount
    handed_back: Amount
    why: Refused | None = None


class SpinCheck(Struct, frozen=True):
    """A valid spin, or the reasons why "no spin" must be called."""

    valid: bool
    reasons: tuple[str, ...]


class Payee(Struct, frozen=True):
    """A winning bet as far as the order of payment needs it."""

    id: str
    type: str
    player: str


def limits(game: RouletteRules, minimum: Amount) -> dict[str, tuple[Amount, Amount]]:
    """Return for each type the smallest and the largest maximum that a table with this minimum may post. [002 §7b]"""
    if minimum <= 0:
        raise Invalid("minimum", coded("minimum-not-positive"))
    return {name: (simple(minimum * low), simple(minimum * high)) for name, (low, high) in game.maxima.items()}


def table_check(game: RouletteRules, minimum: Amount, maxima: Mapping[str, Amount]) -> list[str]:
    """The types whose posted maximum is missing or outside its band; the bands are separate (ROU-14)."""
    for name in maxima:
        if name not in TYPES:
            raise Invalid("maxima", coded("bet-type-unknown", name=name))
    return [
        name
        for name, (least, greatest) in limits(game, minimum).items()
        if name not in maxima or not least <= maxima[name] <= greatest
    ]


def accept(
    game: RouletteRules, phase: Phase, offer: StakeOffer, minimum: Amount, maximum: Amount, *, lying: Amount = 0
) -> Acceptance:
    """Return the accepted part of an offered stake. Players may bet until "no more bets", also while the ball runs.

    Limits are of one player on one place (ROU-6, ROU-16), which already has the player's stake `lying`. Where a place
    would stay below the minimum, the whole stake is returned. Raises Invalid for a stake below 1.
    """
    if offer.stake < 1:
        raise Invalid("stake", coded("stake-not-positive"))
    if (objection := _no_bet(game, phase, offer, minimum - lying)) is not None:
        on_the_table = 0 if offer.how == "call_without_stake" else offer.stake
        return Acceptance(0, on_the_table, objection)
    if offer.stake > (room := max(maximum - lying, 0)):
        over = Refused(
            f"{game.name} I.1", coded("place-above-maximum", maximum=maximum), source="002 §7b", reading="ROU-6"
        )
        return Acceptance(room, simple(offer.stake - room), over)
    return Acceptance(offer.stake, 0)


def _no_bet(game: RouletteRules, phase: Phase, offer: StakeOffer, least: Amount) -> Refused | None:
    """Return the rule that keeps the whole stake off the table, if there is one; `least` is the stake that the minimum
    asks for."""
    if offer.how == "call_without_stake":
        return Refused(f"{game.name} P.7", coded("call-bet-without-stake"), source="002 §8b")
    if phase == "no_more_bets":
        return Refused(f"{game.name} P.3", coded("no-more-bets-handed-back"), source="002 §1")
    if offer.how == "racetrack" and offer.by != "croupier":
        return Refused(f"{game.name} P.7", coded("racetrack-by-croupier"), source="002 §8a")
    try:
        check_place(game, offer.type, offer.numbers, offer.which)
    except Refused as refused:
        return refused
    if offer.stake < least:
        message = coded("stake-below-place-minimum", minimum=least)
        return Refused(f"{game.name} L", message, source="002 §7a", reading="ROU-16")
    return None


def spin_check(
    game: RouletteRules, wheel: Direction, ball: Direction, revolutions: int, *, object_in_wheel: bool = False
) -> SpinCheck:
    """Return whether the spin counts.

    Exactly four turns are enough. A wheel turned the same way as the time before is no reason for "no spin" (ROU-9).
    After a no spin the ball is thrown again; the bets stay unchanged.
    """
    grounds = {
        "object_in_wheel": object_in_wheel,
        "ball_with_wheel": wheel == ball,
        "under_four_turns": revolutions < game.least_turns,
    }
    reasons = tuple(reason for reason, applies in grounds.items() if applies)
    return SpinCheck(not reasons, reasons)


def pay_order(bets: Sequence[Payee]) -> list[str]:
    """Ids in the order of payment: columns, even chances, dozens, then the numbers player by player. [002 §3]

    Inside a group, and among players, the order of `bets` holds; both games alike (ROU-10).
    """
    for bet in bets:
        if bet.type not in TYPES:
            raise Invalid("type", coded("bet-type-unknown", name=bet.type))
    order = [bet.id for group in (("column",), EVEN_CHANCES, ("dozen",)) for bet in bets if bet.type in group]
    on_numbers = [bet for bet in bets if bet.type in NUMBER_BETS]
    players = dict.fromkeys(bet.player for bet in on_numbers)
    return order + [bet.id for player in players for bet in on_numbers if bet.player == player]


def check_staff(game: RouletteRules, role: str, work: Work) -> None:
    """Raises Refused unless the role may handle chips or money so while the table runs. [002 §5]

    Bets, changes and payments are the croupier's alone; an assistant only gathers and sorts colour chips.
    """
    if role == "croupier" or (role == "assistant" and work == "sort_colour_chips"):
        return
    raise Refused(f"{game.name} P.6", coded("role-handles-no-chips", role=role), source="002 §5")
