"""An event: its bytes, its place in the chain, and the actions for it."""

import msgspec
from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import EVENT as EVENT_LOOK
from backoffice.event_log import figures_hidden_before_counts
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.form_address_and_permission import may_send
from backoffice.kit.page_declaration import Page
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import TABLES
from backoffice.surveillance import event_page_buttons, logged_events
from backoffice.surveillance.search import event_rows
from backoffice.surveillance.search.paged_search_within_time_limit import FoundEvent
from backoffice.wording.stream_currencies import Places
from events.tables.event_types.money import BuyinMade


def _event(visit: Visit) -> HttpResponse:
    """Show an event: its bytes, formatted, and its place in the chain."""
    position = visit.place("position")
    event = logged_events.event(position)
    if event is None:
        raise Http404(_("No event has the position %(position)d.") % {"position": position})
    hidden_streams = figures_hidden_before_counts.streams(visit.reader.roles)
    if figures_hidden_before_counts.is_hidden_stream(event.row.stream, hidden_streams):
        raise Http404(_("No event has the position %(position)d.") % {"position": position})
    if event.row.type == BuyinMade.TYPE and event.row.stream in hidden_streams:
        raise Http404(_("Buy-ins of this table are hidden until the count is entered."))
    pretty = msgspec.json.format(event.raw, indent=2).decode()
    template = "pages/event_detail.html" if visit.request.headers.get("HX-Request") else ""
    dos, hit = event_page_buttons.event(position)
    allowed = [action for action in dos if may_send(visit.reader, action.kind, action.type)]
    visit.looking.entry_count = 1
    sentence = event_rows.row(FoundEvent(position, event.raw), Places({event.row.stream: event.row.currency}))
    return visit.render(template, event=event, pretty=pretty, dos=allowed, hit=hit, told=sentence)


EVENT = Page(
    name="event",
    path="events/<int:position>",
    title=gettext_lazy("Event"),
    open_to=TABLES,
    template="pages/event.html",
    view=_event,
    under="events",
    looks=AccessLogRule(EVENT_LOOK),
)
