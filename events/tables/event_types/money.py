"""Money and chips that come to a table or leave it without a bet: buy-ins, fills, credits, their requests, drop."""

from typing import ClassVar, Literal

from events.tables.event_types.session import Chips, Seated, TableEvent


class BuyinMade(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A player changes cash for chips: the cash goes into the drop box, the chips come from the tray."""

    TYPE: ClassVar[str] = "buyin.made.v1"
    tender: Literal["cash", "marker", "promotional"]


class FillRequested(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The table wants chips; the cage issues its slip for `request` (NJ 1.22)."""

    TYPE: ClassVar[str] = "fill.requested.v1"
    request: str
    chips: Chips
    amount_minor: int


class CreditRequested(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The table wants to give chips back; the cage issues its slip for `request` (NJ 1.23)."""

    TYPE: ClassVar[str] = "credit.requested.v1"
    request: str
    chips: Chips
    amount_minor: int


class CreditReturned(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A credit that was on its way came back to the table, since its slip was declared void."""

    TYPE: ClassVar[str] = "credit.returned.v1"
    slip: int
    year: str
    chips: Chips
    amount_minor: int
    reason: str


class FillReceived(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """Chips from the cage, by a numbered slip (NJ 1.22): of the `year`'s series, where the cage has issued it."""

    TYPE: ClassVar[str] = "fill.received.v1"
    slip: int
    chips: Chips
    amount_minor: int
    year: str = ""


class CreditSent(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """Chips to the cage, by a numbered slip (NJ 1.23): of the `year`'s series, where the cage has issued it."""

    TYPE: ClassVar[str] = "credit.sent.v1"
    slip: int
    chips: Chips
    amount_minor: int
    year: str = ""


class DropRemoved(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The drop box leaves the table, unopened. `witness`: the second person; one of the two is of security."""

    TYPE: ClassVar[str] = "drop.removed.v1"
    drop_box: str
    witness: str | None = None


class DropCounted(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The count room's figure for this table's box: `amount_minor` in all, `promotional_minor` of it vouchers.

    `witness`: the named second counter.
    """

    TYPE: ClassVar[str] = "drop.counted.v1"
    drop_box: str
    amount_minor: int
    promotional_minor: int = 0
    witness: str | None = None
