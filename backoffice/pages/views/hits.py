"""A hit's explain page: how the amount arose, to be checked by hand; as PDF, and as the JSON that is hashed."""

from collections.abc import Sequence

import msgspec
from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.kit.page import Asked, File, Format, Page, everybody
from backoffice.kit.visit import Visit, sentence
from backoffice.pages.pdf.hit import hit_pdf
from backoffice.queries.hit import HitSum, Line, hit_sum
from events.errors import Refused, Unknown
from projections.progressives.models import Hit

LINES_A_PAGE = 200


class Part(msgspec.Struct, frozen=True):
    """Some of the lines, with what the meter held before them; `before` and `after` are where other parts begin."""

    lines: Sequence[Line]
    first: int
    last: int
    brought_micro: int
    carried_micro: int
    before: int | None
    after: int | None


def _show(visit: Visit) -> HttpResponse:
    """The page; `?from=N` begins with the N-th line."""
    try:
        found = _found(visit.asked)
    except Unknown as error:
        raise Http404(sentence(str(error))) from error
    except Refused as error:
        return _without_share(visit, error)
    return visit.render(sum=found, why=found.award.explanation, part=_part(found, visit.asked.text("from")))


def _pdf(asked: Asked) -> File:
    """The whole sum on paper."""
    return File(hit_pdf(_shared(asked)), "application/pdf", f"{asked.places['hit']}.pdf")


def _json(asked: Asked) -> File:
    """The JSON whose SHA-256 the page and the PDF print."""
    return File(_shared(asked).content, "application/json", f"{asked.places['hit']}.json")


def _found(asked: Asked) -> HitSum:
    """Raises Refused for a hit without a share, Unknown for no such hit of this progressive."""
    name, hit = asked.places["name"], asked.places["hit"]
    missing = Unknown(_("there is no hit %(hit)s of the progressive %(name)s") % {"hit": hit, "name": name})
    try:
        found = hit_sum(hit)
    except Unknown as error:
        raise missing from error
    if found.award.progressive != name:
        raise missing
    return found


def _shared(asked: Asked) -> HitSum:
    """Raises Unknown for one without a share, too."""
    try:
        return _found(asked)
    except Refused as error:
        raise Unknown(error.message) from error


def _without_share(visit: Visit, error: Refused) -> HttpResponse:
    name, hit = visit.place("name"), visit.place("hit")
    row = Hit.objects.filter(hit=hit, stream__endswith=f"/progressives/{name}").first()
    return visit.render("pages/hit_without.html", name=name, hit=hit, row=row, why_not=error.message)


def _part(found: HitSum, given: str) -> Part:
    first = int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else 1
    first = min(max(first, 1), max(len(found.lines), 1))
    lines = found.lines[first - 1 : first - 1 + LINES_A_PAGE]
    last = first - 1 + len(lines)
    brought = found.lines[first - 2].running_micro if first > 1 else found.opening_micro
    return Part(
        lines=lines,
        first=first,
        last=last,
        brought_micro=brought,
        carried_micro=lines[-1].running_micro if lines else brought,
        before=max(first - LINES_A_PAGE, 1) if first > 1 else None,
        after=last + 1 if last < len(found.lines) else None,
    )


HIT = Page(
    name="hit",
    path="progressives/<str:name>/hits/<str:hit>",
    title=gettext_lazy("Hit"),
    readers=everybody,
    template="pages/hit.html",
    view=_show,
    under="progressives",
    formats=(Format("pdf", _pdf), Format("json", _json)),
)
