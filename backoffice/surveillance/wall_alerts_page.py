"""The page of the wall display: alerts on a large screen, followed live, with a sound for new ones."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from backoffice.access.personal_data_access_log import ALERT
from backoffice.kit.access_log_rules import AccessLogRule, part_of
from backoffice.kit.form_address_and_permission import may_send
from backoffice.kit.page_declaration import Page, PageAddress
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import WALLS
from backoffice.surveillance.open_alerts_for_large_screen import SEVERITIES, WallDisplay, wall_display
from backoffice.surveillance.wall_stream_url_constant import PATH

LOOKS = AccessLogRule(ALERT, lambda wall: len(wall.entries))


def _rights(visit: Visit, _wall: WallDisplay) -> dict[str, Any]:
    return {
        "may_act": may_send(visit.reader, "alerts", "alert.acknowledge"),
        "severities": SEVERITIES,
        "stream_url": PATH,
        "query": visit.query_without("seen"),
        "shows_people": not visit.reader.is_wall,
    }


def _part(visit: Visit) -> HttpResponse:
    """Return the alerts without the page around them. Asked for whenever the stream has news."""
    return visit.show("pages/wall/alerts.html")


WALL = Page(
    name="alert-wall",
    path="alerts/wall",
    title=_("Wall display"),
    open_to=WALLS,
    template="pages/wall.html",
    query=lambda request: wall_display(request.text("severity", 8), request.text("name", 40)),
    shown_as="wall",
    add_context=_rights,
    under="alerts",
    listens=True,
    looks=LOOKS,
    also=(PageAddress("alert-wall-part", "alerts/wall/part", _part, looks=part_of(LOOKS)),),
)
