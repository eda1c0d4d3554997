"""A hit's explain page: how the amount arose, to be checked by hand; as PDF, and as the JSON that is hashed."""

from collections.abc import Collection, Iterator, Sequence

import msgspec
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.access.issued_documents import OF_A_HIT, IssuedDocument, copies
from backoffice.access.personal_data_access_log import PERSON
from backoffice.hits.amount_calculation import HitSum, MeterLine, TableDayLines, folds, hit_sum
from backoffice.hits.calculation_pdf import hit_pdf
from backoffice.inbox import open_items
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.due_action_and_link_structs import DueAction
from backoffice.kit.form_address_and_permission import may_send
from backoffice.kit.page_declaration import DownloadFile, Format, Page, PageRequest
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import PROGRESSIVES
from backoffice.people.staff_list_and_name_lookup import names_for
from backoffice.printing.report_layout import PrintCopy
from backoffice.progressives.matters import unpaid_and_late_hit_rows
from backoffice.wording.error_code_sentences import error_sentence
from events.error_codes import coded
from events.errors import Refused, Unknown
from events.runtime import clock
from projections.matters.models import HousePayment
from projections.progressives.models import Hit

SETTLED = ("paid", "void", "refused")


def actions_on_hit(progressive: str, name: str, person: str, roles: Collection[str]) -> list[DueAction]:
    """Return the actions this person may take on a hit: those that wait for them, and those always open."""
    row = Hit.objects.filter(hit=name, stream__endswith=f"/progressives/{progressive}").first()
    if row is None:
        return []
    waiting = open_items.hit_matters(progressive, name)
    dos = [do for matter in waiting if matter.is_for(person, roles) for do in matter.actions]
    own = [do for matter in waiting if matter.requester == person for do in matter.requester_actions]
    return [*dos, *own, *_general_actions(row, progressive)]


def _general_actions(row: Hit, progressive: str) -> Iterator[DueAction]:
    to = f"progressives/{progressive}"
    if row.status not in SETTLED:
        yield DueAction(_("Void hit"), "", to, "", "hit.void", {"hit": row.hit})
    hit_values = {"hit": row.hit, "level": row.level, "player": row.player}
    yield DueAction(_("Pay from house funds"), "", to, "", "house.pay", hit_values)
    for paid in HousePayment.objects.filter(stream=row.stream, hit=row.hit, void_at=None):
        yield unpaid_and_late_hit_rows.taking_back(paid)


LINES_A_PAGE = 200


class LinesPart(msgspec.Struct, frozen=True):
    """A part of the lines, with the meter before them; `before` and `after` are the first lines of other parts."""

    lines: Sequence[MeterLine]
    first: int
    last: int
    brought_micro: int
    carried_micro: int
    before: int | None
    after: int | None

    @property
    def folds(self) -> list[TableDayLines]:
        """Return these lines by table; corrections have a group of their own."""
        return folds(self.lines)


def _show(visit: Visit) -> HttpResponse:
    """The page; `?from=N` begins with the N-th line."""
    try:
        hit_sum = _hit_sum(visit.page_request)
    except Refused as error:
        return _without_share(visit, error)
    part = _part(hit_sum, visit.page_request.text("from"))
    return visit.render(sum=hit_sum, why=hit_sum.award.explanation, part=part, dos=_dos(visit))


def _dos(visit: Visit) -> list[DueAction]:
    """Return the due actions that the reader may send."""
    actions = actions_on_hit(visit.place("name"), visit.place("hit"), visit.reader.person, visit.reader.roles)
    return [action for action in actions if may_send(visit.reader, action.kind, action.type)]


def _pdf(request: PageRequest) -> DownloadFile:
    """The whole sum on paper."""
    hit_sum, reader = _shared(request), request.reader
    listed = _paper("on paper", hit_sum)
    copy = copies(listed.kind, listed.about) + 1
    content = hit_pdf(hit_sum, PrintCopy(reader.person, clock.moment(), names_for(reader), copy))
    return DownloadFile(content, "application/pdf", f"{request.places['hit']}.pdf", listed)


def _json(request: PageRequest) -> DownloadFile:
    """The JSON whose SHA-256 the page and the PDF print."""
    hit_sum = _shared(request)
    return DownloadFile(
        hit_sum.content, "application/json", f"{request.places['hit']}.json", _paper("as JSON", hit_sum)
    )


def _paper(form: str, hit_sum: HitSum) -> IssuedDocument:
    return IssuedDocument(f"{OF_A_HIT}{form}", hit_sum.award.explanation.hit, hit_sum.position, hit_sum.digest)


def _hit_sum(request: PageRequest) -> HitSum:
    """Raise Refused for a hit without a share, Unknown for no such hit of this progressive."""
    name, hit = request.places["name"], request.places["hit"]
    missing = Unknown(coded("hit-not-of-progressive", hit=hit, progressive=name))
    try:
        computed = hit_sum(hit)
    except Unknown as error:
        raise missing from error
    if computed.award.progressive != name:
        raise missing
    return computed


def _shared(request: PageRequest) -> HitSum:
    """Raise Unknown for one without a share, too."""
    try:
        return _hit_sum(request)
    except Refused as error:
        raise Unknown(error.text) from error


def _without_share(visit: Visit, error: Refused) -> HttpResponse:
    name, hit = visit.place("name"), visit.place("hit")
    row = Hit.objects.filter(hit=hit, stream__endswith=f"/progressives/{name}").first()
    return visit.render(
        "pages/hit_without.html", name=name, hit=hit, row=row, why_not=error_sentence(error), dos=_dos(visit)
    )


def _part(hit_sum: HitSum, start: str) -> LinesPart:
    first = int(start) if start.isascii() and start.isdecimal() and len(start) < 10 else 1
    first = min(max(first, 1), max(len(hit_sum.lines), 1))
    lines = hit_sum.lines[first - 1 : first - 1 + LINES_A_PAGE]
    last = first - 1 + len(lines)
    brought = hit_sum.lines[first - 2].running_micro if first > 1 else hit_sum.opening_micro
    return LinesPart(
        lines=lines,
        first=first,
        last=last,
        brought_micro=brought,
        carried_micro=lines[-1].running_micro if lines else brought,
        before=max(first - LINES_A_PAGE, 1) if first > 1 else None,
        after=last + 1 if last < len(hit_sum.lines) else None,
    )


HIT = Page(
    name="hit",
    path="progressives/<str:name>/hits/<str:hit>",
    title=gettext_lazy("Hit"),
    open_to=PROGRESSIVES,
    template="pages/hit.html",
    view=_show,
    under="progressives",
    looks=AccessLogRule(PERSON),
    formats=(Format("pdf", _pdf, is_kept=False), Format("json", _json, is_kept=False)),
)
