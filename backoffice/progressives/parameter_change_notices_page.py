"""Notices to accounting: as a page, and as CSV."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from backoffice.access.personal_data_access_log import PERSON
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import CsvSheet, Page, PageRequest
from backoffice.people.roles_allowed_per_page import ACCOUNTING
from backoffice.progressives.parameter_change_notice_rows import EXPORTED, SHOWN, Notices, NoticeShown, notices


def _notices(request: PageRequest) -> Notices:
    """The notices of all progressives, or of `?progressive=`."""
    return notices(request.text("progressive"), SHOWN if request.drawn else EXPORTED)


_COLUMNS = (
    "position", "time", "progressive", "level", "kind", "setting", "unit", "before", "after", "reason", "requested at",
    "requested", "agreed by", "agreed at", "told", "read by", "read at", "read",
)  # fmt: skip


def _sheet(request: PageRequest, notices: Notices) -> CsvSheet:
    """Return a line for each changed setting, the first change first."""
    return CsvSheet(
        title=_("Changes of parameters and corrected meters"),
        of=("progressive", request.text("progressive") or "all"),
        columns=_COLUMNS,
        lines=(line for notice in reversed(notices.notices) for line in _lines(notice)),
        note=("unread", notices.unread),
    )


def _lines(notice: NoticeShown) -> Iterator[tuple[object, ...]]:
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
    title=_("Notices to accounting"),
    open_to=ACCOUNTING,
    template="pages/notices.html",
    query=_notices,
    shown_as="notices",
    add_context=lambda visit, _notices: {"name": visit.page_request.text("progressive")},
    under="progressives",
    looks=AccessLogRule(PERSON),
    sheet=_sheet,
)
