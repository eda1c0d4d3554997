"""The session itself: opening, closing, limits, staff; and the kinds of fields that all actions share."""

from typing import Annotated, ClassVar

from msgspec import Meta, field

from events.envelope import ActionData
from events.tables.types import Chips, Post

Money = Annotated[int, Meta(gt=0, le=10**12)]
Most = Annotated[int, Meta(ge=0, le=10**12)]
Count = Annotated[int, Meta(ge=0, le=10**6)]
Seat = Annotated[int, Meta(ge=1, le=20)]  # or a box
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Text = Annotated[str, Meta(min_length=1, max_length=500)]


class OpenSession(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Open the table for a gaming day with the float of the opener slip."""

    TYPE: ClassVar[str] = "session.open"
    gaming_day: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    shift: Name = "day"
    opener: Chips


class CloseSession(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Close the table with the float that was counted."""

    TYPE: ClassVar[str] = "session.close"
    closer: Chips


class PostLimits(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Post the minimum and the maxima by kind of bet; in `minima_minor` those of bets that have their own minimum.

    The maximum `difference` of baccarat may be 0: both sides are then kept equal.
    """

    TYPE: ClassVar[str] = "limits.post"
    minimum_minor: Money
    maxima_minor: dict[str, Most]
    minima_minor: dict[str, Money] = field(default_factory=dict)


class AssignStaff(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Put a person to a post at the table."""

    TYPE: ClassVar[str] = "staff.assign"
    post: Post
    person: Name
