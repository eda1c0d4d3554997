"""Actions of a blackjack table only: players' decisions about their hands and rights."""

from typing import Annotated, ClassVar

from msgspec import Meta

from events.envelope import ActionData
from events.fields import Name, Seat, Stake


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
    amount_minor: Stake


class DeclineRight(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The player of a box declines its progressive bet for this round."""

    TYPE: ClassVar[str] = "right.decline"
    box: Seat
    player: Name
