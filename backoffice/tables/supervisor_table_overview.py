"""A table for its supervisor: its people, its box, its requests to the cage, its last counts.

It has no float, no buy-in and no win: the next counter of the tray sees the expected amount after the count.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from backoffice.days import caught_up_cage_and_count_books as rooms
from backoffice.kit.due_action_and_link_structs import DueAction
from backoffice.tables.floor_page_content import OnDuty, on_duty
from events import catalogue
from events.accounting.cage_and_count_state_fold import Books
from events.rules.chip_sums_by_denomination import worth
from events.tables.event_types.session import LimitsPosted, StaffAssigned, StaffLeft
from projections.eventlog.models import EventLog
from projections.floor.models import InstalledTable
from projections.tables.models import TableDay

COUNTS = ("session.opened.v1", "table.counted.v1", "shift.counted.v1", "session.closed.v1", "session.rolled.v1")
COUNTS_SHOWN = 5


class CountShown(msgspec.Struct, frozen=True):
    """A count that is in. `difference_minor`: found less expected; None for an opener."""

    kind: str
    position: int
    time: datetime
    by: tuple[str, ...]
    found_minor: int
    difference_minor: int | None


class TableSlip(msgspec.Struct, frozen=True):
    """A fill or a credit of this table: asked for (`number` 0), or a slip that is open."""

    kind: str
    number: int
    year: str
    chips: dict[int, int]
    amount_minor: int
    words: str
    dos: tuple[DueAction, ...] = ()


class Limit(msgspec.Struct, frozen=True):
    """Posted limits: the minimum, and the maximum of each kind of bet."""

    minimum_minor: int
    maxima_minor: dict[str, int]


class PitTable(msgspec.Struct, frozen=True):
    """A table of the pit. `gaming_day` and `ruleset` are "" for one that was never opened; `box` is under the table."""

    table: str
    pit: str
    game: str
    ruleset: str
    currency: str
    gaming_day: str
    status: str
    on_duty: OnDuty
    shift: str
    box: str
    is_box_old: bool
    limit: Limit | None = None
    papers: tuple[TableSlip, ...] = ()
    counts: tuple[CountShown, ...] = ()
    posts: dict[str, str] = {}
    dos: tuple[tuple[str, tuple[DueAction, ...]], ...] = ()

    @property
    def is_open(self) -> bool:
        return self.status == "open"


class PitTables(msgspec.Struct, frozen=True):
    """The tables on the floor, by name."""

    tables: tuple[PitTable, ...]


def pit() -> PitTables:
    """Return all tables of the floor, each on its last gaming day, without its actions. Three queries."""
    books = rooms.books()
    installed = list(InstalledTable.objects.order_by("pit", "table"))
    latest = TableDay.objects.exclude(status="void").values("table").annotate(last=Max("id")).values("last")
    days = {row.table: row for row in TableDay.objects.filter(id__in=latest)}
    present = on_duty(list(days.values()))
    return PitTables(
        tuple(
            _unopened_table(books, installed_table, days.get(installed_table.table), present)
            for installed_table in installed
        )
    )


def pit_table(name: str) -> PitTable | None:
    """Return one table; None for a name that is not on the floor."""
    installed = InstalledTable.objects.filter(table=name).first()
    if installed is None:
        return None
    row = TableDay.objects.filter(table=name).exclude(status="void").order_by("-gaming_day").first()
    books = rooms.books()
    bare_table = _unopened_table(books, installed, row, on_duty([row]) if row else {})
    return msgspec.structs.replace(
        bare_table,
        limit=_limit(row.id) if row else None,
        papers=tuple(_papers(books, row)) if row else (),
        counts=tuple(_counts(row.id, is_recorded=_is_recorded(books, row))) if row else (),
        posts=_posts(row.id, bare_table.on_duty) if row else {},
        dos=tuple((words, tuple(dos)) for words, dos in _actions_by_heading(bare_table) if dos),
    )


def _unopened_table(books: Books, table: InstalledTable, row: TableDay | None, present: dict[str, OnDuty]) -> PitTable:
    shifts = books.counting.days.get(row.id) if row else None
    box = (shifts.box or "") if shifts else ""
    return PitTable(
        table=table.table,
        pit=table.pit,
        game=table.game,
        ruleset=row.ruleset if row else "",
        currency=row.currency if row else table.currency,
        gaming_day=row.gaming_day if row else "",
        status=row.status if row else "new",
        on_duty=present.get(row.id, OnDuty()) if row else OnDuty(),
        shift=shifts.last.name if shifts else "",
        box=box,
        is_box_old=bool(box and shifts and all(box_.name != box for box_ in shifts.last.boxes)),
    )


# --- possible actions -------------------------------------------------------------------------------------------------


def _actions_by_heading(at: PitTable) -> Iterator[tuple[str, list[DueAction]]]:
    """Yield the actions under headings, in reach of a thumb."""

    def do(label: str, kind: str, **data: Any) -> DueAction:
        return DueAction(label, "", f"tables/{at.table}", "", kind, data, f"gaming_day={at.gaming_day}")

    if at.is_open:
        for words, each in _while_open():
            yield words, [do(label, kind) for label, kind in each]
    else:
        yield _("Table"), [DueAction(_("Open table"), "", f"tables/{at.table}", "", "session.open", {})]
    if at.box:
        yield _("Drop box"), [do(_("Remove drop box"), "drop.remove", drop_box=at.box)]
    elif at.is_open:
        yield _("Drop box"), [do(_("Place drop box"), "drop.put")]


def _while_open() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return label and type of the actions at an open table."""
    chips = [
        (_("Request fill"), "fill.request"),
        (_("Request credit"), "credit.request"),
        (_("Exchange chips"), "chips.exchange"),
    ]
    counts = [
        (_("Interim count"), "table.count"),
        (_("End shift"), "shift.count"),
        (_("Roll to next gaming day"), "session.roll"),
        (_("Close table"), "session.close"),
    ]
    people = [
        (_("Assign staff"), "staff.assign"),
        (_("Relieve staff"), "staff.leave"),
        (_("Post limits"), "limits.post"),
    ]
    return [(_("Chips"), chips), (pgettext("act of counting", "Count"), counts), (_("Staff and limits"), people)]


# --- fills, credits, counts, limits -----------------------------------------------------------------------------------


def _papers(books: Books, row: TableDay) -> Iterator[TableSlip]:
    for request in books.slips.requests.values():
        if request.stream == row.id and row.status == "open":
            yield TableSlip(request.kind, 0, "", request.chips, worth(request.chips), _("requested from the cage"))
    for slip in books.slips.open.values():
        if slip.table == row.table:
            words, do = _paper(row, slip.kind, slip.number, slip.year, is_sent=slip.sent is not None)
            yield TableSlip(slip.kind, slip.number, slip.year, slip.chips, worth(slip.chips), words, do)


def _paper(row: TableDay, kind: str, number: int, year: str, *, is_sent: bool) -> tuple[str, tuple[DueAction, ...]]:
    def do(label: str, action: str) -> tuple[DueAction, ...]:
        data = {"slip": number, "year": year}
        return (DueAction(label, "", f"tables/{row.table}", "", action, data, f"gaming_day={row.gaming_day}"),)

    if kind == "fill":
        return _("in transit to the table"), do(_("Receive fill"), "fill.receive")
    if is_sent:
        return _("in transit to the cage"), ()
    return _("ready to send"), do(_("Send credit"), "credit.send")


def _is_recorded(books: Books, row: TableDay) -> bool:
    """Return whether its bets are events: a table that is only counted has no expected tray."""
    shifts = books.counting.days.get(row.id)
    return shifts is None or shifts.recorded


def _counts(stream: str, *, is_recorded: bool) -> Iterator[CountShown]:
    for row in EventLog.objects.filter(stream=stream, type__in=COUNTS).order_by("-version")[:COUNTS_SHOWN]:
        count: Any = catalogue.decode(row.type, bytes(row.raw)).data
        expected_minor = getattr(count, "expected_minor", None) if is_recorded else None
        witness = getattr(count, "witness", None)
        yield CountShown(
            kind=row.type,
            position=row.position,
            time=row.time,
            by=tuple(person for person in (row.actor, witness) if person),
            found_minor=count.amount_minor,
            difference_minor=None if expected_minor is None else count.amount_minor - expected_minor,
        )


_STAFF = (StaffAssigned.TYPE, StaffLeft.TYPE)


def _posts(stream: str, present: OnDuty) -> dict[str, str]:
    """Return the people by post, as assigned last; on a rolled day those carried over."""
    people = {
        post: person_there
        for post, person_there in (("dealer", present.dealer), ("inspector", present.inspector))
        if person_there
    }
    for row in EventLog.objects.filter(stream=stream, type__in=_STAFF).order_by("version"):
        posting: Any = catalogue.decode(row.type, bytes(row.raw)).data
        if row.type == StaffLeft.TYPE:
            people.pop(posting.post, None)
        else:
            people[posting.post] = posting.person
    return people


def _limit(stream: str) -> Limit | None:
    row = EventLog.objects.filter(stream=stream, type=LimitsPosted.TYPE).order_by("-version").first()
    if row is None:
        return None
    limits: Any = catalogue.decode(row.type, bytes(row.raw)).data
    return Limit(limits.minimum_minor, dict(limits.maxima_minor))
