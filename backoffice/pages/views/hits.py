"""A hit's explain page: how the amount arose, to be checked by hand; as PDF, and as the JSON that is hashed."""

from collections.abc import Sequence

import msgspec
from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.access.given import OF_A_HIT, Paper, copies
from backoffice.access.looks import PERSON
from backoffice.kit.acts import may_send
from backoffice.kit.looking import Looks
from backoffice.kit.page import Asked, File, Format, Page
from backoffice.kit.visit import Visit, sentence
from backoffice.pages.pdf.hit import hit_pdf
from backoffice.pages.pdf.paper import Printed
from backoffice.people.directory import names_for
from backoffice.people.open_to import PROGRESSIVES
from backoffice.queries import about
from backoffice.queries.hit import Fold, HitSum, Line, folds, hit_sum
from backoffice.queries.matters.doing import Do
from events import clock
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

    @property
    def folds(self) -> list[Fold]:
        """These lines by the table that fed; corrections by themselves."""
        return folds(self.lines)


def _show(visit: Visit) -> HttpResponse:
    """The page; `?from=N` begins with the N-th line."""
    try:
        found = _found(visit.asked)
    except Unknown as error:
        raise Http404(sentence(str(error))) from error
    except Refused as error:
        return _without_share(visit, error)
    part = _part(found, visit.asked.text("from"))
    return visit.render(sum=found, why=found.award.explanation, part=part, dos=_dos(visit))


def _dos(visit: Visit) -> list[Do]:
    """What whoever looks at it may do about it."""
    found = about.hit(visit.place("name"), visit.place("hit"), visit.reader.person, visit.reader.roles)
    return [one for one in found if may_send(visit.reader, one.kind, one.type)]


def _pdf(asked: Asked) -> File:
    """The whole sum on paper."""
    found, reader = _shared(asked), asked.reader
    listed = _paper("on paper", found)
    copy = copies(listed.kind, listed.about) + 1
    content = hit_pdf(found, Printed(reader.person, clock.moment(), names_for(reader), copy))
    return File(content, "application/pdf", f"{asked.places['hit']}.pdf", listed)


def _json(asked: Asked) -> File:
    """The JSON whose SHA-256 the page and the PDF print."""
    found = _shared(asked)
    return File(found.content, "application/json", f"{asked.places['hit']}.json", _paper("as JSON", found))


def _paper(form: str, found: HitSum) -> Paper:
    return Paper(f"{OF_A_HIT}{form}", found.award.explanation.hit, found.position, found.digest)


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
    return visit.render("pages/hit_without.html", name=name, hit=hit, row=row, why_not=error.message, dos=_dos(visit))


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
    open_to=PROGRESSIVES,
    template="pages/hit.html",
    view=_show,
    under="progressives",
    looks=Looks(PERSON),
    formats=(Format("pdf", _pdf, is_kept=False), Format("json", _json, is_kept=False)),
)
