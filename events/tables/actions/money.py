"""Money and chips that come to a table or leave it without a bet."""

from typing import ClassVar, Literal

from events.envelope import ActionData
from events.fields import Amount, Chips, Money, Name, Seat, Slip


class MakeBuyin(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Change a player's cash for chips."""

    TYPE: ClassVar[str] = "buyin.make"
    seat: Seat
    player: Name
    amount_minor: Money
    tender: Literal["cash", "marker", "promotional"] = "cash"


class ReceiveFill(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Take chips from the cage, by slip."""

    TYPE: ClassVar[str] = "fill.receive"
    slip: Slip
    chips: Chips


class SendCredit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Give chips to the cage, by slip."""

    TYPE: ClassVar[str] = "credit.send"
    slip: Slip
    chips: Chips


class RemoveDrop(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Take the drop box away."""

    TYPE: ClassVar[str] = "drop.remove"
    drop_box: Name


class CountDrop(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Enter what the count found in the box."""

    TYPE: ClassVar[str] = "drop.count"
    drop_box: Name
    amount_minor: Amount
    promotional_minor: Amount = 0
