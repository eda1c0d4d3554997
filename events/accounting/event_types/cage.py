"""Events of the cage."""

from typing import Any, ClassVar

from events.controls.slip_issued_event import Way
from events.envelope import EventData

Pairs = tuple[tuple[str, str], ...]  # (person, role)


class CageCount(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A count of the cage, by denomination and tender; `amount_minor` is the total."""

    gaming_day: str
    chips: dict[int, int]
    cash_minor: int
    marker_minor: int
    amount_minor: int
    witness: str | None = None


class CageOpened(CageCount, frozen=True, kw_only=True, omit_defaults=True):
    """The cage's gaming day begins with this count; the very first one opens its books."""

    TYPE: ClassVar[str] = "cage.opened.v1"


class CageCounted(CageCount, frozen=True, kw_only=True, omit_defaults=True):
    """An interim count: the next one is measured from it."""

    TYPE: ClassVar[str] = "cage.counted.v1"


class CageClosed(CageCount, frozen=True, kw_only=True, omit_defaults=True):
    """The cage's gaming day ends with this count. Its later work belongs to its next day."""

    TYPE: ClassVar[str] = "cage.closed.v1"


class AtWindow(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A person changes chips and money at the cage."""

    gaming_day: str
    chips: dict[int, int]
    amount_minor: int
    player: str | None = None


class CashedOut(AtWindow, frozen=True, kw_only=True, omit_defaults=True):
    """Chips came in, cash of the same value went out."""

    TYPE: ClassVar[str] = "cage.cashed_out.v1"


class CashedIn(AtWindow, frozen=True, kw_only=True, omit_defaults=True):
    """Cash came in, chips of the same value went out."""

    TYPE: ClassVar[str] = "cage.cashed_in.v1"


class MarkerRedeemed(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A marker went back to its player, for cash or for chips of the same value."""

    TYPE: ClassVar[str] = "marker.redeemed.v1"
    gaming_day: str
    marker: str
    player: str
    amount_minor: int
    chips: dict[int, int] | None = None


class MarkerCarried(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A marker of before the books is open: its player owes the amount until it is redeemed."""

    TYPE: ClassVar[str] = "marker.carried.v1"
    gaming_day: str
    marker: str
    player: str
    amount_minor: int
    issued: str | None = None


class IrregularityFound(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A rule forbids this event of the cage: a person must investigate it.

    `code` and `params` give the sentence in `detail` (docs/reference/errors.md).
    """

    TYPE: ClassVar[str] = "irregularity.found.v1"
    gaming_day: str
    kind: str
    clause: str
    detail: str
    source: str = ""
    table: str | None = None
    player: str | None = None
    amount_minor: int = 0
    code: str | None = None
    params: dict[str, Any] | None = None


class CreditReceived(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The cage has the chips that a table sent, as it counted them (NJ 1.23)."""

    TYPE: ClassVar[str] = "credit.received.v1"
    gaming_day: str
    table: str
    slip: int
    year: str
    chips: dict[int, int]
    amount_minor: int


class SlipVoided(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A slip counts for nothing, and its number stays used (NJ 1.22). A fill's chips are back in the cage.

    A credit that was on its way (`was_sent`) is back at its table, which says so itself (`credit.returned.v1`).
    """

    TYPE: ClassVar[str] = "slip.voided.v1"
    gaming_day: str
    kind: Way
    table: str
    slip: int
    year: str
    amount_minor: int
    reason: str
    approvals: Pairs
    was_sent: bool = False
