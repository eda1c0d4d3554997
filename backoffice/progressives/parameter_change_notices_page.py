"""The page of notices to accounting: every change of parameters and every corrected meter, before and after."""

from collections.abc import Callable, Iterator
from datetime import datetime

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import PERSON
from backoffice.event_log.times_by_position import times_of
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.due_action_and_link_structs import DueAction, People, pairs
from backoffice.kit.page_declaration import CsvSheet, Page, PageRequest
from backoffice.people.roles_allowed_per_page import ACCOUNTING
from backoffice.wording import formats
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.runtime import clock
from projections.matters.models import ApprovalRequest, Notice
from projections.progressives.models import Progressive

SHOWN = 200
EXPORTED = 20_000
_COLUMNS = (
    "position", "time", "progressive", "level", "kind", "setting", "unit", "before", "after", "reason", "requested at",
    "requested", "agreed by", "agreed at", "told", "read by", "read at", "read",
)  # fmt: skip
CHANGES = ("parameters.change", "meter.adjust")


class ParameterChange(msgspec.Struct, frozen=True):
    """Change of a setting: its name in words, unit ("minor", "micro", "rate"), before and after (None: none)."""

    name: str
    label: str
    unit: str
    before: int | None
    after: int | None

    def words(self, currency: str) -> str:
        """ "rate: 10 % to 9 %"."""
        values = {"before": self.written(self.before, currency), "after": self.written(self.after, currency)}
        return _("%(label)s: %(before)s to %(after)s") % {"label": self.label, **values}

    def written(self, value: int | None, currency: str) -> str:
        """Return a value by its unit: a rate in percent, an amount in whole units of the currency, a word for no
        cap.
        """
        if value is None:
            return _("no cap")
        written = {"rate": lambda: formats.percent(value), "micro": lambda: formats.micro(value, currency)}
        return written.get(self.unit, lambda: formats.money(value, currency))()


class NoticeShown(msgspec.Struct, frozen=True):
    """A notice: the requester and approvers, the position from which the change applies, and the accountants who know
    of it."""

    progressive: str
    currency: str
    level: str
    kind: str
    position: int
    time: datetime | None
    version: int | None
    changes: tuple[ParameterChange, ...]
    reason: str
    people: People
    requested_at: int | None
    requested: datetime | None
    agreed_at: tuple[tuple[int, datetime | None], ...]
    accounting_person: str
    read_by: str
    read_at: int | None
    read: datetime | None

    @property
    def is_open(self) -> bool:
        """Return whether accounting has neither approved nor read it."""
        return not self.accounting_person and self.read_at is None

    @property
    def do(self) -> DueAction:
        """Return the action by which accounting marks it as read."""
        return DueAction(
            label=_("Confirm notice"),
            who=_("count room or accountant"),
            to=f"progressives/{self.progressive}",
            key=f"read:{self.progressive}:{self.position}",
            type="notice.acknowledge",
            data={"change": self.position},
        )


class ComingChange(msgspec.Struct, frozen=True):
    """A requested change without a decision: notice before it is made."""

    progressive: str
    currency: str
    request: str
    action: str
    level: str
    reason: str
    changes: tuple[ParameterChange, ...]  # without a value before: its present value is not known yet
    people: People
    position: int
    time: datetime | None


class NoticeList(msgspec.Struct, frozen=True):
    """All notices, newest first, and the requested changes."""

    notices: tuple[NoticeShown, ...]
    coming: tuple[ComingChange, ...]
    unread: int
    names: tuple[str, ...]


_LABELS: dict[str, tuple[Callable[[], str], str]] = {
    "seed_minor": (lambda: _("seed"), "minor"),
    "cap_minor": (lambda: _("cap"), "minor"),
    "feed_millionths": (lambda: _("contribution rate"), "rate"),
    "reserve_millionths": (lambda: _("reserve rate"), "rate"),
    "withhold_millionths": (lambda: _("house fee"), "rate"),
    "meter_micro": (lambda: _("meter"), "micro"),
    "amount_minor": (lambda: _("meter by"), "minor"),
}


def notices(progressive: str = "", at_most: int = SHOWN) -> NoticeList:
    """Return the notices of one progressive, or of all. Six queries."""
    rows = {row.id: row for row in Progressive.objects.order_by("progressive")}
    streams = [row.id for row in rows.values() if progressive in ("", row.progressive)]
    notice_rows = list(Notice.objects.filter(stream__in=streams).order_by("-position")[:at_most])
    unread_count = Notice.objects.filter(stream__in=streams, accounting_person="", read_at=None).count()
    requests = {
        (row.stream, row.request): row
        for row in ApprovalRequest.objects.filter(id__in={f"{row.stream}/{row.request}" for row in notice_rows})
    }
    waiting_rows = [
        row
        for row in ApprovalRequest.objects.filter(stream__in=streams, decided_at=None, action__in=CHANGES).order_by(
            "-position"
        )
        if not row.until or datetime.fromisoformat(row.until) > clock.moment()
    ]
    positions = [row.position for row in notice_rows] + [row.read_at or 0 for row in notice_rows]
    positions += [row.position for row in (*waiting_rows, *requests.values())]
    positions += [at for row in requests.values() for at in msgspec.json.decode(row.spoken_at)]
    times = times_of(positions)
    return NoticeList(
        notices=tuple(
            _notice_shown(rows[row.stream], row, requests.get((row.stream, row.request)), times) for row in notice_rows
        ),
        coming=tuple(_coming_change(rows[row.stream], row, times) for row in waiting_rows),
        unread=unread_count,
        names=tuple(row.progressive for row in rows.values()),
    )


def _notice_shown(
    of: Progressive, row: Notice, request: ApprovalRequest | None, times: dict[int, datetime]
) -> NoticeShown:
    spoken = msgspec.json.decode(request.spoken_at, type=list[int]) if request else []
    return struct_from(
        row,
        NoticeShown,
        progressive=of.progressive,
        currency=of.currency,
        time=times.get(row.position),
        changes=changes(row),
        people=pairs(row.people),
        requested_at=request.position if request else None,
        requested=times.get(request.position) if request else None,
        agreed_at=tuple((at, times.get(at)) for at in spoken),
        read=times.get(row.read_at or 0),
    )


def changes(row: Notice) -> tuple[ParameterChange, ...]:
    """Return the changes, in the order of the settings."""
    changed = msgspec.json.decode(row.changes, type=list[tuple[str, int | None, int | None]])
    return tuple(ParameterChange(name, *_label(name), old, new) for name, old, new in changed)


def _label(name: str) -> tuple[str, str]:
    label, unit = _LABELS[name]
    return label(), unit


def _coming_change(of: Progressive, row: ApprovalRequest, times: dict[int, datetime]) -> ComingChange:
    data = msgspec.json.decode(row.input)
    return ComingChange(
        progressive=of.progressive,
        currency=of.currency,
        request=row.request,
        action=row.action,
        level=str(data.get("level", "")),
        reason=str(data.get("reason", "")),
        changes=tuple(ParameterChange(name, *_label(name), None, data[name]) for name in _LABELS if name in data),
        people=pairs(row.people),
        position=row.position,
        time=times.get(row.position),
    )


def _notices(request: PageRequest) -> NoticeList:
    """The notices of all progressives, or of `?progressive=`."""
    return notices(request.text("progressive"), SHOWN if request.drawn else EXPORTED)


def _sheet(request: PageRequest, notices: NoticeList) -> CsvSheet:
    """Return a line for each changed setting, the first change first."""
    return CsvSheet(
        title=gettext_lazy("Changes of parameters and corrected meters"),
        of=("progressive", request.text("progressive") or "all"),
        columns=_COLUMNS,
        lines=(line for notice in reversed(notices.notices) for line in _notice_rows(notice)),
        note=("unread", notices.unread),
    )


def _notice_rows(notice: NoticeShown) -> Iterator[tuple[object, ...]]:
    agreed = "; ".join(f"{person} ({roles})" for person, roles in notice.people)
    when = "; ".join(str(at) for at, _time in notice.agreed_at)
    for change in notice.changes:
        yield (
            notice.position, notice.time, notice.progressive, notice.level, notice.kind, change.name, change.unit,
            change.before, change.after, notice.reason, notice.requested_at, notice.requested, agreed, when,
            notice.accounting_person, notice.read_by, notice.read_at, notice.read,
        )  # fmt: skip


NOTICES = Page(
    name="notices",
    path="notices",
    title=gettext_lazy("Notices to accounting"),
    open_to=ACCOUNTING,
    template="pages/notices.html",
    query=_notices,
    shown_as="notices",
    add_context=lambda visit, _notices: {"name": visit.page_request.text("progressive")},
    under="progressives",
    looks=AccessLogRule(PERSON),
    sheet=_sheet,
)
