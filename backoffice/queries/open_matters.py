"""How many open matters each progressive has: a handful of queries for all of them together."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events import clock
from events.progressives.readings import READ_EVERY, TEST_EVERY
from projections.eventlog.models import EventLog
from projections.matters.models import ApprovalRequest, LevelWait, Misfit, MissedHit, Notice, Reading, Variance
from projections.progressives.models import ArmedRound, Hit, Lock, Progressive, ProgressiveLevel

State = Literal["green", "amber", "red"]
MISFITS_COUNT = timedelta(days=7)  # no event clears a misfit: so long it counts as open
UNSETTLED = ("pending", "locked", "authorised")


class Kind(msgspec.Struct, frozen=True):
    """One kind of matter: `name` is its place on the page."""

    name: str
    label: str
    count: int
    state: State


class Counts(msgspec.Struct, frozen=True):
    """What is open, by kind, with the worst of their states and words for it."""

    kinds: tuple[Kind, ...]

    @property
    def total(self) -> int:
        """All open matters."""
        return sum(kind.count for kind in self.kinds)

    @property
    def open(self) -> tuple[Kind, ...]:
        """The kinds that have any."""
        return tuple(kind for kind in self.kinds if kind.count)

    @property
    def state(self) -> State:
        """Red where something is wrong, amber where somebody is waited for, else green."""
        states = {kind.state for kind in self.open}
        return "red" if "red" in states else "amber" if states else "green"

    @property
    def words(self) -> str:
        """ "4 open matters", or that there is none."""
        n = self.total
        return ngettext("%d open matter", "%d open matters", n) % n if n else _("nothing open")

    @property
    def reason(self) -> str:
        """Which, in words."""
        return ", ".join(f"{kind.count} {kind.label}" for kind in self.open) or _("nobody has to do anything here")


class Due(msgspec.Struct, frozen=True):
    """A reading or an increment test that accounting has to do; `last` is when it was done last."""

    level: str
    kind: str
    last: datetime | None


class AtStake(msgspec.Struct, frozen=True):
    """A share that a player does not have yet, because nobody declared his hit: what its level showed or shows."""

    hit: str
    level: str
    amount_minor: int | None


class Open(msgspec.Struct):
    """The rows behind the open matters of one progressive."""

    progressive: Progressive
    requests: list[ApprovalRequest] = []
    asked_of: dict[str, Hit] = {}  # hits that requests name, by hit
    variances: list[Variance] = []
    waits: list[LevelWait] = []
    missed: list[MissedHit] = []
    late_hits: set[tuple[str, int, int]] = set()  # that stand, of those that tables were asked for
    dealers: dict[tuple[str, int], str] = {}  # of their rounds
    shown: dict[str, int] = {}  # by level, what the display shows now
    misfits: list[Misfit] = []
    hits: list[Hit] = []
    locks: dict[str, Lock] = {}  # of those hits, by hit
    notices: list[Notice] = []
    due: list[Due] = []

    @property
    def unpaid(self) -> list[Hit]:
        """Locked or authorised, and not paid."""
        return [hit for hit in self.hits if hit.status in ("locked", "authorised")]

    @property
    def waiting(self) -> list[ApprovalRequest]:
        """Requests that somebody can still agree to."""
        return [row for row in self.requests if not self.overtaken(row)]

    @property
    def late_requests(self) -> list[ApprovalRequest]:
        """Late hits that somebody asked for at a table and another person must agree to."""
        return [row for row in self.waiting if row.session]

    @property
    def at_stake(self) -> list[AtStake]:
        """What hangs on hits that nobody declared, and on late ones that nobody has agreed to."""
        missed = [AtStake(_("undeclared"), row.level, row.shown_minor) for row in self.missed]
        asked = [msgspec.json.decode(row.input) for row in self.late_requests]
        wanted = [AtStake(_("late hit to approve"), one["level"], self.shown.get(one["level"])) for one in asked]
        return [*missed, *wanted]

    def overtaken(self, row: ApprovalRequest) -> str:
        """Why what is asked cannot be any more; "" while it can. Whoever agrees, it is judged again."""
        if row.until and datetime.fromisoformat(row.until) <= clock.moment():
            return _("it has lapsed")
        data = msgspec.json.decode(row.input)
        if row.action == "progressive.open":
            return _("it is open")
        if row.action == "variance.close":
            open_cases = {variance.case for variance in self.variances}
            return "" if data.get("case") in open_cases else _("the case is closed")
        if row.session:
            is_there = (row.session, data.get("round"), data.get("box")) in self.late_hits
            return _("the hit is declared") if is_there else ""
        if row.action not in ("hit.authorise", "hit.void"):
            return ""
        hit = self.asked_of.get(data.get("hit", ""))
        if hit is None:
            return _("there is no such hit")
        if row.action == "hit.void":
            return _("the hit is %s") % hit.status if hit.status in ("void", "paid") else ""
        if hit.status != "locked":
            return _("the hit is %s") % hit.status
        return "" if hit.share_minor == data.get("amount_minor") else _("the share is another now")

    def counts(self) -> Counts:
        """How many of each kind."""
        return Counts(
            (
                Kind("approvals", _("to approve"), len(self.waiting), "red" if self.late_requests else "amber"),
                Kind("missed", _kind("undeclared hit", "undeclared hits", self.missed), len(self.missed), "red"),
                Kind("variances", _kind("variance", "variances", self.variances), len(self.variances), "red"),
                Kind("levels", _kind("level waiting", "levels waiting", self.waits), len(self.waits), "red"),
                Kind("misfits", _("did not fit"), len(self.misfits), "red"),
                Kind("locks", _kind("share to pay", "shares to pay", self.unpaid), len(self.unpaid), "amber"),
                Kind("readings", _kind("reading due", "readings due", self.due), len(self.due), "amber"),
                Kind("notices", _kind("notice unread", "notices unread", self.notices), len(self.notices), "amber"),
            )
        )


def _kind(one: str, many: str, rows: Sequence[object]) -> str:
    return ngettext(one, many, len(rows))


def open_matters(rows: Collection[Progressive]) -> dict[str, Open]:
    """What is open at these progressives, by stream. Fifteen queries at most, however many there are."""
    found = {row.id: Open(row) for row in rows}
    for request in _of(ApprovalRequest, found, decided_at=None):
        found[request.stream].requests.append(request)
    for variance in _of(Variance, found, closed_at=None):
        found[variance.stream].variances.append(variance)
    for wait in _of(LevelWait, found, cleared_at=None):
        found[wait.stream].waits.append(wait)
    for notice in _of(Notice, found, told="", read_at=None):
        found[notice.stream].notices.append(notice)
    since = EventLog.objects.filter(time__gt=clock.moment() - MISFITS_COUNT).order_by("time", "position")
    first = since.values_list("position", flat=True).first()
    if first is not None:
        for misfit in _of(Misfit, found, position__gte=first):
            found[misfit.stream].misfits.append(misfit)
    for missed in _of(MissedHit, found, cleared_at=None):
        found[missed.stream].missed.append(missed)
    _add_hits(found)
    _add_late(found)
    _add_due(found)
    return found


def _of(model: Any, streams: Collection[str], **wanted: object) -> Iterator[Any]:
    return iter(model.objects.filter(stream__in=list(streams), **wanted).order_by("stream", "position"))


def _add_hits(found: dict[str, Open]) -> None:
    """Hits that are not settled with their locks, and those that requests name."""
    for hit in _of(Hit, found, status__in=UNSETTLED):
        found[hit.stream].hits.append(hit)
    named = {
        f"{row.stream}/{name}"
        for one in found.values()
        for row in one.requests
        if (name := msgspec.json.decode(row.input).get("hit"))
    }
    for hit in Hit.objects.filter(id__in=named):
        found[hit.stream].asked_of[hit.hit] = hit
    unpaid = [hit.position for one in found.values() for hit in one.unpaid]
    locks = Lock.objects.filter(stream__in=list(found), is_standing=True, as_of__gte=min(unpaid, default=2**62))
    for lock in locks.order_by("as_of"):
        for name in msgspec.json.decode(lock.hits):
            found[lock.stream].locks[name] = lock


def _add_late(found: dict[str, Open]) -> None:
    """What requests for late hits are judged by: hits that stand there by now, the rounds' dealers, the meters."""
    asked = [(row, msgspec.json.decode(row.input)) for one in found.values() for row in one.requests if row.session]
    if not asked:
        return
    sessions, numbers = {row.session for row, _input in asked}, {data.get("round") for _row, data in asked}
    standing = Hit.objects.filter(session__in=sessions, round__in=numbers).exclude(status__in=("void", "refused"))
    for hit in standing:
        found[hit.stream].late_hits.add((hit.session, hit.round, hit.box))
    for armed in ArmedRound.objects.filter(id__in={f"{row.session}#{data.get('round')}" for row, data in asked}):
        found[armed.stream].dealers[armed.session, armed.round] = armed.dealer
    for level in ProgressiveLevel.objects.filter(stream__in=list(found)):
        found[level.stream].shown[level.level] = level.shown_minor


def _add_due(found: dict[str, Open]) -> None:
    """Weekly readings and quarterly tests (SD 24.02); what was never done is due from the opening on."""
    last = Reading.objects.filter(stream__in=list(found)).values_list("stream", "level", "kind")
    done = {(stream, level, kind): at for stream, level, kind, at in last.annotate(at=Max("position"))}
    times = times_of([*done.values(), *(one.progressive.position for one in found.values())])
    levels: dict[str, list[str]] = defaultdict(list)
    for stream, level in ProgressiveLevel.objects.order_by("stream", "rank").values_list("stream", "level"):
        levels[stream].append(level)
    today = clock.moment()
    for stream, one in found.items():
        opened = times.get(one.progressive.position, today)
        for level in levels[stream]:
            for kind, every in (("reading", READ_EVERY), ("test", TEST_EVERY)):
                at = times.get(done.get((stream, level, kind), 0))
                if today - (at or opened) > every:
                    one.due.append(Due(level, kind, at))


def times_of(positions: Collection[int]) -> dict[int, datetime]:
    """When these events happened. One query."""
    return dict(EventLog.objects.filter(position__in=set(positions)).values_list("position", "time"))
