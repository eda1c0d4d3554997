"""Pages of actual against theoretical win of a gaming day, with the course of each table's win.

The JSON has amounts in minor units, and chances as they are.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import msgspec
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec.structs import replace

from backoffice.access.personal_data_access_log import PERSON
from backoffice.days.luck.actual_against_theoretical_win import BY, FILE_S, LuckQuestion, LuckShown, luck_page
from backoffice.freshness.freshness import freshness
from backoffice.installation.dependency_injection import installation
from backoffice.jobs.on_demand_jobs import background_jobs
from backoffice.kit.access_log_rules import AccessLogRule, part_of
from backoffice.kit.csv_sheet_to_workbook import workbook_file
from backoffice.kit.page_declaration import CsvSheet, DownloadFile, Endpoint, Format, Page, PageAddress, PageRequest
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import DAYS
from backoffice.wording.copy_row_into_page_struct import struct_from
from events.error_codes import coded
from events.errors import Unknown
from events.luck.win_against_theory import Luck
from events.rules.bet_outcome_chance_structs import MICRO
from events.settings.settings_from_environment import settings

COLUMNS = (
    *("name", "decisions", "bets", "handle_minor", "win_minor", "theory_minor", "deviation_minor"),
    *("chance_of_so_much_or_more", "chance_of_so_little_or_less", "how", "error", "basis"),
)


class LuckLine(msgspec.Struct, frozen=True, kw_only=True):
    """Actual win of a name against its theoretical win, and the probabilities of at least and at most that much.

    `how`: by which reckoning, `error`: how far off the chances may be; `basis`: exact, throw by throw, or estimate.
    """

    name: str
    decisions: int
    bets: int
    handle_minor: int
    win_minor: int
    theory_minor: int
    deviation_minor: int
    at_least: float
    at_most: float
    how: str
    error: float
    basis: str


class LuckAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Actual against theoretical win of a gaming day, as of a position, the rarest first; null and no lines until
    calculated.

    `percent`: finished part of the calculation; `reason`: the cause of its failure in English, "" without one, with its
    `code` and `params`.
    """

    day: str
    by: str
    currency: str
    position: int | None
    lines: tuple[LuckLine, ...]
    percent: int = 0
    reason: str = ""
    code: str | None = None
    params: dict[str, Any] | None = None


def sheet_rows(lucks: Iterable[Luck]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the sheet, the rarest first."""
    for luck in lucks:
        theory = round(Fraction(luck.theory_micro, MICRO))
        amounts = (luck.handle_minor, luck.win_minor, theory, round(luck.deviation_minor))
        tails = (f"{luck.tail.at_least:.6g}", f"{luck.tail.at_most:.6g}", luck.tail.how, f"{luck.tail.error:.2g}")
        yield luck.name, luck.decisions, luck.bets, *amounts, *tails, luck.basis


def _ask(request: PageRequest) -> LuckShown:
    """Return actual vs theoretical win as of the last event; a file waits for it. Raises Unknown if it is late."""
    if request.drawn:
        return _requested_luck(request)
    luck = _requested_luck(request, wait_s=FILE_S)
    if luck.result is None:
        raise _not_yet(luck)
    return luck


def _not_yet(luck: LuckShown) -> Unknown:
    job = luck.job
    if job is not None and job.failure is not None:
        return Unknown(job.reason)
    return Unknown(coded("calculation-not-finished", percent=job.percent if job else 0))


def _requested_luck(request: PageRequest, *, will_do: bool = False, wait_s: float = 0.05) -> LuckShown:
    question = LuckQuestion(
        day=request.places["gaming_day"],
        by=request.text("by", 10) or "table",
        table=request.text("table"),
        property_=settings().property_,
        will_do=will_do,
        retry=request.text("retry", 5) == "1",
        wait_s=wait_s,
    )
    house = installation()
    return luck_page(house.store, house.part(background_jobs), question)


def _part(visit: Visit) -> HttpResponse:
    """The same without the page around it: asked for until it is there."""
    luck = _requested_luck(visit.page_request, will_do=True)
    return visit.render("pages/luck/answer.html", luck=luck, **_query(visit, luck))


def _house_course(visit: Visit) -> HttpResponse:
    """The course of the house, for the page of the day; empty where no table was opened."""
    luck = _requested_luck(visit.page_request, will_do="again" in visit.request.GET)
    return visit.render("pages/luck/day_summary.html", luck=luck)


def _query(visit: Visit, _luck: LuckShown) -> dict[str, Any]:
    return {"query": visit.query_without("retry")}


def _sheet(_request: PageRequest, luck: LuckShown) -> CsvSheet:
    return CsvSheet(_("Actual vs theoretical win"), (_("Gaming day"), luck.day), COLUMNS, sheet_rows(luck.lines))


def _workbook(request: PageRequest) -> DownloadFile:
    luck = _ask(replace(request, drawn=False))
    return workbook_file(_sheet(request, luck), freshness().position, f"luck-{luck.day}")


LOOKS = AccessLogRule(PERSON, lambda luck: len(luck.lines), when=lambda request: request.GET.get("by") == "player")
LUCK = Page(
    name="day-luck",
    path="days/<str:gaming_day>/luck",
    title=gettext_lazy("Actual vs theoretical win"),
    open_to=DAYS,
    template="pages/luck.html",
    query=_ask,
    shown_as="luck",
    add_context=_query,
    looks=LOOKS,
    under="days",
    sheet=_sheet,
    sheet_is_shared=True,
    formats=(Format("luck.xlsx", _workbook, is_shared=True),),
    endpoint=Endpoint(
        name="day-luck",
        path="days/<str:gaming_day>/luck",
        answer=LuckAnswer,
        meaning="Actual win of a day against theoretical win, with the probability of the difference; people by "
        "opaque id. A background job computes it: while `position` is null ask again, with `again=true`. `percent` is "
        "the progress, and `reason` the reason if there is no answer.",
        query=lambda request: _answer(_requested_luck(request, will_do=request.text("again", 5) in ("1", "true"))),
        parameters={
            "by": {"type": "string", "enum": [*BY], "description": "Group the lines by this"},
            "again": {"type": "boolean", "description": "Return the previous calculation, as of earlier events"},
            "retry": {"type": "string", "enum": ["1"], "description": "Calculate again after a failure"},
        },
    ),
    also=(
        PageAddress("day-luck-part", "days/<str:gaming_day>/luck/part", _part, looks=part_of(LOOKS)),
        PageAddress("day-luck-course", "days/<str:gaming_day>/luck/course", _house_course),
    ),
)


def _answer(page: LuckShown) -> LuckAnswer:
    """Return the results so far."""
    failure = page.job.failure if page.job else None
    return LuckAnswer(
        day=page.day,
        by=page.by,
        currency=page.currency,
        position=page.result.position if page.result else None,
        lines=tuple(map(_sheet_row, page.lines)),
        percent=page.job.percent if page.job else 0,
        reason=failure.detail if failure else "",
        code=failure.code if failure else None,
        params=failure.params if failure else None,
    )


def _sheet_row(luck: Luck) -> LuckLine:
    return struct_from(
        luck,
        LuckLine,
        theory_minor=round(Fraction(luck.theory_micro, MICRO)),
        deviation_minor=round(luck.deviation_minor),
        at_least=luck.tail.at_least,
        at_most=luck.tail.at_most,
        how=luck.tail.how,
        error=luck.tail.error,
    )
