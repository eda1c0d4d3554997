"""Timeline of a player, a dealer, a table, or another subject of events."""

from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import SEARCH
from backoffice.event_log.filters import BIGGEST
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.page_declaration import Endpoint, Page, PageRequest
from backoffice.people.roles_allowed_per_page import TABLES
from backoffice.surveillance.entity_event_queries import KINDS
from backoffice.surveillance.entity_timeline import Timeline, timeline
from events.error_codes import coded
from events.errors import Unknown

PATH = "timelines/<str:thing>/<str:name>"


def _timeline(request: PageRequest) -> Timeline:
    """Return the timeline. Raises Unknown for a name without events, and for an invalid position."""
    after = request.text("after", 20)
    if after and not (after.isascii() and after.isdecimal() and int(after) <= BIGGEST):
        raise Unknown(coded("position-unknown", position=after))
    return timeline(
        request.places["thing"],
        request.places["name"],
        player=request.text("player"),
        gaming_day=request.text("gaming_day", 20),
        after=int(after or 0),
        roles=tuple(request.reader.roles),
    )


TIMELINE = Page(
    name="timeline",
    path=PATH,
    title=gettext_lazy("Timeline"),
    open_to=TABLES,
    template="pages/timeline.html",
    query=_timeline,
    shown_as="timeline",
    under="events",
    looks=AccessLogRule(SEARCH, lambda timeline: timeline.events),
    endpoint=Endpoint(
        name="timeline",
        path=PATH,
        answer=Timeline,
        meaning=f"All events of one {', '.join(KINDS)}: in order, with sums by type.",
        parameters={
            "gaming_day": {"type": "string", "description": "Only this gaming day"},
            "player": {"type": "string", "description": "Of a dealer: only events with this player"},
            "after": {
                "type": "integer",
                "minimum": 0,
                "maximum": BIGGEST,
                "description": "Continue after this position: `next` of the previous page",
            },
        },
    ),
)
