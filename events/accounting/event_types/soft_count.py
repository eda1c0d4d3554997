"""Events of the count room, and accounting's explanations of discrepancies."""

from typing import ClassVar

import msgspec

from events.envelope import EventData

Pairs = tuple[tuple[str, str], ...]  # (person, role)


class Figures(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One person's count of a drop box: cash and chips by denomination, markers and vouchers."""

    cash: dict[int, int] = {}
    marker_minor: int = 0
    promotional_minor: int = 0
    chips: dict[int, int] = {}


class OfBox(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The box of an event."""

    table: str
    gaming_day: str
    drop_box: str


class CountEntered(OfBox, frozen=True, kw_only=True, omit_defaults=True):
    """The first counter's figures, `sealed` under a key that is kept outside the store until the count is settled.

    Where the key is lost, the box is counted again.
    """

    TYPE: ClassVar[str] = "count.entered.v1"
    counter: str
    sealed: str


class CountDiffered(OfBox, frozen=True, kw_only=True, omit_defaults=True):
    """The two counters have other figures: both are shown, and the box is counted again by two people."""

    TYPE: ClassVar[str] = "count.differed.v1"
    counters: tuple[str, str]
    first: Figures
    second: Figures


class CountSettled(OfBox, frozen=True, kw_only=True, omit_defaults=True):
    """The box is counted: its content is the cage's from now on. All figures are kept.

    `before` is the content settled by an earlier count, if there was one.
    """

    TYPE: ClassVar[str] = "count.settled.v1"
    shift: str
    counters: tuple[str, ...]
    counted: Figures = msgspec.field(name="found")
    cash_minor: int
    chips_minor: int
    first: Figures | None = None
    second: Figures | None = None
    before: Figures | None = None
    approvals: Pairs = ()


class DiscrepancyExplained(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Accounting has said how it came about; the event that found it keeps its figures."""

    TYPE: ClassVar[str] = "discrepancy.explained.v1"
    gaming_day: str
    discrepancy: str
    kind: str
    reason: str
