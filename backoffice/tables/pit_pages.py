"""The pit: the tables of the floor, each on a page of its own for a person who leads it, by thumb."""

from django.utils.translation import gettext_lazy as _

from backoffice.kit.page_declaration import LiveUpdate, MenuEntry, Page, PageRequest
from backoffice.people.roles_allowed_per_page import PIT as WHO
from backoffice.tables import supervisor_table_overview
from backoffice.tables.action_forms import OPEN_TABLE, at_the_pit
from backoffice.tables.supervisor_table_overview import PitTable
from events.error_codes import coded
from events.errors import Unknown


def _table(request: PageRequest) -> PitTable:
    """Return a table of the floor, on its last gaming day."""
    name = request.places["name"]
    table = supervisor_table_overview.pit_table(name)
    if table is None:
        raise Unknown(coded("table-unknown", table=name))
    return table


PIT = Page(
    name="pit",
    path="pit",
    title=_("Pit"),
    open_to=WHO,
    template="pages/pit.html",
    query=lambda _request: supervisor_table_overview.pit(),
    shown_as="pit",
    menu=MenuEntry(_("Pit"), "t", _("go to pit")),
)
PIT_TABLE = Page(
    name="pit-table",
    path="pit/<str:name>",
    title=_("Table"),
    open_to=WHO,
    template="pages/pit_table.html",
    query=_table,
    shown_as="at",
    under="pit",
    follows=LiveUpdate("pages/pit_table_live.html"),
    acts=(OPEN_TABLE,),
    stage=at_the_pit,
)
