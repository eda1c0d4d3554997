"""The session itself: opening, closing, limits, staff."""

from typing import ClassVar

from msgspec import UNSET, UnsetType, field

from events.envelope import ActionData
from events.fields import Amount, Chips, Day, Limits, Maxima, Money, Name, Seat, Text
from events.tables.event_types.session import Post


class OpenSession(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Open the table for a gaming day with the chips of the opener slip.

    `witness` is the second person, who counts with you. Without `shift` it is the house's current one.
    """

    TYPE: ClassVar[str] = "session.open"
    gaming_day: Day
    shift: Name | UnsetType = UNSET
    opener: Chips
    witness: Name | None = None


class CloseSession(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Close the table with the counted tray. `witness` is the second person, who counts with you; without one it is
    the dealer on duty."""

    TYPE: ClassVar[str] = "session.close"
    closer: Chips
    witness: Name | None = None


class RollSession(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """End the gaming day of a table that plays on, between rounds: the next day opens with the counted tray.

    Bets on the layout, the shoe, the dice, the staff and the limits are carried over; winnings are paid before.
    `colours_minor`: the value of the colour chips that players hold. `witness` is the second person, who counts with
    you. `drop_box`: the empty box that replaces the present one under the table; then one of the two is of security.
    Without `shift` it is the house's current one.
    """

    TYPE: ClassVar[str] = "session.roll"
    gaming_day: Day
    closer: Chips
    shift: Name | UnsetType = UNSET
    colours_minor: Amount = 0
    drop_box: Name | None = None
    witness: Name | None = None


class VoidSession(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Void a gaming day that was opened by mistake, before its first round: two people, with a reason."""

    TYPE: ClassVar[str] = "session.void"
    reason: Text


class PostLimits(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Post the minimum and the maxima by kind of bet. `minima_minor`: of the bets that have a minimum of their own.

    The maximum `difference` of baccarat may be 0: both sides are then kept equal.
    """

    TYPE: ClassVar[str] = "limits.post"
    minimum_minor: Money
    maxima_minor: Maxima
    minima_minor: Limits = field(default_factory=dict)


class AssignStaff(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Assign a person to a post at the table."""

    TYPE: ClassVar[str] = "staff.assign"
    post: Post
    person: Name


class LeavePost(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Relieve the person at a post of the table, without a successor."""

    TYPE: ClassVar[str] = "staff.leave"
    post: Post


class MarkLimit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Set a personal limit at a player's place.

    At baccarat it is for his bets on both sides; at roulette for the kind of bet that `wager` names, on each place.
    """

    TYPE: ClassVar[str] = "limit.mark"
    player: Name
    seat: Seat
    minimum_minor: Money
    maximum_minor: Money
    wager: Name | None = None
