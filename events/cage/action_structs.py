"""Actions of the cage."""

from typing import ClassVar

from events.controls.slip_issued_event import Way
from events.envelope import ActionData
from events.fields import Amount, Chips, Day, Id, Money, Name, Slip, Text, Year


class OpenCage(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Open the cage's gaming day with a count: chips by denomination, cash, markers. `witness` counted too."""

    TYPE: ClassVar[str] = "cage.open"
    gaming_day: Day
    chips: Chips
    cash_minor: Amount
    marker_minor: Amount = 0
    witness: Name | None = None


class CountCage(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Count the cage during its day."""

    TYPE: ClassVar[str] = "cage.count"
    chips: Chips
    cash_minor: Amount
    marker_minor: Amount = 0
    witness: Name | None = None


class CloseCage(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Close the cage's gaming day with a count. The cage's later work belongs to its next day."""

    TYPE: ClassVar[str] = "cage.close"
    chips: Chips
    cash_minor: Amount
    marker_minor: Amount = 0
    witness: Name | None = None


class CashOut(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Exchange a player's chips for cash of the same value."""

    TYPE: ClassVar[str] = "cage.cash_out"
    chips: Chips
    player: Name | None = None


class CashIn(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Exchange a player's cash for chips of the same value."""

    TYPE: ClassVar[str] = "cage.cash_in"
    chips: Chips
    player: Name | None = None


class RedeemMarker(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Redeem a player's marker for cash, or for `chips` of the same value. A marker's number is redeemed once."""

    TYPE: ClassVar[str] = "marker.redeem"
    marker: Id
    player: Name
    amount_minor: Money
    chips: Chips | None = None


class CarryMarker(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Carry over a marker that was open before the cage's books began. It is part of the markers that its first count
    found. `issued` is the day on which the player signed it."""

    TYPE: ClassVar[str] = "marker.carry"
    marker: Id
    player: Name
    amount_minor: Money
    issued: Day | None = None


class IssueSlip(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Issue a slip for a table's request. The system gives its number.

    `request`: the key of the table's action. `runner`: the person of security who carries the chips.
    """

    TYPE: ClassVar[str] = "slip.issue"
    request: Id
    runner: Name | None = None


class ReceiveCredit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Receive the chips that a table has sent, as counted in the cage. Without `year`: the last series of that number.

    They may be others than the slip says.
    """

    TYPE: ClassVar[str] = "credit.receive"
    slip: Slip
    chips: Chips
    year: Year | None = None


class VoidSlip(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Declare a slip void, before it is received: by two people, with a reason. Its number stays used."""

    TYPE: ClassVar[str] = "slip.void"
    kind: Way
    slip: Slip
    reason: Text
    year: Year | None = None
