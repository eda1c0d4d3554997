"""The page System: parts, servers, lags, backups, disks and clocks of the house, for its administrator."""

from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from backoffice.house.system_overview import System, system
from backoffice.kit.page_declaration import Endpoint, MenuEntry, Page, PageAddress
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import SYSTEM


def _live(visit: Visit) -> HttpResponse:
    """Return the figures of the page: they change without any event, so they are shown again each time."""
    return visit.show("pages/system_figures.html")


SYSTEM_PAGE = Page(
    name="system",
    path="system",
    title=_("System"),
    open_to=SYSTEM,
    template="pages/system.html",
    query=lambda _request: system(),
    shown_as="system",
    menu=MenuEntry(_("System"), "s", _("go to system")),
    also=(PageAddress("system-live", "system/live", _live),),
    endpoint=Endpoint(
        name="system",
        path="system",
        answer=System,
        meaning="The parts of the house, their lag, servers, backups, disks and clocks, each with its state.",
    ),
)
