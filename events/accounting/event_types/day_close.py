"""Events of a gaming day's close, and of its later restatements."""

from typing import ClassVar, Literal

from events.envelope import EventData

Pairs = tuple[tuple[str, str], ...]  # (person, role)
Item = Literal[
    "sessions_closed",
    "boxes_counted",
    "slips_settled",
    "discrepancies_explained",
    "hits_locked",
    "variances_closed",
    "no_rest",
    "cage_closed",
    "nothing_aside",
    "journal_balanced",
    "readers_beyond",
    "heads_beyond",
]


class OfDay(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The gaming day of an event."""

    gaming_day: str


class DayOverridden(OfDay, frozen=True, kw_only=True, omit_defaults=True):
    """The day may be closed although this item of the checklist does not hold; `detail` is its text at that time."""

    TYPE: ClassVar[str] = "day.overridden.v1"
    item: Item
    detail: str
    reason: str
    approvals: Pairs


class OfReport(OfDay, frozen=True, kw_only=True, omit_defaults=True):
    """A canonical report by its position and layout, from which it can be made again. `digest` is its SHA-256."""

    position: int
    layout: int
    digest: str


class DayClosed(OfReport, frozen=True, kw_only=True, omit_defaults=True):
    """The day is closed with this report, which stays. `overridden` are the items that did not hold."""

    TYPE: ClassVar[str] = "day.closed.v1"
    overridden: tuple[Item, ...] = ()


class DayAmended(OfReport, frozen=True, kw_only=True, omit_defaults=True):
    """Events that came after the close count for the day: this is restatement 1, 2, ... The closed report stays.

    `events` are those named by this restatement. `position` is the last one by then: the report is as of it.
    """

    TYPE: ClassVar[str] = "day.amended.v1"
    restatement: int
    events: tuple[str, ...]
    reason: str
    approvals: Pairs
