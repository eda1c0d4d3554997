"""A table's gaming day."""

from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.event_log.filters import BIGGEST
from backoffice.kit.page_declaration import Endpoint, LiveUpdate, Page, PageAddress, PageRequest
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import DAYS, TABLES
from backoffice.tables.action_forms import OF_A_TABLE, at_hand, at_table
from backoffice.tables.table_day_page_content import Table, kinds_of_corrected_bets, latest_day, table
from backoffice.templatetags.pitledger import table_url
from events.error_codes import coded
from events.errors import Unknown


def _table(request: PageRequest) -> Table:
    """Its money, wagers, rounds and irregularities."""
    name, gaming_day = request.places["name"], request.places["gaming_day"]
    result = table(name, gaming_day, request.reader.roles, before=_first_round_shown(request), drawn=request.drawn)
    if result is None:
        raise Unknown(coded("table-not-opened-on-day", table=name, day=gaming_day))
    return result


def _first_round_shown(request: PageRequest) -> int | None:
    """The round before which the rounds are asked for. Raises Unknown for none."""
    text = request.text("before", 8)
    if text and not (text.isascii() and text.isdecimal()):
        raise Unknown(coded("round-text-unknown", round=text))
    return int(text) if text else None


def _of_its_game(visit: Visit, table: Table) -> dict[str, Any]:
    buttons, reads_days = at_hand(visit.buttons, table.head), DAYS.admits(visit.reader)
    before = _first_round_shown(visit.page_request)
    corrected = kinds_of_corrected_bets(table)
    wagers = [(wager, wager.wager not in corrected) for wager in table.wagers]
    sealed = table.head.is_sealed
    return {"buttons": buttons, "sealed": sealed, "reads_days": reads_days, "before": before, "wagers": wagers}


def _show_latest_day(visit: Visit) -> HttpResponse:
    """The table's last gaming day."""
    name = visit.place("name")
    day = latest_day(name)
    if day is None:
        raise Http404(_("Table %(table)s has no gaming day yet.") % {"table": name})
    return HttpResponseRedirect(table_url(name, day))


TABLE = Page(
    name="table",
    path="tables/<str:name>/<str:gaming_day>",
    title=gettext_lazy("Table"),
    open_to=TABLES,
    template="pages/table.html",
    query=_table,
    shown_as="table",
    add_context=_of_its_game,
    under="floor",
    follows=LiveUpdate("pages/table_live.html"),
    endpoint=Endpoint(
        name="one-table",
        path="tables/<str:name>/<str:gaming_day>",
        answer=Table,
        meaning="A table's gaming day.",
        parameters={
            "before": {
                "type": "integer",
                "minimum": 1,
                "maximum": BIGGEST,
                "description": "Rounds before this one: `rounds_older` of the previous page",
            },
        },
    ),
    acts=OF_A_TABLE,
    stage=at_table,
    also=(PageAddress("table-latest", "tables/<str:name>", _show_latest_day),),
)
