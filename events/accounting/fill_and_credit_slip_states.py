"""Slips: requested, issued, sent, received or void, and the chips in transit by them.

Between issue and receipt of a fill, and between sending and receipt of a credit, the chips are in transit, a place of
its own. A receipt may differ from the slip: the difference leaves transit at once.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from events.accounting.event_types.cage import CreditReceived, SlipVoided
from events.accounting.event_with_position import AccountingEvent
from events.controls.slip_issued_event import SlipIssued, Way, name_of
from events.rules.chip_sums_by_denomination import worth
from events.tables.event_types.money import CreditRequested, CreditReturned, CreditSent, FillReceived, FillRequested

TYPES: tuple[type[Any], ...] = (
    FillRequested,
    CreditRequested,
    SlipIssued,
    FillReceived,
    CreditSent,
    CreditReceived,
    SlipVoided,
    CreditReturned,
)


class SlipRequest(msgspec.Struct, frozen=True, gc=False):
    """A table's request for which no slip was issued yet."""

    kind: Way
    table: str
    stream: str
    chips: dict[int, int]


class Slip(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A slip, from its issue on. `sent` and `received` are the pieces that really moved; None: not yet.

    `sent_in` is the table's day, with its shift and people, in which a credit was sent. `settled_at` is the
    position of its receipt or void. A slip belongs to the gaming day of its issue. A credit that is voided in transit
    is `returning` until its table reports it: the next event of the same append.
    """

    kind: Way
    year: str
    number: int
    gaming_day: str
    table: str
    request: str
    chips: dict[int, int]
    sent: dict[int, int] | None = None
    sent_in: str = ""
    where: dict[str, Any] = {}
    received: dict[int, int] | None = None
    void: bool = False
    returning: bool = False
    settled_at: int | None = None

    @property
    def status(self) -> str:
        """Open until it was received or declared void."""
        return "void" if self.void else "open" if self.received is None else "received"

    @property
    def moved(self) -> dict[int, int] | None:
        """Return the chips that have left one side: a fill's at its issue, a credit's when it was sent."""
        return self.chips if self.kind == "fill" else self.sent

    @property
    def transit(self) -> int:
        """Return the chips in transit, in minor units."""
        return worth(self.moved or {}) if self.status == "open" or self.returning else 0


class Slips(msgspec.Struct, frozen=True, gc=False):
    """All slips by name, the last number of each series, and the tables' open requests by key."""

    slips: dict[str, Slip] = {}
    last: dict[str, int] = {}
    requests: dict[str, SlipRequest] = msgspec.field(name="asked", default_factory=dict)

    @property
    def open(self) -> dict[str, Slip]:
        """Return the slips that are neither received nor void, by name."""
        return {name: slip for name, slip in self.slips.items() if slip.status == "open"}

    @property
    def transit(self) -> int:
        """Return the chips in transit, in minor units."""
        return sum(slip.transit for slip in self.slips.values())

    def next(self, kind: str, year: str) -> int:
        """The number that the next slip of a series has."""
        return self.last.get(f"{kind}-{year}", 0) + 1


def evolve(slips: Slips, fact: AccountingEvent) -> Slips:
    """The slips after one more event."""
    data = fact.data
    if isinstance(data, FillRequested | CreditRequested):
        return _add_request(slips, fact, data)
    if isinstance(data, SlipIssued):
        return _issued(slips, data)
    changed = _changed(slips, fact)
    return slips if changed is None else _with_slip(slips, *changed)


def settled_by(slips: Slips, data: Any) -> Slip | None:
    """Return the slip that the cage voids or receives by an event; None for any other event."""
    if isinstance(data, SlipVoided):
        return slips.slips.get(name_of(data.kind, data.year, data.slip))
    if isinstance(data, CreditReceived):
        return slips.slips.get(name_of("credit", data.year, data.slip))
    return None


def settled_before(slips: Slips, position: int) -> Slips:
    """Return the slips without those settled before a position, which no decision needs. Their numbers stay used."""
    left = {name: slip for name, slip in slips.slips.items() if slip.settled_at is None or slip.settled_at >= position}
    return replace(slips, slips=left)


def _add_request(slips: Slips, fact: AccountingEvent, data: FillRequested | CreditRequested) -> Slips:
    kind: Way = "fill" if isinstance(data, FillRequested) else "credit"
    return replace(
        slips, requests={**slips.requests, data.request: SlipRequest(kind, data.table, fact.stream, data.chips)}
    )


def _issued(slips: Slips, data: SlipIssued) -> Slips:
    slip = Slip(
        kind=data.kind,
        year=data.year,
        number=data.slip,
        gaming_day=data.gaming_day,
        table=data.table,
        request=data.request,
        chips=data.chips,
    )
    series = f"{data.kind}-{data.year}"
    return Slips(
        slips={**slips.slips, name_of(data.kind, data.year, data.slip): slip},
        last={**slips.last, series: max(data.slip, slips.last.get(series, 0))},
        requests={key: request for key, request in slips.requests.items() if key != data.request},
    )


def _changed(slips: Slips, fact: AccountingEvent) -> tuple[str, Slip] | None:
    """Return the present slip of an event; None for one that the cage has not issued."""
    data = fact.data
    if isinstance(data, FillReceived) and data.year:
        return _changed_slip(slips, "fill", data, received=data.chips, settled_at=fact.position)
    if isinstance(data, CreditSent) and data.year:
        return _changed_slip(slips, "credit", data, sent=data.chips, sent_in=fact.stream, where=_table_fields(data))
    if isinstance(data, CreditReceived):
        return _changed_slip(slips, "credit", data, received=data.chips, settled_at=fact.position)
    if isinstance(data, SlipVoided):
        return _changed_slip(slips, data.kind, data, void=True, returning=data.was_sent, settled_at=fact.position)
    if isinstance(data, CreditReturned):
        return _changed_slip(slips, "credit", data, returning=False)
    return None


def _changed_slip(slips: Slips, kind: str, data: Any, **changes: Any) -> tuple[str, Slip] | None:
    name = name_of(kind, data.year, data.slip)
    return (name, replace(slips.slips[name], **changes)) if name in slips.slips else None


def _with_slip(slips: Slips, name: str, slip: Slip) -> Slips:
    return replace(slips, slips={**slips.slips, name: slip})


def _table_fields(data: CreditSent) -> Mapping[str, Any]:
    """Return the fields of the sending table, for later events about the credit."""
    content = msgspec.structs.asdict(data)
    return {name: content[name] for name in ("pit", "table", "gaming_day", "shift", "ruleset", "dealer", "inspector")}
