"""A hit's explain page: how the amount arose, to be checked by hand; as PDF, and as the JSON that is hashed."""

from collections.abc import Sequence

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from backoffice.pages.pdf.hit import hit_pdf
from backoffice.pages.views.render import render
from backoffice.queries.hit import HitSum, Line, hit_sum
from backoffice.readers import reads
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


@reads("progressives")
def show(request: HttpRequest, name: str, hit: str) -> HttpResponse:
    """The page; `?from=N` begins with the N-th line."""
    try:
        found = _found(name, hit)
    except Refused as error:
        return _without_share(request, name, hit, error)
    part = _part(found, request.GET.get("from", ""))
    return render(request, "pages/hit.html", here="progressives", sum=found, why=found.award.explanation, part=part)


@reads("progressives")
def pdf(request: HttpRequest, name: str, hit: str) -> HttpResponse:
    """The whole sum on paper."""
    return _file(hit_pdf(_shared(name, hit)), "application/pdf", f"{hit}.pdf")


@reads("progressives")
def content(request: HttpRequest, name: str, hit: str) -> HttpResponse:
    """The JSON whose SHA-256 the page and the PDF print."""
    return _file(_shared(name, hit).content, "application/json", f"{hit}.json")


def _found(name: str, hit: str) -> HitSum:
    """Raises Refused for a hit without a share, Http404 for no such hit of this progressive."""
    missing = Http404(_("There is no hit %(hit)s of the progressive %(name)s.") % {"hit": hit, "name": name})
    try:
        found = hit_sum(hit)
    except Unknown as error:
        raise missing from error
    if found.award.progressive != name:
        raise missing
    return found


def _shared(name: str, hit: str) -> HitSum:
    try:
        return _found(name, hit)
    except Refused as error:
        raise Http404(error.message) from error


def _without_share(request: HttpRequest, name: str, hit: str, error: Refused) -> HttpResponse:
    row = Hit.objects.filter(hit=hit, stream__endswith=f"/progressives/{name}").first()
    template, why = "pages/hit_without.html", error.message
    return render(request, template, here="progressives", name=name, hit=hit, row=row, why_not=why)


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


def _file(content: bytes, kind: str, name: str) -> HttpResponse:
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-._") else "-" for c in name)
    headers = {"Content-Disposition": f'attachment; filename="{kept}"'}
    return HttpResponse(content, content_type=kind, headers=headers)
