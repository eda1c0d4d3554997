"""A table's requests to the cage, and its receipts."""

from typing import ClassVar

from events.envelope import ActionData
from events.fields import Chips


class RequestFill(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Request chips from the cage. Its slip is issued for this action's key."""

    TYPE: ClassVar[str] = "fill.request"
    chips: Chips


class RequestCredit(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Request that the cage takes chips back. Its slip is issued for this action's key."""

    TYPE: ClassVar[str] = "credit.request"
    chips: Chips
