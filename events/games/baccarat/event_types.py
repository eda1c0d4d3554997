"""Events of a baccarat table only: the opening of a shoe, turning of cards, the coup, the difference."""

from typing import ClassVar, Literal

import msgspec

from events.tables.event_types.session import TableEvent


class CardsBurnt(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A new shoe is opened: `card` face up, then as many face down as its value (001 3.1.1)."""

    TYPE: ClassVar[str] = "cards.burnt.v1"
    card: str
    face_down: int


class ShoeRuled(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The game manager's decision where bets were taken from a shoe that was not opened (001 3.3)."""

    TYPE: ClassVar[str] = "shoe.ruled.v1"
    ruling: Literal["new_cards", "free_round", "go_on"]


class CardKept(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A card too many came out: it is never burnt, and begins the next round (001 4.3)."""

    TYPE: ClassVar[str] = "card.kept.v1"
    card: str


class HandGiven(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A player or the dealer turns a side's cards (001 5.1). `due_to` is the person who had the right to."""

    TYPE: ClassVar[str] = "hand.given.v1"
    side: Literal["player", "banker"]
    player: str
    due_to: str


class CoupEnded(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """Both hands are complete: the totals of the cards that were dealt (001 7.1)."""

    TYPE: ClassVar[str] = "coup.ended.v1"
    player_total: int
    banker_total: int
    winner: Literal["player", "banker", "tie"]
    natural: bool = False
    player_pair: bool = False
    banker_pair: bool = False


class NewStake(msgspec.Struct, frozen=True, kw_only=True):
    """A bet's stake after the reduction."""

    bet: str
    stake_minor: int


class ReductionAsked(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The difference between the sides exceeds the maximum of 001 6.1.2; with these stakes it would not.

    Each of the heavier side is multiplied by `factor` ("n/d"), then rounded down to the minor unit.
    """

    TYPE: ClassVar[str] = "reduction.asked.v1"
    difference_minor: int
    limit_minor: int
    heavier: Literal["player", "banker"]
    factor: str
    stakes: tuple[NewStake, ...]
