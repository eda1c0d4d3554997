"""A table's requests to the cage, and its receipts."""

from typing import ClassVar

from events.tables.event_types.session import Chips, Table


class FillRequested(Table, frozen=True, kw_only=True, omit_defaults=True):
    """The table wants chips; the cage issues its slip for `request` (NJ 1.22)."""

    TYPE: ClassVar[str] = "fill.requested.v1"
    request: str
    chips: Chips
    amount_minor: int


class CreditRequested(Table, frozen=True, kw_only=True, omit_defaults=True):
    """The table wants to give chips back; the cage issues its slip for `request` (NJ 1.23)."""

    TYPE: ClassVar[str] = "credit.requested.v1"
    request: str
    chips: Chips
    amount_minor: int


class CreditReturned(Table, frozen=True, kw_only=True, omit_defaults=True):
    """A credit that was on its way came back to the table, since its slip was declared void."""

    TYPE: ClassVar[str] = "credit.returned.v1"
    slip: int
    year: str
    chips: Chips
    amount_minor: int
    reason: str
