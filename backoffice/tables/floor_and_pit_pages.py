"""The floor, every table of a gaming day, and the pit: the tables of the floor for a person who leads them, by thumb.

Both update themselves. In the pit each table has a page of its own.
"""

import msgspec
from django.utils.translation import gettext_lazy as _

from backoffice.days import caught_up_cage_and_count_books
from backoffice.kit.page_declaration import Endpoint, LiveUpdate, MenuEntry, Page, PageRequest, Stage
from backoffice.people.roles_allowed_per_page import PIT as WHO
from backoffice.people.roles_allowed_per_page import TABLES
from backoffice.tables import supervisor_table_overview
from backoffice.tables.action_forms import OF_THE_FLOOR, OPEN_TABLE, at_the_pit
from backoffice.tables.floor_page_content import Floor, floor
from backoffice.tables.supervisor_table_overview import PitTable
from events.error_codes import coded
from events.errors import Invalid, Unknown
from events.fields import Day, is_day


def _floor(request: PageRequest) -> Floor:
    """`?gaming_day=` for an earlier day. A form may leave it empty; a program that names one has one."""
    named = request.parameters.get("gaming_day")
    if not request.drawn and named is not None and not is_day(named):
        raise Invalid("gaming_day", coded("gaming-day-format"))
    return floor(request.text("gaming_day", 11), request.reader.roles)


FLOOR = Page(
    name="floor",
    path="",
    title=_("Floor"),
    open_to=TABLES,
    template="pages/floor.html",
    query=_floor,
    shown_as="floor",
    menu=MenuEntry(_("Floor"), "f", _("go to floor")),
    follows=LiveUpdate("pages/floor_live.html", path="floor/live"),
    endpoint=Endpoint(
        name="tables",
        path="tables",
        answer=Floor,
        meaning="The floor of `?gaming_day=`, or of the latest one.",
        parameters={"gaming_day": msgspec.json.schema(Day)},
    ),
    acts=OF_THE_FLOOR,
    stage=lambda _request: Stage(currency=caught_up_cage_and_count_books.currency()),
)


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
