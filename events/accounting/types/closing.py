"""A gaming day is closed, and what becomes of it afterwards."""

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
    """Which gaming day it is about."""

    gaming_day: str


class DayOverridden(OfDay, frozen=True, kw_only=True, omit_defaults=True):
    """The day may be closed although this item of the checklist does not hold; `detail` is what it said then."""

    TYPE: ClassVar[str] = "day.overridden.v1"
    item: Item
    detail: str
    reason: str
    approvals: Pairs


class OfReport(OfDay, frozen=True, kw_only=True, omit_defaults=True):
    """A canonical report, by what anybody can make it again: its position, and its layout. `digest` is its SHA-256."""

    position: int
    layout: int
    digest: str


class DayClosed(OfReport, frozen=True, kw_only=True, omit_defaults=True):
    """The day is closed with this report, which stays. `overridden` are the items that did not hold."""

    TYPE: ClassVar[str] = "day.closed.v1"
    overridden: tuple[Item, ...] = ()


class DayAmended(OfReport, frozen=True, kw_only=True, omit_defaults=True):
    """Events that came after the close count for the day: this is restatement 1, 2, ... The closed report stays.

    `events` are those that were named now. `position` is the last one by then: what the report says it is as of.
    """

    TYPE: ClassVar[str] = "day.amended.v1"
    restatement: int
    events: tuple[str, ...]
    reason: str
    approvals: Pairs
