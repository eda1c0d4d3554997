"""The draws, one draw with its result as far as the reader may see it, and the coverage of inspections."""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import EVENT
from backoffice.freshness.freshness import freshness
from backoffice.installation.dependency_injection import installation
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.csv_sheet_to_workbook import workbook_file
from backoffice.kit.page_declaration import Act, CsvSheet, DownloadFile, Endpoint, Format, Page, PageRequest, Stage
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.people_choices import people_in_roles
from backoffice.people.roles_allowed_per_page import INSPECTIONS
from backoffice.people.staff_list_and_name_lookup import names_for
from backoffice.printing.list_report import ListedReport, listed_pdf
from backoffice.printing.report_layout import PrintCopy
from backoffice.surveillance.inspection_draws.draw_list_and_detail_content import (
    DrawList,
    DrawShown,
    draw_list,
    draw_of,
    draw_shown,
    visible,
)
from backoffice.surveillance.inspection_draws.inspected_rounds_coverage import Coverage, coverage
from backoffice.wording import formats
from events.errors import Conflict, Invalid, Unknown
from events.inspection_draws.decider import INSPECTING, Draw, may_inspect, moment_of
from events.inspection_draws.draw_proof import proof
from events.inspection_draws.stream_declaration import heads_of
from events.runtime import clock
from events.settings.settings_from_environment import settings
from projections.floor.models import InstalledTable

OF_DRAWS = (Act("draws", "draw.commit", gettext_lazy("Commit draw")),)
OF_A_DRAW = (
    Act("draws", "draw.reveal", gettext_lazy("Reveal draw"), fixed=("draw",), is_tried=False),
    Act("draws", "inspection.record", gettext_lazy("Record inspection"), fixed=("draw",), is_tried=False),
)
LEAD, PERIOD = timedelta(minutes=15), timedelta(hours=6)


def at_draws(request: PageRequest) -> Stage:
    """Propose a draw of all tables for six hours from the next full hour that leaves time for the draw."""
    draw_at = moment_of(installation().store.clock()).astimezone(UTC).replace(microsecond=0) + LEAD
    since = draw_at.replace(minute=0, second=0) + timedelta(hours=1)
    tables = [*InstalledTable.objects.order_by("table").values_list("table", flat=True)]
    proposal: dict[str, Any] = {
        "draw": f"{since:%Y-%m-%d-%H%M}",
        "since": _time_text(since),
        "until": _time_text(since + PERIOD),
        "tables": [{"table": table, "weight": 1} for table in tables],
        "slot_minutes": 60,
        "number": 3,
        "draw_at": _time_text(draw_at),
    }
    choices: dict[str, Any] = {"table": tables, "inspectors": people_in_roles(INSPECTING, request.reader)}
    return Stage(choices=choices, proposals={"draw.commit": proposal})


def at_draw(request: PageRequest) -> Stage:
    """Offer a draw; an inspector chooses among the drawn entries that were not inspected."""
    draw = draw_of(str(request.places["draw"]))
    name = draw.terms.draw
    proposals = {"draw.reveal": {"draw": name}, "inspection.record": {"draw": name}}
    return Stage(title=name, choices={"entry": _open_entries(draw, request)}, proposals=proposals)


def _open_entries(draw: Draw, request: PageRequest) -> list[tuple[str, str]]:
    if not may_inspect(draw, request.reader.person, request.reader.roles):
        return []
    entries = [number for number in visible(draw, request.reader) if number not in draw.inspected]
    return [(str(number), _entry_words(draw, number)) for number in entries]


def _entry_words(draw: Draw, number: int) -> str:
    entry = draw.entry(number)
    times = (formats.moment_text(moment_of(time), "short") for time in (entry.since, entry.until))
    return f"{number}: {entry.table}, {' – '.join(times)}"


def _time_text(time: datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


def _buttons(visit: Visit, draw: DrawShown) -> dict[str, Any]:
    """Return the buttons that fit the draw: it is revealed once, and inspected by its inspectors."""
    out = set[str]()
    if draw.head or draw.second_of:
        out.add("draw.reveal")
    if not (draw.head and draw.is_inspector and any(not entry.inspected for entry in draw.drawn)):
        out.add("inspection.record")
    return {"buttons": [button for button in visit.buttons if button.type not in out]}


def _proof(request: PageRequest) -> DownloadFile:
    """Return the proof of a published draw. Raises Unknown before that."""
    store, name = installation().store, str(request.places["draw"])
    try:
        content = proof(store, heads_of(store), settings().property_, draw_of(name))
    except Conflict as error:
        raise Unknown(error.text) from error
    return DownloadFile(content, "application/json", f"pitledger-draw-{name}.json")


DRAWS = Page(
    name="draws",
    path="draws",
    title=gettext_lazy("Draws"),
    open_to=INSPECTIONS,
    template="pages/draws.html",
    query=lambda _request: draw_list(),
    shown_as="list",
    under="alerts",
    acts=OF_DRAWS,
    stage=at_draws,
    endpoint=Endpoint(name="draws", path="draws", answer=DrawList, meaning="Draws of tables to inspect, newest first."),
)
DRAW = Page(
    name="draw",
    path="draws/<str:draw>",
    title=gettext_lazy("Draw"),
    open_to=INSPECTIONS,
    template="pages/draw.html",
    query=lambda request: draw_shown(str(request.places["draw"]), request.reader),
    shown_as="shown",
    add_context=_buttons,
    under="alerts",
    acts=OF_A_DRAW,
    stage=at_draw,
    looks=AccessLogRule(EVENT, lambda draw: len(draw.drawn)),
    formats=(Format("proof", _proof, is_kept=False),),
    endpoint=Endpoint(
        name="draw",
        path="draws/<str:draw>",
        answer=DrawShown,
        meaning="A draw with the drawn entries that the reader may see.",
    ),
)


# --- coverage ---------------------------------------------------------------------------------------------------------

COLUMNS = ("by", "name", "rounds", "inspected rounds", "share", "inspections", "findings")


def _coverage(request: PageRequest) -> Coverage:
    """Raises Unknown for a page, and Invalid for a program, where the days are no period."""
    try:
        return coverage(request.text("first", 10), request.text("last", 10))
    except Invalid as error:
        if request.drawn:
            raise Unknown(error.text) from error
        raise


def _coverage_rows(coverage: Coverage) -> Iterator[tuple[object, ...]]:
    for line in coverage.lines:
        yield line.by, line.name, line.rounds, line.inspected_rounds, line.percent, line.inspections, line.findings


def _period(coverage: Coverage) -> str:
    return f"{coverage.first_day} – {coverage.last_day}"


def _sheet(_request: PageRequest, coverage: Coverage) -> CsvSheet:
    of = ("period", _period(coverage))
    return CsvSheet(_("Coverage of inspections"), of, COLUMNS, [*_coverage_rows(coverage)], name="coverage")


def _workbook(request: PageRequest) -> DownloadFile:
    return workbook_file(_sheet(request, _coverage(request)), freshness().position, "coverage")


def _pdf(request: PageRequest) -> DownloadFile:
    coverage, position = _coverage(request), freshness().position
    heads = (_("By"), _("Name"), _("Rounds"), _("Inspected rounds"), _("Share"), _("Inspections"), _("Findings"))
    lines = [[str(cell) for cell in line] for line in _coverage_rows(coverage)]
    digest = hashlib.sha256("\n".join("\t".join(line) for line in lines).encode()).hexdigest()
    report = ListedReport(
        title=_("Coverage of inspections"),
        period=_period(coverage),
        heads=heads,
        figures=frozenset(range(2, len(heads))),
        lines=lines,
        signed=(),
        is_apart=False,
        digest=digest,
    )
    printed = PrintCopy(request.reader.person, clock.moment(), names_for(request.reader))
    return DownloadFile(listed_pdf(report, printed, position, digest), "application/pdf", "pitledger-coverage.pdf")


COVERAGE = Page(
    name="coverage",
    path="inspections",
    title=gettext_lazy("Coverage of inspections"),
    open_to=INSPECTIONS,
    template="pages/coverage.html",
    query=_coverage,
    shown_as="shown",
    add_context=lambda visit, _shown: {"query": visit.request.GET.urlencode()},
    under="alerts",
    sheet=_sheet,
    formats=(Format("coverage.xlsx", _workbook), Format("coverage.pdf", _pdf, is_kept=False)),
    looks=AccessLogRule(EVENT, lambda coverage: len(coverage.lines)),
    endpoint=Endpoint(
        name="inspections",
        path="inspections",
        answer=Coverage,
        meaning="Rounds in inspected times by table, dealer and shift.",
        parameters={
            "first": {"type": "string", "format": "date", "description": "First gaming day"},
            "last": {"type": "string", "format": "date", "description": "Last gaming day; at most 31 days"},
        },
    ),
)
