"""The accountant's gaming day: its checklist, its figures, its close, and later events."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import PERSON
from backoffice.days.day_report_from_rows import last_report
from backoffice.days.discrepancy_window_content import discrepancy
from backoffice.days.gaming_day_page_content import DayPage, day, latest_open_day, table_of_day
from backoffice.days.report_at_past_time_calculation import PastPage, PastQuestion, past_report
from backoffice.days.reports.master_report_files import FORMS, report_file
from backoffice.days.table_and_recorded_win_lines import WinLine
from backoffice.freshness.freshness import freshness
from backoffice.installation.dependency_injection import installation
from backoffice.jobs.on_demand_jobs import background_jobs
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import (
    Act,
    CsvSheet,
    DownloadFile,
    Format,
    LiveUpdate,
    MenuEntry,
    Page,
    PageAddress,
    PageRequest,
    Stage,
    Words,
)
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import DAYS
from backoffice.people.staff_list_and_name_lookup import names_for
from backoffice.wording import stream_currencies
from backoffice.wording.code_to_word_translation import word
from events.errors import Invalid, Unknown
from events.settings.settings_from_environment import settings
from projections.accounts.models import LateEvent

_FIGURES = (
    *("drop_minor", "inventory_win_minor", "event_win_minor", "difference_minor", "mispay_minor", "vouchers_minor"),
    *("drop_part_minor", "inventory_minor", "rest_minor", "undecided_minor"),
)
WINS = ("level", "name", "shift", "counted", *_FIGURES)


def wins(day: DayPage) -> Iterator[tuple[object, ...]]:
    """House, games, pits, tables and shifts."""
    if day.wins is None:
        return
    for line in (day.wins.house, *day.wins.games, *day.wins.pits):
        yield _row(line)
    for table, shifts in day.wins.tables:
        yield _row(table)
        yield from map(_row, shifts)


def _row(line: WinLine) -> tuple[object, ...]:
    amounts = [getattr(line, name) for name in _FIGURES]
    return (
        line.level,
        line.name,
        line.shift,
        line.is_counted,
        *("" if amount is None else amount for amount in amounts),
    )


OF_A_DAY = (
    Act("days", "day.close", gettext_lazy("Close day")),
    Act("days", "day.override", gettext_lazy("Override checklist item"), is_offered=False),
    Act("days", "day.amend", gettext_lazy("Restate day"), is_offered=False),
    Act("days", "discrepancy.explain", gettext_lazy("Explain discrepancy"), is_offered=False),
)


def at_day(request: PageRequest) -> Stage:
    """Return the stage of the gaming day; its late events can be named for a restatement."""
    day = request.places["gaming_day"]
    unnamed = LateEvent.objects.filter(gaming_day=day, named=0).order_by("position")
    events = [(row.event, f"{word(row.type)}, {row.event}") for row in unnamed]
    return Stage("", day, stream_currencies.of_house(), {"events": events})


def _past_page(request: PageRequest) -> PastPage:
    house = installation()
    question = PastQuestion(
        day=request.places["gaming_day"],
        at=request.text("at", 40),
        until=request.text("until", 40),
        property_=settings().property_,
        roles=request.reader.roles,
        retry=request.text("retry", 5) == "1",
    )
    try:
        return past_report(house.store, house.part(background_jobs), question)
    except Invalid as error:
        raise Unknown(error.text) from error


def _past_part(visit: Visit) -> HttpResponse:
    """The answer without the page around it: asked for until it is there."""
    return visit.render("pages/day/past_answer.html", past=_past_page(visit.page_request), **_query(visit, None))


def _query(visit: Visit, _result: object) -> dict[str, Any]:
    return {"query": visit.query_without("retry")}


def _show_latest_day(visit: Visit) -> HttpResponse:
    """The last gaming day that is not closed."""
    gaming_day = latest_open_day()
    if gaming_day is None:
        return visit.render("pages/days_none.html")
    return HttpResponseRedirect(reverse("day", kwargs={"gaming_day": gaming_day}))


class DayPart(msgspec.Struct, frozen=True):
    """A part of the day with an address of its own. `count`: the number of its entries, if it is useful."""

    name: str
    title: Words
    url: str
    count: int | None = None


_PARTS: dict[str, tuple[Words, Callable[[DayPage], int | None]]] = {
    "wins": (gettext_lazy("Wins"), lambda day: None),
    "discrepancies": (gettext_lazy("Discrepancies"), lambda day: len(day.discrepancies)),
    "boxes": (gettext_lazy("Boxes"), lambda day: len(day.boxes)),
    "slips": (gettext_lazy("Slips"), lambda day: len(day.slips)),
    "cage": (gettext_lazy("Cage"), lambda day: None),
    "hours": (gettext_lazy("Hours"), lambda day: None),
    "exceptions": (gettext_lazy("Exceptions"), lambda day: day.exception_count),
    "history": (gettext_lazy("History"), lambda day: len(day.reports)),
}


def _day_parts(day: DayPage) -> list[DayPart]:
    return [
        DayPart(name, title, reverse(f"day-{name}", kwargs={"gaming_day": day.day}), count(day))
        for name, (title, count) in _PARTS.items()
    ]


def _of_its_state(visit: Visit, day: DayPage) -> dict[str, Any]:
    """The buttons of an open day, and the part that is shown; a closed day is not closed again."""
    buttons = [button for button in visit.buttons if button.type != "day.close" or day.status == "open"]
    last = visit.request.path.rpartition("/")[2]
    name = visit.page_request.text("part", 20) if last == "live" else last
    parts = _day_parts(day)
    part = next((named for named in parts if named.name == name), None)
    return {"buttons": buttons, "parts": parts, "part": part}


def _report(suffix: str) -> Format:
    """Return the format of a closed day's last report."""

    def write(request: PageRequest) -> DownloadFile:
        figures = last_report(request.places["gaming_day"], request.reader.roles)
        return report_file(suffix, figures, freshness().position, request.reader.person, names_for(request.reader))

    return Format(f"report.{suffix}", write, is_kept=False)  # of a closed day each copy has its number


DAY = Page(
    name="day",
    path="days/<str:gaming_day>",
    title=gettext_lazy("Gaming day"),
    open_to=DAYS,
    template="pages/day.html",
    query=lambda request: day(request.places["gaming_day"], request.reader.roles),
    shown_as="day",
    add_context=_of_its_state,
    under="days",
    follows=LiveUpdate("pages/day_live.html"),
    sheet=lambda _request, day: CsvSheet(_("Wins"), (_("Gaming day"), day.day), WINS, wins(day)),
    sheet_is_shared=True,
    formats=(*map(_report, FORMS),),
    acts=OF_A_DAY,
    stage=at_day,
    also=tuple(PageAddress(f"day-{part}", f"days/<str:gaming_day>/{part}", Visit.show) for part in _PARTS),
)
DISCREPANCY = Page(
    name="discrepancy",
    path="days/<str:gaming_day>/discrepancies/<int:position>",
    title=gettext_lazy("Discrepancy"),
    open_to=DAYS,
    template="pages/discrepancy.html",
    query=lambda request: discrepancy(request.places["gaming_day"], request.places["position"], request.reader.roles),
    shown_as="discrepancy",
    under="days",
    looks=AccessLogRule(PERSON),
    acts=tuple(act for act in OF_A_DAY if act.type == "discrepancy.explain"),
    stage=at_day,
)
DAY_TABLE = Page(
    name="day-table",
    path="days/<str:gaming_day>/tables/<str:table>",
    title=gettext_lazy("Table by shift"),
    open_to=DAYS,
    template="pages/day_table.html",
    query=lambda request: table_of_day(request.places["gaming_day"], request.places["table"], request.reader.roles),
    shown_as="of",
    under="days",
)
DAY_PAST = Page(
    name="day-past",
    path="days/<str:gaming_day>/past",
    title=gettext_lazy("Report history"),
    open_to=DAYS,
    template="pages/day_past.html",
    query=_past_page,
    shown_as="past",
    add_context=_query,
    under="days",
    also=(PageAddress("day-past-part", "days/<str:gaming_day>/past/part", _past_part),),
)
DAYS_PAGE = Page(
    name="days",
    path="days",
    title=gettext_lazy("Gaming day"),
    open_to=DAYS,
    view=_show_latest_day,
    menu=MenuEntry(gettext_lazy("Gaming day"), "y", gettext_lazy("go to gaming day")),
)
