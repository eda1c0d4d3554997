"""What is done with cards: shoes, the deal, baccarat's coup, blackjack's hands and the progressive on them."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from events.envelope import ActionData
from events.fields import Money, Name, Round, Seat
from events.tables.types import Level, Place

Card = Annotated[str, Meta(pattern=r"^[A23456789TJQK][CDHS]$(?!\n)")]


class LoadShoe(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Put a shuffled shoe to the table: sealed (`seal` names the seal; is it whole?), or shuffled here."""

    TYPE: ClassVar[str] = "shoe.load"
    shoe: Name
    packs: Annotated[int, Meta(ge=1, le=8)]
    seal: Name | None = None
    seal_whole: bool = True


class ReachCutCard(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cut card came out."""

    TYPE: ClassVar[str] = "cut_card.reach"


class BurnCards(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Open a new shoe by burning: `card` is its first, shown face up."""

    TYPE: ClassVar[str] = "shoe.burn"
    card: Card


class RuleShoe(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The manager decides how a shoe goes on that was not opened."""

    TYPE: ClassVar[str] = "shoe.rule"
    ruling: Literal["new_cards", "free_round", "go_on"]


class DealCard(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Turn a card: to the dealer, or to a hand of a box."""

    TYPE: ClassVar[str] = "card.deal"
    to: Place
    card: Card
    box: Seat | None = None
    hand: Annotated[int, Meta(ge=0, le=3)] = 0


class GiveHand(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Let a player turn a side's cards; None: the dealer turns them."""

    TYPE: ClassVar[str] = "hand.give"
    side: Literal["player", "banker"]
    player: Name | None = None


class ReduceBets(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Bring the sides' difference inside the limit: show the stakes that would do (`apply` false), or lower them so."""

    TYPE: ClassVar[str] = "bets.reduce"
    apply: bool = True


class MarkLimit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Put a personal limit marker to a player's place.

    At baccarat it is for his bets on both sides; at roulette for the kind of bet that `wager` names, on each place.
    """

    TYPE: ClassVar[str] = "limit.mark"
    player: Name
    seat: Seat
    minimum_minor: Money
    maximum_minor: Money
    wager: Name | None = None


class CompleteDeal(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every player has two cards: Trilux and the progressive's fixed pays are settled, then play begins."""

    TYPE: ClassVar[str] = "deal.complete"


class StandHand(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """No more cards for this hand."""

    TYPE: ClassVar[str] = "hand.stand"
    box: Seat
    hand: Annotated[int, Meta(ge=0, le=3)] = 0


class DoubleHand(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Double the bet, for exactly one more card."""

    TYPE: ClassVar[str] = "hand.double"
    box: Seat
    hand: Annotated[int, Meta(ge=0, le=3)] = 0


class SplitHand(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Make two hands of a pair."""

    TYPE: ClassVar[str] = "hand.split"
    box: Seat
    hand: Annotated[int, Meta(ge=0, le=3)] = 0


class TakeInsurance(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bet against the dealer's blackjack."""

    TYPE: ClassVar[str] = "insurance.take"
    box: Seat
    amount_minor: Money


class DeclineRight(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The player of a box declines its progressive bet for this round."""

    TYPE: ClassVar[str] = "right.decline"
    box: Seat
    player: Name


class ArmProgressive(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Register the round's progressive stakes, collect the chips; before a card is dealt."""

    TYPE: ClassVar[str] = "progressive.arm"


class DeclareHit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Declare a progressive hand."""

    TYPE: ClassVar[str] = "hit.declare"
    box: Seat
    level: Level


class DeclareHitLate(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A progressive hand that was missed in the deal of `round`: two people, and the cards."""

    TYPE: ClassVar[str] = "hit.declare_late"
    round: Round
    box: Seat
    level: Level
