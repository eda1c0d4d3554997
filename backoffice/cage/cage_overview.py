"""The cage for its cashiers: its day, the result of its last count, waiting requests, and slips in transit.

Its expected content is not here: the next counter sees the expected amount of a count after the count.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, TypeAlias

import msgspec
from django.utils.translation import gettext as _

from backoffice.days import caught_up_cage_and_count_books as rooms
from backoffice.kit.due_action_and_link_structs import DueAction
from backoffice.wording.copy_row_into_page_struct import struct_from
from events import catalogue
from events.accounting.cage_and_count_state_fold import Books
from events.accounting.event_types.cage import CageClosed, CageCount, CageCounted, CageOpened, MarkerCarried
from events.accounting.fill_and_credit_slip_states import Slip, SlipRequest
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.controls.slip_issued_event import SlipIssued, name_of
from events.envelope import digest
from events.people.approval_request_lifecycle import Request
from events.rules.chip_sums_by_denomination import worth
from events.settings.settings_from_environment import settings
from projections.eventlog.models import EventLog

Pieces: TypeAlias = Mapping[int, int]
SHOWN = 20  # movements
MARKERS_SHOWN = 100  # markers that are open
COUNTS = (CageOpened.TYPE, CageCounted.TYPE, CageClosed.TYPE)
TENDERS = ("chips", "cash", "marker")


class CountedTender(msgspec.Struct, frozen=True):
    """Counted amount of one tender; `expected_minor` is None for the count that began the books."""

    name: str
    found_minor: int
    expected_minor: int | None

    @property
    def difference_minor(self) -> int:
        return 0 if self.expected_minor is None else self.found_minor - self.expected_minor


class Count(msgspec.Struct, frozen=True):
    """A count of the cage that is in, against its books of that moment."""

    kind: str
    position: int
    time: datetime
    by: tuple[str, ...]
    tenders: tuple[CountedTender, ...]

    @property
    def difference_minor(self) -> int:
        return sum(tender.difference_minor for tender in self.tenders)

    @property
    def differs(self) -> bool:
        """Return whether any tender differs, also where the sums agree."""
        return any(tender.difference_minor for tender in self.tenders)


class RequestedSlip(msgspec.Struct, frozen=True):
    """Request of a table without an issued slip."""

    kind: str
    table: str
    gaming_day: str
    chips: Pieces
    amount_minor: int
    dos: tuple[DueAction, ...]


class IssuedSlip(msgspec.Struct, frozen=True):
    """A slip that is neither received nor void."""

    kind: str
    number: int
    year: str
    table: str
    gaming_day: str
    chips: Pieces
    amount_minor: int
    transit_minor: int
    is_sent: bool
    dos: tuple[DueAction, ...]

    @property
    def words(self) -> str:
        """Return the place of the slip, in words."""
        if self.kind == "fill":
            return _("in transit to %s") % self.table
        return _("in transit to the cage") if self.is_sent else _("not yet sent by %s") % self.table


class OpenMarker(msgspec.Struct, frozen=True):
    """A marker of before the books that its player has not redeemed."""

    marker: str
    player: str
    issued: str
    amount_minor: int
    dos: tuple[DueAction, ...]


class CageMovement(msgspec.Struct, frozen=True):
    """A movement of the cage."""

    position: int
    time: datetime
    type: str
    actor: str
    player: str | None
    amount_minor: int | None


class CageSeen(msgspec.Struct, frozen=True):
    """The cage. `gaming_day` is "" where it was never opened."""

    gaming_day: str
    is_open: bool
    currency: str
    last: Count | None
    wanted: tuple[RequestedSlip, ...]
    issued: tuple[IssuedSlip, ...]
    moved: tuple[CageMovement, ...]
    markers: tuple[OpenMarker, ...] = ()
    markers_count: int = 0
    markers_minor: int = 0

    @property
    def markers_left_out(self) -> int:
        """Return the number of open markers left out of the list."""
        return self.markers_count - len(self.markers)

    @property
    def transit_minor(self) -> int:
        """Return the amount in transit."""
        return sum(slip.transit_minor for slip in self.issued)


def cage(gaming_day: str = "", person: str = "") -> CageSeen:
    """Return the cage on its gaming day, or an earlier one; actions are those of this person."""
    books = rooms.books()
    day = gaming_day or books.cage.gaming_day
    rows = _rows(day)
    return CageSeen(
        gaming_day=day,
        is_open=books.cage.is_open and books.cage.gaming_day == day,
        currency=rooms.currency(),
        last=_last_count(rows, is_first=not _has_begun(day)),
        wanted=tuple(
            _requested_slip(books, key, entry)
            for key, entry in books.slips.requests.items()
            if _still_waits(books, entry)
        ),
        issued=tuple(_issued(books, entry, person) for entry in books.slips.open.values()),
        moved=tuple(struct_from(row, CageMovement) for row in rows if row.type != DiscrepancyFound.TYPE)[:SHOWN],
        markers=_open_markers(books),
        markers_count=len(books.markers),
        markers_minor=sum(marker.amount_minor for marker in books.markers.values()),
    )


def _open_markers(books: Books) -> tuple[OpenMarker, ...]:
    """Return the open markers, the oldest first; a closed cage redeems none."""
    oldest = sorted(books.markers.values(), key=lambda marker: (marker.issued or "", marker.marker))
    return tuple(_open_marker(marker, is_open=books.cage.is_open) for marker in oldest[:MARKERS_SHOWN])


def _open_marker(marker: MarkerCarried, *, is_open: bool) -> OpenMarker:
    named = {"marker": marker.marker, "player": marker.player, "amount_minor": marker.amount_minor}
    do = DueAction(_("Redeem marker"), "", "cage", "", "marker.redeem", named)
    dos = (do,) if is_open else ()
    return OpenMarker(marker.marker, marker.player, marker.issued or "", marker.amount_minor, dos)


# --- counts -----------------------------------------------------------------------------------------------------------


def _rows(day: str) -> list[EventLog]:
    """The events of a day of the cage, the last first."""
    return list(EventLog.objects.filter(stream=f"{settings().property_}/cage/{day}").order_by("-version"))


def _has_begun(day: str) -> bool:
    """Return whether the cage had books before this day."""
    before = f"{settings().property_}/cage/"
    return EventLog.objects.filter(stream__gte=before, stream__lt=f"{before}{day}", type=CageOpened.TYPE).exists()


def _last_count(rows: list[EventLog], *, is_first: bool) -> Count | None:
    """Return the last count; `is_first`: the day's opening began the books."""
    at = next((place for place, row in enumerate(rows) if row.type in COUNTS), None)
    if at is None:
        return None
    row, count = rows[at], _data(rows[at])
    after = _data(rows[at - 1]) if at else None
    against = after if isinstance(after, DiscrepancyFound) else None
    begins = is_first and row.type == CageOpened.TYPE
    return Count(
        kind=row.type,
        position=row.position,
        time=row.time,
        by=tuple(person for person in (row.actor, count.witness) if person),
        tenders=tuple(_tenders(count, against, begins=begins)),
    )


def _data(row: EventLog) -> Any:
    return catalogue.decode(row.type, bytes(row.raw)).data


def _tenders(count: CageCount, against: DiscrepancyFound | None, *, begins: bool) -> Iterator[CountedTender]:
    counted = dict(zip(TENDERS, (worth(count.chips), count.cash_minor, count.marker_minor), strict=True))
    expected: Mapping[str, int] = (against.expected_tenders or counted) if against is not None else counted
    words = {"chips": _("chips"), "cash": _("cash"), "marker": _("markers")}
    for tender, amount in counted.items():
        yield CountedTender(words[tender], amount, None if begins else expected.get(tender, 0))


# --- slips ------------------------------------------------------------------------------------------------------------


def _still_waits(books: Books, request: SlipRequest) -> bool:
    """Return whether the request still waits: it ends with its table's day."""
    day = books.counting.days.get(request.stream)
    return day is not None and not day.is_closed


def _requested_slip(books: Books, key: str, request: SlipRequest) -> RequestedSlip:
    """Return a request as shown. Only an open cage issues slips."""
    do = DueAction(_("Issue slip"), "", "cage", "", "slip.issue", {"request": key})
    day = request.stream.rpartition("/")[2]
    return RequestedSlip(
        request.kind, request.table, day, request.chips, worth(request.chips), (do,) if books.cage.is_open else ()
    )


def _issued(books: Books, slip: Slip, person: str) -> IssuedSlip:
    return struct_from(
        slip,
        IssuedSlip,
        amount_minor=worth(slip.chips),
        transit_minor=slip.transit,
        is_sent=slip.sent is not None,
        dos=tuple(_dos(books, slip, person)),
    )


def _dos(books: Books, slip: Slip, person: str) -> Iterator[DueAction]:
    named: dict[str, Any] = {"slip": slip.number, "year": slip.year}
    if slip.sent is not None:
        yield DueAction(_("Receive credit"), "", "cage", "", "credit.receive", named)
    for stream, request in _voiding(books, slip):
        yield from _answers(stream.rpartition("/")[2], request, person)
        return
    yield DueAction(_("Void slip"), "", "cage", "", "slip.void", {"kind": slip.kind, **named})


def _voiding(books: Books, slip: Slip) -> Iterator[tuple[str, Request]]:
    """Yield the requests to void a slip."""
    for stream, waiting in books.requests.items():
        for request in waiting.values():
            input_ = request.event.input
            if not request.done and (input_.get("kind"), input_.get("slip")) == (slip.kind, slip.number):
                yield stream, request


def _answers(day: str, request: Request, person: str) -> Iterator[DueAction]:
    def do(label: str, kind: str, **data: str) -> DueAction:
        return DueAction(label, "", "cage", "", kind, data, f"gaming_day={day}")

    question = request.event
    if person == question.person:
        yield do(_("Withdraw request"), "approval.withdraw", request=question.request)
    else:
        yield do(_("Approve request"), "approval.give", request=question.request, content=question.content)
        yield do(_("Decline request"), "approval.decline", request=question.request)


class SlipSeen(msgspec.Struct, frozen=True):
    """Slip for print: requester, issuer, runner and status."""

    kind: str
    number: int
    year: str
    table: str
    gaming_day: str
    chips: Pieces
    amount_minor: int
    currency: str
    issued_by: str
    issued_at: datetime
    position: int
    asked_by: str
    runner: str
    status: str
    digest: str  # the SHA-256 of the event that issued it


def slip(kind: str, year: str, number: int) -> SlipSeen | None:
    """Return a slip by its number; None for a number never issued. Five queries."""
    name = name_of(kind, year, number)
    row = EventLog.objects.filter(correlation=name, type=SlipIssued.TYPE).first()
    if row is None:
        return None
    issue: SlipIssued = _data(row)
    types = set(EventLog.objects.filter(correlation=name).values_list("type", flat=True))
    return struct_from(
        issue,
        SlipSeen,
        number=issue.slip,
        currency=rooms.currency(),
        issued_by=row.actor,
        issued_at=row.time,
        position=row.position,
        asked_by=_asked_by(issue),
        runner=issue.runner or "",
        status=_status(kind, types),
        digest=digest(bytes(row.raw)).hex(),
    )


def _status(kind: str, types: set[str]) -> str:
    if "slip.voided.v1" in types:
        return "void"
    return "received" if f"{kind}.received.v1" in types else "open"


def _asked_by(issue: SlipIssued) -> str:
    """Return the person who requested it at the table."""
    type_ = f"{issue.kind}.requested.v1"
    rows = EventLog.objects.filter(type=type_, table=issue.table).order_by("-position")[:SHOWN]
    return next((row.actor for row in rows if _data(row).request == issue.request), "")
