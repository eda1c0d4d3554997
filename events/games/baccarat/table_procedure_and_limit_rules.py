"""Baccarat at the table: opening a shoe, limits, acceptance, turning of cards, irregularities. [001 3-6, 9]"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

from msgspec import Struct

from events.error_codes import coded
from events.errors import Invalid, Refused
from events.games.baccarat.rules import BETS, BaccaratBet, BaccaratRules, Side, next_to, points
from events.rules import cards
from events.rules.exact_amount_parsing import Amount, simple

Phase = Literal["open", "bets_closed"]
Operation = Literal["make", "take_back", "change"]

WHOLE_TABLE = ("tie", "player_pair", "banker_pair")
DEALER = "dealer"


class Burn(Struct, frozen=True):
    """Cards taken out of a new shoe: the first face up, then as many face down as its value here."""

    face_up: int
    face_down: int

    @property
    def total(self) -> int:
        return self.face_up + self.face_down


class ShoeOpening(Struct, frozen=True):
    """Whether bets may be taken now, and how many rounds without bets are still owed at the players' wish."""

    bets: bool
    free_rounds_due: int


class DealtCard(Struct, frozen=True):
    """A card laid on a side."""

    to: Side
    card: str


class DealCheck(Struct, frozen=True):
    """`error_at` is the index of the first card in a wrong place, or None; `complete`: no card is missing."""

    error_at: int | None
    complete: bool

    @property
    def valid(self) -> bool:
        return self.error_at is None


class SideDifference(Struct, frozen=True):
    """The gap between the sides' totals, and every stake after the reduction that the limit asks for."""

    difference: int
    exceeded: bool
    heavier: Side | None
    factor: Amount
    stakes: dict[str, Amount]


class TableTotal(Struct, frozen=True):
    """A bet's total over the whole table, and whether it keeps the posted maximum."""

    total: int
    within: bool


class StakeLimits(Struct, frozen=True):
    """Least and greatest stake of one player: the table's, or his own by a personal limit marker. [001 9]"""

    minimum: int
    maximum: int


def burn(card: str) -> Burn:
    """Return the number of burnt cards for this first card: faces and tens 10, ace 1, others their number (BAC-9). [001
    3.1.1]"""
    return Burn(1, points(card) or 10)


def opening(game: BaccaratRules, *, burnt: bool, free_rounds: int, player_wants_to_bet: bool = False) -> ShoeOpening:
    """Return whether a new shoe is open for bets: after the burn, or after the rounds without bets. A player may bet
    during those rounds; the others of them are played at the players' wish. [001 3.1]"""
    due = 0 if burnt else max(game.free_rounds - free_rounds, 0)
    return ShoeOpening(due == 0 or player_wants_to_bet, due)


def shuffle_due(*, cut_card_out: bool, round_over: bool) -> bool:
    """Return whether a shuffle is due: after the cut card the round is finished, then the cards are shuffled. [001
    9]
    """
    return cut_card_out and round_over


def deal_check(deals: Sequence[DealtCard]) -> DealCheck:
    """Check the order of the cards on the layout, up to the first card in a wrong place.

    That card voids the round, unless `baccarat.place` can still correct it before the result is known (I.1, I.2,
    BAC-4).
    """
    hands: dict[str, list[str]] = {"player": [], "banker": []}
    for index, dealt in enumerate(deals):
        if next_to(hands["player"], hands["banker"]) != dealt.to:
            return DealCheck(index, complete=False)
        hands[dealt.to].append(cards.check(dealt.card))
    return DealCheck(None, complete=next_to(hands["player"], hands["banker"]) is None)


def accept(game: BaccaratRules, phase: Phase, operation: Operation) -> Refused | None:
    """Return why a bet may not be made, taken back or changed now, or None if it may. [001 6.1.4]"""
    if phase == "open":
        return None
    done = {"make": "made", "take_back": "taken back", "change": "changed"}[operation]
    return Refused(f"{game.name} B.4", coded("bets-closed", change=done), source="001 6.1.4")


def check_stake(game: BaccaratRules, stake: int, table: StakeLimits, personal: StakeLimits | None = None) -> None:
    """Raises Refused for a stake outside the table's limits, or outside the player's own where he has them. [001 9]"""
    limits = personal or table
    if not limits.minimum <= stake <= limits.maximum:
        message = coded("stake-outside-limits", minimum=limits.minimum, maximum=limits.maximum, stake=stake)
        raise Refused(f"{game.name} L.3", message, source="001 9", reading="BAC-13")


def check_seat(game: BaccaratRules, seat: int) -> None:
    """Raises Refused for a seat that the table does not have. [001 1.1]"""
    if not 1 <= seat <= game.seats:
        raise Refused(f"{game.name} P.1", coded("seat-unknown", seats=game.seats), source="001 1.1")


def max_difference(limit: int, bets: Sequence[BaccaratBet]) -> SideDifference:
    """Return the difference between all Player and all Banker stakes of the table, without ties and pairs. [001 6.1]

    Above the limit, each bet of the heavier side is reduced by the factor (light + limit) / heavy, exactly. The text
    says "proportionally" and has no rounding rule (BAC-7).
    """
    if limit < 0:
        raise Invalid("max_difference", coded("difference-negative"))
    _check(bets)
    sums = {side: sum(bet.stake for bet in bets if bet.type == side) for side in ("player", "banker")}
    heavy, light = max(sums.values()), min(sums.values())
    heavier: Side | None = None
    if heavy != light:
        heavier = "player" if sums["player"] == heavy else "banker"
    exceeded = heavy - light > limit
    factor = Fraction(light + limit, heavy) if exceeded else Fraction(1)
    stakes = {bet.id: simple(bet.stake * factor) if bet.type == heavier else bet.stake for bet in bets}
    return SideDifference(heavy - light, exceeded, heavier, simple(factor), stakes)


def whole_stakes(difference: SideDifference) -> dict[str, int]:
    """Return the stakes after a reduction, in whole units.

    Each stake is rounded down. The remainder goes to the largest fractions, one unit each, in the order of the list
    where they are equal. So the heavier side is reduced by no more than the limit requires.
    """
    down = {bet: stake.__floor__() for bet, stake in difference.stakes.items()}
    left = int(sum(difference.stakes.values()) - sum(down.values()))
    by_fraction = sorted(difference.stakes, key=lambda bet: down[bet] - difference.stakes[bet])
    return down | {bet: down[bet] + 1 for bet in by_fraction[:left]}


def table_max(maxima: Mapping[str, int], bets: Sequence[BaccaratBet]) -> dict[str, TableTotal]:
    """Tie and pair bets against their posted maxima, which hold for the whole table together. [001 6.1.3]"""
    for name in maxima:
        if name not in WHOLE_TABLE:
            raise Invalid("maxima", coded("table-maximum-not-allowed", bets=WHOLE_TABLE))
    _check(bets)
    totals = {name: sum(bet.stake for bet in bets if bet.type == name) for name in maxima}
    return {name: TableTotal(total, total <= maxima[name]) for name, total in totals.items()}


def reveal(bets: Sequence[BaccaratBet]) -> dict[str, str]:
    """Return the person who turns the cards of each side. [001 5.1.1-5.1.3, 5.1.5]

    It is the player with the highest bet on the side, the first of the list where bets are equal (BAC-11). It is the
    dealer where the side has no bet.
    """
    _check(bets)
    return {"player": _highest("player", bets), "banker": _highest("banker", bets)}


def _highest(side: Side, bets: Sequence[BaccaratBet]) -> str:
    on_side = [bet for bet in bets if bet.type == side]
    return max(on_side, key=lambda bet: bet.stake).player if on_side else DEALER


def _check(bets: Sequence[BaccaratBet]) -> None:
    """Raise Invalid for bets that cannot be added up."""
    if len({bet.id for bet in bets}) != len(bets):
        raise Invalid("bets", coded("bet-ids-repeated"))
    for bet in bets:
        if bet.type not in BETS:
            raise Invalid("type", coded("bet-unknown", bet=bet.type))
        if bet.stake < 0:
            raise Invalid("stake", coded("stake-negative"))
