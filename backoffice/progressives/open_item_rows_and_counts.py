"""Counts of open items by progressive: a handful of queries for all of them together."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from backoffice.event_log.times_by_position import times_of
from events.progressives.sign_readings_and_variance_cases import READ_EVERY, TEST_EVERY
from events.runtime import clock
from projections.combined_query import read_together
from projections.eventlog.models import EventLog
from projections.matters.models import ApprovalRequest, LevelWait, Misfit, MissedHit, Notice, Reading, Variance
from projections.progressives.models import ArmedRound, Hit, Lock, Progressive, ProgressiveLevel

State = Literal["green", "amber", "red"]
MISFITS_COUNT = timedelta(days=7)  # no event clears a misfit: so long it counts as open
UNSETTLED = ("pending", "locked", "authorised")


class Kind(msgspec.Struct, frozen=True):
    """Kind of matter; `name` is its place on the page."""

    name: str
    label: str
    count: int
    state: State


class Counts(msgspec.Struct, frozen=True):
    """Open items by kind, with the worst of their states and words for it."""

    kinds: tuple[Kind, ...]

    @property
    def total(self) -> int:
        """All open items."""
        return sum(kind.count for kind in self.kinds)

    @property
    def open(self) -> tuple[Kind, ...]:
        """The kinds that have any."""
        return tuple(kind for kind in self.kinds if kind.count)

    @property
    def state(self) -> State:
        """Red where something is wrong, amber where a person is waited for, else green."""
        states = {kind.state for kind in self.open}
        return "red" if "red" in states else "amber" if states else "green"

    @property
    def words(self) -> str:
        """Return "4 open items", or the words for no open item."""
        n = self.total
        return ngettext("%d open item", "%d open items", n) % n if n else _("No open items for staff")

    @property
    def reason(self) -> str:
        """Return the open kinds, in words."""
        return ", ".join(f"{kind.count} {kind.label}" for kind in self.open) or _("nothing to do")


class DueReading(msgspec.Struct, frozen=True):
    """A reading or an increment test that accounting has to do; `last` is when it was done last."""

    level: str
    kind: str
    last: datetime | None


class AtStake(msgspec.Struct, frozen=True):
    """A share that a player does not have yet, since the hit is not declared: the past or present display of its
    level.
    """

    hit: str
    level: str
    amount_minor: int | None


class OpenMatters(msgspec.Struct):
    """The rows behind the open items of one progressive."""

    progressive: Progressive
    requests: list[ApprovalRequest] = []
    requested_hits: dict[str, Hit] = {}  # hits that requests name, by hit
    variances: list[Variance] = []
    waits: list[LevelWait] = []
    missed: list[MissedHit] = []
    late_hits: set[tuple[str, int, int]] = set()  # valid ones, of those that tables were asked for
    dealers: dict[tuple[str, int], str] = {}  # of their rounds
    shown: dict[str, int] = {}  # by level, the present display
    misfits: list[Misfit] = []
    hits: list[Hit] = []
    locks: dict[str, Lock] = {}  # of those hits, by hit
    notices: list[Notice] = []
    due: list[DueReading] = []

    @property
    def unpaid(self) -> list[Hit]:
        """Locked or authorised, and not paid."""
        return [hit for hit in self.hits if hit.status in ("locked", "authorised")]

    @property
    def waiting(self) -> list[ApprovalRequest]:
        """Requests that a person can still agree to."""
        return [row for row in self.requests if not self.overtaken(row)]

    @property
    def late_requests(self) -> list[ApprovalRequest]:
        """Late hits that a person asked for at a table and another person must agree to."""
        return [row for row in self.waiting if row.session]

    @property
    def at_stake(self) -> list[AtStake]:
        """Return the amounts at stake: undeclared hits, and late hits that wait for approval."""
        missed = [AtStake(_("undeclared"), row.level, row.shown_minor) for row in self.missed]
        late_inputs = [msgspec.json.decode(row.input) for row in self.late_requests]
        wanted = [
            AtStake(_("late hit to approve"), late_input["level"], self.shown.get(late_input["level"]))
            for late_input in late_inputs
        ]
        return [*missed, *wanted]

    def overtaken(self, row: ApprovalRequest) -> str:
        """Return why a request has become impossible; "" while it is possible. It is judged again at its approval."""
        if row.until and datetime.fromisoformat(row.until) <= clock.moment():
            return _("the request has expired")
        data = msgspec.json.decode(row.input)
        if row.action == "progressive.open":
            return _("the progressive is already open")
        if row.action == "variance.close":
            open_cases = {variance.case for variance in self.variances}
            return "" if data.get("case") in open_cases else _("the case is closed")
        if row.session:
            is_there = (row.session, data.get("round"), data.get("box")) in self.late_hits
            return _("the hit is already declared") if is_there else ""
        if row.action not in ("hit.authorise", "hit.void"):
            return ""
        hit = self.requested_hits.get(data.get("hit", ""))
        if hit is None:
            return _("the hit does not exist")
        if row.action == "hit.void":
            return _("the hit is %s") % hit.status if hit.status in ("void", "paid") else ""
        if hit.status != "locked":
            return _("the hit is %s") % hit.status
        return "" if hit.share_minor == data.get("amount_minor") else _("the share has changed")

    def counts(self) -> Counts:
        """Return the number of open items of each kind."""
        missed, variances, waits = len(self.missed), len(self.variances), len(self.waits)
        unpaid_count, due, notices = len(self.unpaid), len(self.due), len(self.notices)
        return Counts(
            (
                Kind("approvals", _("to approve"), len(self.waiting), "red" if self.late_requests else "amber"),
                Kind("missed", ngettext("undeclared hit", "undeclared hits", missed), missed, "red"),
                Kind("variances", ngettext("variance", "variances", variances), variances, "red"),
                Kind("levels", ngettext("level waiting", "levels waiting", waits), waits, "red"),
                Kind("misfits", _("rejected"), len(self.misfits), "red"),
                Kind("locks", ngettext("share to pay", "shares to pay", unpaid_count), unpaid_count, "amber"),
                Kind("readings", ngettext("reading due", "readings due", due), due, "amber"),
                Kind("notices", ngettext("notice unread", "notices unread", notices), notices, "amber"),
            )
        )


def open_matters(rows: Collection[Progressive]) -> dict[str, OpenMatters]:
    """Return the open items of these progressives, by stream. Three queries at most."""
    by_stream = {row.id: OpenMatters(row) for row in rows}
    read = _OpenRows(*read_together(*_queries(list(by_stream))))
    _enter(by_stream, read)
    _add_locks(by_stream, read.locks)
    _add_requests(by_stream, read.levels)
    _add_due(by_stream, read.levels, read.readings)
    return by_stream


class _OpenRows(msgspec.Struct):
    """Rows read in one query."""

    requests: list[ApprovalRequest]
    variances: list[Variance]
    waits: list[LevelWait]
    notices: list[Notice]
    missed: list[MissedHit]
    misfits: list[Misfit]
    hits: list[Hit]
    locks: list[Lock]
    levels: list[ProgressiveLevel]
    readings: list[Reading]


def _queries(streams: list[str]) -> list[QuerySet[Any]]:
    """Return the queries in the order of `_OpenRows`."""
    since = EventLog.objects.filter(time__gt=clock.moment() - MISFITS_COUNT).order_by("time", "position")
    unpaid_hits = Hit.objects.filter(stream=OuterRef("stream"), status__in=("locked", "authorised")).order_by(
        "position"
    )
    later = Reading.objects.filter(stream=OuterRef("stream"), level=OuterRef("level"), kind=OuterRef("kind"))
    standing_locks = Lock.objects.filter(stream__in=streams, is_standing=True)
    return [
        _rows_of(ApprovalRequest, streams, decided_at=None),
        _rows_of(Variance, streams, closed_at=None),
        _rows_of(LevelWait, streams, cleared_at=None),
        _rows_of(Notice, streams, accounting_person="", read_at=None),
        _rows_of(MissedHit, streams, cleared_at=None),
        _rows_of(Misfit, streams, position__gte=Subquery(since.values("position")[:1])),
        _rows_of(Hit, streams, status__in=UNSETTLED),
        standing_locks.filter(as_of__gte=Subquery(unpaid_hits.values("position")[:1])).order_by("as_of"),
        ProgressiveLevel.objects.filter(stream__in=streams).order_by("stream", "rank"),
        _rows_of(Reading, streams).exclude(Exists(later.filter(position__gt=OuterRef("position")))),
    ]


def _rows_of(model: Any, streams: Collection[str], **wanted: object) -> QuerySet[Any]:
    rows: QuerySet[Any] = model.objects.filter(stream__in=streams, **wanted).order_by("stream", "position")
    return rows


def _enter(by_stream: dict[str, OpenMatters], read: _OpenRows) -> None:
    """Add each row to its progressive."""
    for name in ("requests", "variances", "waits", "notices", "missed", "misfits", "hits"):
        for row in getattr(read, name):
            getattr(by_stream[row.stream], name).append(row)


def _add_locks(by_stream: dict[str, OpenMatters], locks: list[Lock]) -> None:
    for lock in locks:
        for name in msgspec.json.decode(lock.hits):
            by_stream[lock.stream].locks[name] = lock


def _add_requests(by_stream: dict[str, OpenMatters], levels: list[ProgressiveLevel]) -> None:
    """Add the facts that requests are judged by: named hits, standing hits of late ones, and dealers."""
    requests = [(row, msgspec.json.decode(row.input)) for open_ in by_stream.values() for row in open_.requests]
    late_requests = [(row, data) for row, data in requests if row.session]
    sessions = {row.session for row, _input in late_requests}
    numbers = {data.get("round") for _row, data in late_requests}
    named, standing_hits, rounds = read_together(
        Hit.objects.filter(id__in={f"{row.stream}/{data['hit']}" for row, data in requests if data.get("hit")}),
        Hit.objects.filter(session__in=sessions, round__in=numbers).exclude(status__in=("void", "refused")),
        ArmedRound.objects.filter(id__in={f"{row.session}#{data.get('round')}" for row, data in late_requests}),
    )
    for hit in named:
        by_stream[hit.stream].requested_hits[hit.hit] = hit
    for hit in standing_hits:
        by_stream[hit.stream].late_hits.add((hit.session, hit.round, hit.box))
    for armed in rounds:
        by_stream[armed.stream].dealers[armed.session, armed.round] = armed.dealer
    for level in levels:
        by_stream[level.stream].shown[level.level] = level.shown_minor


def _add_due(by_stream: dict[str, OpenMatters], levels: list[ProgressiveLevel], readings: list[Reading]) -> None:
    """Add due weekly readings and quarterly tests (SD 24.02); those never done count from the opening."""
    done = {(row.stream, row.level, row.kind): row.position for row in readings}
    times = times_of([*done.values(), *(open_.progressive.position for open_ in by_stream.values())])
    today = clock.moment()
    for level in levels:
        open_ = by_stream[level.stream]
        opened = times.get(open_.progressive.position, today)
        for kind, every in (("reading", READ_EVERY), ("test", TEST_EVERY)):
            at = times.get(done.get((level.stream, level.level, kind), 0))
            if today - (at or opened) > every:
                open_.due.append(DueReading(level.level, kind, at))


def address(now: OpenMatters) -> str:
    return f"progressives/{now.progressive.progressive}"
