"""Events of a blackjack table only: players' decisions about their hands and rights."""

from typing import ClassVar

from events.tables.event_types.session import Seated


class HandStood(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """The player takes no more cards."""

    TYPE: ClassVar[str] = "hand.stood.v1"
    hand: int


class HandDoubled(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A second stake (`amount_minor`) and exactly one more card (004 L79)."""

    TYPE: ClassVar[str] = "hand.doubled.v1"
    hand: int
    bet: str


class HandSplit(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """Two hands of one; `amount_minor` is the second stake (004 L83). The new hand stands right after the old one."""

    TYPE: ClassVar[str] = "hand.split.v1"
    hand: int
    bet: str
    new_bet: str


class InsuranceTaken(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A stake against the dealer's blackjack (004 L87)."""

    TYPE: ClassVar[str] = "insurance.taken.v1"
    bet: str


class RightDeclined(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A player of the box declines its progressive bet for this round: the right is the next one's (004 L13)."""

    TYPE: ClassVar[str] = "right.declined.v1"
