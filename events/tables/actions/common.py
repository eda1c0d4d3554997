"""The session itself: opening, closing, limits, staff."""

from typing import ClassVar

from msgspec import field

from events.envelope import ActionData
from events.fields import Chips, Day, Limits, Maxima, Money, Name, Seat, Text
from events.tables.types.common import Post


class OpenSession(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Open the table for a gaming day with the float of the opener slip."""

    TYPE: ClassVar[str] = "session.open"
    gaming_day: Day
    shift: Name = "day"
    opener: Chips


class CloseSession(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Close the table with the float that was counted."""

    TYPE: ClassVar[str] = "session.close"
    closer: Chips


class VoidSession(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Declare a gaming day void that was opened by mistake, before its first round: two people, with a reason."""

    TYPE: ClassVar[str] = "session.void"
    reason: Text


class PostLimits(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Post the minimum and the maxima by kind of bet; in `minima_minor` those of bets that have their own minimum.

    The maximum `difference` of baccarat may be 0: both sides are then kept equal.
    """

    TYPE: ClassVar[str] = "limits.post"
    minimum_minor: Money
    maxima_minor: Maxima
    minima_minor: Limits = field(default_factory=dict)


class AssignStaff(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Put a person to a post at the table."""

    TYPE: ClassVar[str] = "staff.assign"
    post: Post
    person: Name


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
