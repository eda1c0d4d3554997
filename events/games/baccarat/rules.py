"""Baccarat (punto banco): the table of play and the settlement of a coup. [001 1.2, 4, 6, 8, 9]

Cards are two letters, rank and suit. Amounts are integers in any one unit. A profit is a Fraction where the commission
is not a whole number. The text has no rounding rule; a house applies its own afterwards (BAC-10). All functions are
pure. Limits, burning, turning of cards and irregularities: `procedure`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Literal

from msgspec import Struct

from events.error_codes import coded
from events.errors import Invalid, NoSuchBet, Refused
from events.rules import cards, loading_and_pinning_rulesets
from events.rules.exact_amount_parsing import Amount, parse, simple
from events.rules.taken_ruleset_version_struct import Numbers

Side = Literal["player", "banker"]
Winner = Literal["player", "banker", "tie"]
Outcome = Literal["win", "lose", "push", "void"]

BETS = ("player", "banker", "tie", "player_pair", "banker_pair")

_POINTS = MappingProxyType({rank: min(place, 10) % 10 for place, rank in enumerate(cards.RANKS, start=1)})

# The points of Player's third card on which Banker draws, by Banker's total; None: Player has no third card.
# Rows 3 to 5 say "or if there is no third card" and mean that Player stood on 6 or 7 (BAC-1).
_ANY = frozenset(range(10))
_BANKER_DRAWS: Mapping[int, frozenset[int | None]] = MappingProxyType(
    {
        0: _ANY | {None},
        1: _ANY | {None},
        2: _ANY | {None},
        3: _ANY - {8} | {None},
        4: frozenset({2, 3, 4, 5, 6, 7, None}),
        5: frozenset({4, 5, 6, 7, None}),
        6: frozenset({6, 7}),
        7: frozenset(),
        8: frozenset(),
        9: frozenset(),
    }
)
_OPENING: Mapping[tuple[int, int], Side] = MappingProxyType(
    {(0, 0): "player", (1, 0): "banker", (1, 1): "player", (2, 1): "banker"}
)


class BaccaratRules(Struct, frozen=True, forbid_unknown_fields=True):
    """A baccarat ruleset as data: `rulesets/baccarat*.json`.

    `payouts` is profit to one before commission; `commission` the house's part of a banker win's profit,
    `commission_on_six` its part when Banker wins with 6. Both are an int or "n/d".
    """

    name: str
    version: str
    title: str
    source: str
    variant: Literal["commission", "no_commission"]
    payouts: Mapping[str, int]
    commission: int | str
    commission_on_six: int | str
    packs: int = 8
    seats: int = 10
    free_rounds: int = 3
    readings: Mapping[str, str] = {}

    def __post_init__(self) -> None:
        if set(self.payouts) != set(BETS):
            raise ValueError(f"payouts are needed for exactly: {', '.join(BETS)}")
        if not all(0 <= _rate(rate) <= 1 for rate in (self.commission, self.commission_on_six)):
            raise ValueError("a commission is between 0 and 1")


class BaccaratBet(Struct, frozen=True, omit_defaults=True):
    """A stake on a box: `type` is one of `BETS`."""

    id: str
    type: str
    stake: int
    player: str = ""


class CoupOutcome(Struct, frozen=True):
    """The facts of a coup that its bets depend on: the totals, a natural on either side, pairs in the first two
    cards."""

    player_total: int
    banker_total: int
    natural: bool = False
    player_pair: bool = False
    banker_pair: bool = False

    @property
    def winner(self) -> Winner:
        if self.player_total == self.banker_total:
            return "tie"
        return "player" if self.player_total > self.banker_total else "banker"


class BaccaratResult(Struct, frozen=True):
    """A bet's end. `profit` never contains the stake and is net of `commission`; `returned` is the stake or 0."""

    bet: str
    outcome: Outcome
    profit: Amount
    returned: int
    commission: Amount = 0


class CoupHands(Struct, frozen=True):
    """Cards put where they belong: both hands, and how many cards of the shoe they used."""

    player: tuple[str, ...]
    banker: tuple[str, ...]
    used: int


def rules(ruleset: Numbers) -> BaccaratRules:
    """The numbers of a ruleset. Raises Unknown, or Invalid for data that does not fit."""
    numbers: BaccaratRules = loading_and_pinning_rulesets.load(ruleset, BaccaratRules)
    return numbers


def points(card: str) -> int:
    """Tens and faces 0, ace 1, others their number. [001 1.2]"""
    return _POINTS[card[0]]


def total(hand: Sequence[int]) -> int:
    """A hand's total from its points: their sum without the tens."""
    return sum(hand) % 10


def next_to(player: Sequence[str], banker: Sequence[str]) -> Side | None:
    """Return the side of the next card, or None when the coup is complete. [001 4.1, 8]

    Raises Refused for cards in an impossible order of dealing.
    """
    if (lie := (len(player), len(banker))) in _OPENING:  # as with most cards: their points decide nothing yet
        return _OPENING[lie]
    return next_side([points(card) for card in player], [points(card) for card in banker])


def next_side(player: Sequence[int], banker: Sequence[int]) -> Side | None:
    """`next_to` for hands given as points; the cards count as rightly dealt, but for their number."""
    lie = (len(player), len(banker))
    if lie in _OPENING:
        return _OPENING[lie]
    if lie == (2, 2):
        return _after_four(total(player), total(banker))
    if lie == (3, 2):
        return "banker" if player[2] in _BANKER_DRAWS[total(banker)] else None
    if lie in ((2, 3), (3, 3)):
        return None
    message = coded("cards-not-in-dealing-order", player=lie[0], banker=lie[1])
    raise Refused("baccarat I.1", message, source="001 4.2")


def _after_four(player: int, banker: int) -> Side | None:
    """A natural on either side ends the dealing (BAC-1)."""
    if player >= 8 or banker >= 8:
        return None
    if player <= 5:
        return "player"
    return "banker" if None in _BANKER_DRAWS[banker] else None


def place(drawn: Sequence[str]) -> CoupHands:
    """Put cards, in the order in which they left the shoe, where they belong; surplus cards are the next round's. So a
    card out of order is used in its right place (I.2, BAC-4). The coup may still be incomplete."""
    player: list[str] = []
    banker: list[str] = []
    for card in drawn:
        side = next_to(player, banker)
        if side is None:
            break
        (player if side == "player" else banker).append(card)
    return CoupHands(tuple(player), tuple(banker), len(player) + len(banker))


def deal(shoe: Sequence[str]) -> CoupHands:
    """A whole coup from the shoe. Raises Invalid where the shoe ends before the coup does."""
    hands = place(shoe)
    if next_to(hands.player, hands.banker) is not None:
        raise Invalid("shoe", coded("shoe-too-short", cards=len(shoe)))
    return hands


def coup(player: Sequence[str], banker: Sequence[str]) -> CoupOutcome:
    """Return the coup of two complete hands; the cards count, not a display (P.9). Raises Refused where they were not
    dealt by the table of play, which voids the round (I.1)."""
    order = [card for pair in zip(player[:2], banker[:2], strict=False) for card in pair]
    hands = place([*order, *player[2:], *banker[2:]])
    if (hands.player, hands.banker) != (tuple(player), tuple(banker)) or next_to(player, banker) is not None:
        raise Refused("baccarat I.1", coded("cards-against-table-of-play"), source="001 4.2, 8")
    totals = total([points(card) for card in player]), total([points(card) for card in banker])
    natural = len(player) == len(banker) == 2 and max(totals) >= 8
    return CoupOutcome(*totals, natural, is_pair(player), is_pair(banker))


def is_pair(hand: Sequence[str]) -> bool:
    """Return whether the first two cards have the same rank; jack and queen are not a pair. [001 9 "Çift"]"""
    return hand[0][0] == hand[1][0]


def settle_coup(game: BaccaratRules, end: CoupOutcome, bets: Sequence[BaccaratBet]) -> list[BaccaratResult]:
    """The result of every bet on a coup, in the order given; one bet's result never depends on another's."""
    check_bets(game, bets)
    return [_settle_bet(game, end, bet) for bet in bets]


def check_bets(game: BaccaratRules, bets: Sequence[BaccaratBet]) -> None:
    """Raise Refused for a bet that does not exist, Invalid for a stake below 1 or an id given twice."""
    if len({bet.id for bet in bets}) != len(bets):
        raise Invalid("bets", coded("bet-ids-repeated"))
    for bet in bets:
        if bet.type not in BETS:
            raise NoSuchBet(f"{game.name} B", coded("bet-unknown", bet=bet.type), source="001 6, 9", reading="BAC-2")
        if bet.stake < 1:
            raise Invalid("stake", coded("stake-not-positive"))


def _settle_bet(game: BaccaratRules, end: CoupOutcome, bet: BaccaratBet) -> BaccaratResult:
    if end.winner == "tie" and bet.type in ("player", "banker"):
        return BaccaratResult(bet.id, "push", 0, bet.stake)  # BAC-3
    if not _wins(end, bet.type):
        return BaccaratResult(bet.id, "lose", -bet.stake, 0)
    gross = bet.stake * game.payouts[bet.type]
    commission = _commission(game, end, gross) if bet.type == "banker" else 0
    return BaccaratResult(bet.id, "win", simple(gross - commission), bet.stake, commission)


def _wins(end: CoupOutcome, bet_type: str) -> bool:
    if bet_type == "player_pair":
        return end.player_pair
    if bet_type == "banker_pair":
        return end.banker_pair
    return end.winner == bet_type


def _commission(game: BaccaratRules, end: CoupOutcome, gross: int) -> Amount:
    return simple(gross * _rate(game.commission_on_six if end.banker_total == 6 else game.commission))


@cache
def _rate(value: int | str) -> Fraction:
    return Fraction(parse(value, "commission"))
