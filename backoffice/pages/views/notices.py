"""What accounting is told: as a page, and as a sheet."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy as _

from backoffice.access.looks import PERSON
from backoffice.kit.looking import Looks
from backoffice.kit.page import Asked, Page, Sheet
from backoffice.kit.visit import Visit
from backoffice.people.open_to import ACCOUNTING
from backoffice.queries.notices import EXPORTED, SHOWN, Notices, Told, notices


def _notices(asked: Asked) -> Notices:
    """The notices of all progressives, or of `?progressive=`."""
    return notices(asked.text("progressive"), SHOWN if asked.drawn else EXPORTED)


def _with_name(visit: Visit, found: Notices) -> dict[str, Any]:
    return {"name": visit.asked.text("progressive")}


_COLUMNS = (
    "position", "time", "progressive", "level", "kind", "setting", "unit", "before", "after", "reason", "requested at",
    "requested", "agreed by", "agreed at", "told", "read by", "read at", "read",
)  # fmt: skip


def _sheet(asked: Asked, found: Notices) -> Sheet:
    """One line a changed setting, the first change first."""
    return Sheet(
        title=_("Notices to accounting: changes of parameters and corrected meters"),
        of=("progressive", asked.text("progressive") or "all"),
        columns=_COLUMNS,
        lines=(line for one in reversed(found.told) for line in _lines(one)),
        beside=("unread", found.unread),
    )


def _lines(one: Told) -> Iterator[tuple[object, ...]]:
    agreed = "; ".join(f"{person} ({roles})" for person, roles in one.people)
    when = "; ".join(str(at) for at, _time in one.agreed_at)
    for change in one.changes:
        yield (
            one.position, one.time, one.progressive, one.level, one.kind, change.name, change.unit, change.before,
            change.after, one.reason, one.requested_at, one.requested, agreed, when, one.told, one.read_by,
            one.read_at, one.read,
        )  # fmt: skip


NOTICES = Page(
    name="notices",
    path="notices",
    title=_("Notices to accounting"),
    open_to=ACCOUNTING,
    template="pages/notices.html",
    query=_notices,
    shown_as="notices",
    beside=_with_name,
    under="progressives",
    looks=Looks(PERSON),
    sheet=_sheet,
)
