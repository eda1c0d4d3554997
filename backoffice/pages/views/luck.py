"""The luck of a gaming day, and the course of each table's win beside its theory."""

from typing import Any

from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec.structs import replace

from backoffice.access.looks import PERSON
from backoffice.installation import installation
from backoffice.jobs.jobs import background_jobs
from backoffice.kit.looking import Looks, part_of
from backoffice.kit.page import Address, Asked, Endpoint, File, Format, Page, Sheet
from backoffice.kit.visit import Visit, sentence
from backoffice.kit.workbooks import workbook_file
from backoffice.people.open_to import DAYS
from backoffice.queries.freshness import freshness
from backoffice.queries.luck import sheets
from backoffice.queries.luck.answers import LuckAnswer, answer
from backoffice.queries.luck.page import BY, FILE_S, LuckShown, Question, shown
from events.errors import Unknown
from events.settings import settings


def _ask(asked: Asked) -> LuckShown:
    """As of the last event; a file waits for it. Raises Unknown where it is not there in time."""
    if asked.drawn:
        return _asked(asked)
    found = _asked(asked, wait_s=FILE_S)
    if found.found is None:
        raise Unknown(_not_yet(found))
    return found


def _not_yet(found: LuckShown) -> str:
    job = found.job
    if job is not None and job.reason:
        return job.reason
    return _("the calculation is not finished (%d %%): try again in a minute") % (job.percent if job else 0)


def _asked(asked: Asked, *, will_do: bool = False, wait_s: float = 0.05) -> LuckShown:
    question = Question(
        day=asked.places["gaming_day"],
        by=asked.text("by", 10) or "table",
        table=asked.text("table"),
        property_=settings().property_,
        will_do=will_do,
        retry=asked.text("retry", 5) == "1",
        wait_s=wait_s,
    )
    here = installation()
    return shown(here.store, here.part(background_jobs), question)


def _told(asked: Asked) -> LuckAnswer:
    """Who asks again gets what was begun then, whatever has happened since."""
    return answer(_asked(asked, will_do=asked.text("again", 5) in ("1", "true")))


def _part(visit: Visit) -> HttpResponse:
    """The same without the page around it: asked for until it is there."""
    try:
        found = _asked(visit.asked, will_do=True)
    except Unknown as error:
        raise Http404(sentence(str(error))) from error
    return visit.render("pages/luck/answer.html", luck=found, **_query(visit, found))


def _course(visit: Visit) -> HttpResponse:
    """The course of the house, for the page of the day; empty where no table was opened."""
    try:
        found = _asked(visit.asked, will_do="again" in visit.request.GET)
    except Unknown as error:
        raise Http404(sentence(str(error))) from error
    return visit.render("pages/luck/of_day.html", luck=found)


def _query(visit: Visit, _found: LuckShown) -> dict[str, Any]:
    return {"query": visit.query_without("retry")}


def _sheet(_asked: Asked, found: LuckShown) -> Sheet:
    return Sheet(_("Luck"), (_("Gaming day"), found.day), sheets.COLUMNS, sheets.lines(found.lines))


def _workbook(asked: Asked) -> File:
    found = _ask(replace(asked, drawn=False))
    return workbook_file(_sheet(asked, found), freshness().position, f"luck-{found.day}")


LOOKS = Looks(PERSON, lambda found: len(found.lines), when=lambda request: request.GET.get("by") == "player")
LUCK = Page(
    name="day-luck",
    path="days/<str:gaming_day>/luck",
    title=gettext_lazy("Luck"),
    open_to=DAYS,
    template="pages/luck.html",
    query=_ask,
    shown_as="luck",
    beside=_query,
    looks=LOOKS,
    under="days",
    sheet=_sheet,
    sheet_is_shared=True,
    formats=(Format("luck.xlsx", _workbook, is_shared=True),),
    endpoint=Endpoint(
        name="day-luck",
        path="days/<str:gaming_day>/luck",
        answer=LuckAnswer,
        meaning="What a day's bets won beside what they had to bring, and how rare so much is; "
        "people by opaque id. A background job computes it: while `position` is null ask again, with `again=true`; "
        "`percent` says how much is done, and `reason` why there is no answer.",
        query=_told,
        parameters={
            "by": {"type": "string", "enum": [*BY], "description": "By what there are lines"},
            "again": {"type": "boolean", "description": "The calculation that was begun before, as of earlier events"},
            "retry": {"type": "string", "enum": ["1"], "description": "Calculate again after a failure"},
        },
    ),
    also=(
        Address("day-luck-part", "days/<str:gaming_day>/luck/part", _part, looks=part_of(LOOKS)),
        Address("day-luck-course", "days/<str:gaming_day>/luck/course", _course),
    ),
)
