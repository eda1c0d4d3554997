"""What a table asks of the cage, and what comes back to it."""

from typing import ClassVar

from events.tables.types.common import Chips, Table


class FillRequested(Table, frozen=True, kw_only=True, omit_defaults=True):
    """The table wants chips; `request` is what the cage issues its slip for (NJ 1.22)."""

    TYPE: ClassVar[str] = "fill.requested.v1"
    request: str
    chips: Chips
    amount_minor: int


class CreditRequested(Table, frozen=True, kw_only=True, omit_defaults=True):
    """The table wants to give chips back; `request` is what the cage issues its slip for (NJ 1.23)."""

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
