"""Money and chips that come to a table or leave it without a bet."""

from typing import ClassVar, Literal

from events.envelope import ActionData
from events.fields import Amount, Chips, Money, Name, Seat, Slip, Year


class MakeBuyin(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Exchange a player's cash for chips."""

    TYPE: ClassVar[str] = "buyin.make"
    seat: Seat
    player: Name
    amount_minor: Money
    tender: Literal["cash", "marker", "promotional"] = "cash"


class RequestFill(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Request chips from the cage. Its slip is issued for this action's key."""

    TYPE: ClassVar[str] = "fill.request"
    chips: Chips


class RequestCredit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Request that the cage takes chips back. Its slip is issued for this action's key."""

    TYPE: ClassVar[str] = "credit.request"
    chips: Chips


class ReceiveFill(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Receive a fill, by slip, with the chips as counted at the table.

    `year` is the slip's business year; without it, the last one that has such a number.
    """

    TYPE: ClassVar[str] = "fill.receive"
    slip: Slip
    chips: Chips
    year: Year | None = None


class SendCredit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Send chips to the cage, by slip. `year` is its business year; without it, the last one that has such a number."""

    TYPE: ClassVar[str] = "credit.send"
    slip: Slip
    chips: Chips
    year: Year | None = None


class RemoveDrop(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Remove the drop box.

    A placed box is removed at any time by two people, one of them of security. Without a placed box, the table's one
    box is removed after the table is closed.
    """

    TYPE: ClassVar[str] = "drop.remove"
    drop_box: Name
    witness: Name | None = None


class CountDrop(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Enter the count of the box. `witness` is the second person, who counts with you."""

    TYPE: ClassVar[str] = "drop.count"
    drop_box: Name
    amount_minor: Amount
    promotional_minor: Amount = 0
    witness: Name | None = None
