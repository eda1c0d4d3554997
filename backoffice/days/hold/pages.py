"""Hold by table, game, pit and kind of bet, and the findings of the regulators' rules."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.days.hold import sheets
from backoffice.days.hold.hold_page_content import BY, Hold, hold
from backoffice.days.hold.json_answer import HoldAnswer, answer
from backoffice.freshness.freshness import freshness
from backoffice.kit.csv_sheet_to_workbook import workbook_file
from backoffice.kit.page_declaration import CsvSheet, DownloadFile, Endpoint, Format, Page, PageRequest
from backoffice.people.roles_allowed_per_page import DAYS


def _hold(request: PageRequest) -> Hold:
    return hold(request.text("day", 10), request.text("by", 10) or "table", request.text("name"))


def _sheet(request: PageRequest, hold: Hold) -> CsvSheet:
    return CsvSheet(_("Hold"), (_("Gaming day"), hold.day), sheets.COLUMNS, sheets.lines(hold))


def _workbook(request: PageRequest) -> DownloadFile:
    return workbook_file(_sheet(request, _hold(request)), freshness().position, "hold")


HOLD = Page(
    name="hold",
    path="hold",
    title=gettext_lazy("Hold"),
    open_to=DAYS,
    template="pages/hold.html",
    query=_hold,
    shown_as="hold",
    add_context=lambda visit, _hold: {"query": visit.request.GET.urlencode()},
    under="days",
    sheet=_sheet,
    sheet_is_shared=True,
    formats=(Format("hold.xlsx", _workbook, is_shared=True),),
    endpoint=Endpoint(
        name="hold",
        path="hold",
        answer=HoldAnswer,
        meaning="Win by drop box and tray as a share of the drop, for day, month and "
        "year to date, judged by three rules.",
        query=lambda request: answer(_hold(request)),
        parameters={
            "day": {"type": "string", "description": "As of this gaming day; by default the last counted one"},
            "by": {"type": "string", "enum": [*BY], "description": "Group the lines by this"},
        },
    ),
)
