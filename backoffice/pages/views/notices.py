"""What accounting is told: as a page, and as a sheet."""

import csv
import hashlib
import io
from collections.abc import Iterator
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from backoffice.pages.views.render import render
from backoffice.queries.freshness import freshness
from backoffice.queries.notices import EXPORTED, Notices, Told, notices
from backoffice.readers import reads
from backoffice.version import version
from events import clock

NAME_MAX = 120


@reads("progressives")
def index(request: HttpRequest) -> HttpResponse:
    """The notices of all progressives, or of `?progressive=`."""
    name = request.GET.get("progressive", "")[:NAME_MAX]
    base = request.build_absolute_uri("/")
    return render(request, "pages/notices.html", here="progressives", notices=notices(name), name=name, base=base)


@reads("progressives")
def export(request: HttpRequest) -> HttpResponse:
    """The same as CSV: a title, what it is of, one line a changed setting, and the SHA-256 of all that."""
    name = request.GET.get("progressive", "")[:NAME_MAX]
    sheet = _sheet(notices(name, EXPORTED), name)
    digest = hashlib.sha256(sheet.encode()).hexdigest()
    response = HttpResponse(f"{sheet}SHA-256 of the lines above,{digest}\r\n", content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="pitledger-notices.csv"'
    return response


_COLUMNS = (
    "position", "time", "progressive", "level", "kind", "setting", "unit", "before", "after", "reason", "requested at",
    "requested", "agreed by", "agreed at", "told", "read by", "read at", "read",
)  # fmt: skip


def _sheet(found: Notices, name: str) -> str:
    text = io.StringIO()
    write = csv.writer(text).writerow
    write([_("Notices to accounting: changes of parameters and corrected meters")])
    write(["progressive", name or "all"])
    write(["software", f"Pitledger {version()}", "as of event", freshness().position])
    write(["made", clock.moment().isoformat(timespec="seconds"), "unread", found.unread])
    write(_COLUMNS)
    for one in reversed(found.told):
        for line in _lines(one):
            write([_plain(value) for value in line])
    return text.getvalue()


def _lines(one: Told) -> Iterator[tuple[object, ...]]:
    agreed = "; ".join(f"{person} ({roles})" for person, roles in one.people)
    when = "; ".join(str(at) for at, _time in one.agreed_at)
    for change in one.changes:
        yield (
            one.position, one.time, one.progressive, one.level, one.kind, change.name, change.unit, change.before,
            change.after, one.reason, one.requested_at, one.requested, agreed, when, one.told, one.read_by,
            one.read_at, one.read,
        )  # fmt: skip


def _plain(value: object) -> object:
    """A cell: times in UTC, nothing for None; text that a spreadsheet would take for a formula is quoted."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="seconds")
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@"):
        return f"'{value}"
    return "" if value is None else value
