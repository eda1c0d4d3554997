"""The page of an event: its bytes, its place in the chain, and the actions that people may take on it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from backoffice.access.personal_data_access_log import EVENT as EVENT_LOOK
from backoffice.event_log import figures_hidden_before_counts
from backoffice.kit.access_log_rules import AccessLogRule
from backoffice.kit.due_action_and_link_structs import DueAction
from backoffice.kit.form_address_and_permission import may_send
from backoffice.kit.page_declaration import Page
from backoffice.kit.visit_request_and_rendering import Visit
from backoffice.people.roles_allowed_per_page import TABLES
from backoffice.surveillance import log_page_queries
from backoffice.surveillance.search import event_rows
from backoffice.surveillance.search.paged_search_within_time_limit import FoundEvent
from backoffice.tables.action_address_of_table_day import table_address
from backoffice.wording.stream_currencies import Places
from events.progressives.event_types import MeterAdjusted, ParametersChanged, VarianceOpened
from events.tables.event_types.rounds import BetCorrected, BetPlaced, BetRestaked, BetSettled, PaymentMade
from projections.eventlog.models import EventLog
from projections.floor.models import PlayedRound
from projections.matters.models import Notice, Variance
from projections.progressives.models import ArmedRound, Hit

_LAYS = (BetPlaced.TYPE, BetRestaked.TYPE, BetCorrected.TYPE)
_PAYS = (BetSettled.TYPE, PaymentMade.TYPE)


class LoggedEvent(msgspec.Struct, frozen=True):
    """Event with actions: its row and its data."""

    row: EventLog
    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        return f"{self.row.stream}@{self.row.version}"

    def do(self, label: str, action: str, corrects: str = "", **data: Any) -> DueAction:
        """An action of the event's own stream."""
        to, query = self.row.stream.partition("/")[2], ""
        if to.startswith("tables/"):
            to, query = table_address(self.row.stream)
        return DueAction(label, "", to, "", action, data, query, corrects)


class _LinkedEventData(msgspec.Struct):
    data: dict[str, Any]


def _actions_and_hit(position: int) -> tuple[list[DueAction], tuple[str, str] | None]:
    """Return the actions on an event, and the hit that it names: (progressive, hit)."""
    row = EventLog.objects.filter(position=position).first()
    if row is None:
        return [], None
    looked = LoggedEvent(row, msgspec.json.decode(bytes(row.raw), type=_LinkedEventData).data)
    return list(_due_actions(looked)), _hit(looked)


def _hit(looked: LoggedEvent) -> tuple[str, str] | None:
    hit = looked.data.get("hit")
    row = Hit.objects.filter(hit=hit).first() if isinstance(hit, str) else None
    return None if row is None else (row.stream.rpartition("/")[2], row.hit)


def _due_actions(looked: LoggedEvent) -> Iterator[DueAction]:
    if looked.row.type in _OF_TYPE:
        yield from _OF_TYPE[looked.row.type](looked)
    if looked.row.round is not None and "/tables/" in looked.row.stream:
        yield from _of_round(looked)


def _of_round(looked: LoggedEvent) -> Iterator[DueAction]:
    """Yield the actions on the event's round."""
    played_round = PlayedRound.objects.filter(id=f"{looked.row.stream}#{looked.row.round}").first()
    if played_round is None:
        return
    bet, number = looked.data.get("bet"), played_round.round
    if played_round.state == "in play":
        if looked.row.type in _LAYS:
            yield looked.do(_("Correct bet"), "bet.correct", corrects=looked.id, bet=bet)
        yield looked.do(_("Void round"), "round.void", round=number)
    elif looked.row.type in _PAYS:
        yield looked.do(_("Correct settlement"), "settlement.correct", bet=bet, settled_in=number)
        yield looked.do(_("Report payment"), "payment.report", bet=bet, won_in=number)
    if ArmedRound.objects.filter(id=played_round.id).exists():
        yield looked.do(_("Declare late hit"), "hit.declare_late", round=number, box=looked.row.box)


def _notice(looked: LoggedEvent) -> Iterator[DueAction]:
    if Notice.objects.filter(position=looked.row.position, read_at=None).exists():
        yield looked.do(_("Confirm notice"), "notice.acknowledge", change=looked.row.position)


def _variance(looked: LoggedEvent) -> Iterator[DueAction]:
    case = looked.data.get("case")
    if Variance.objects.filter(id=f"{looked.row.stream}/{case}", closed_at=None).exists():
        yield looked.do(_("Close variance"), "variance.close", case=case)


_OF_TYPE: dict[str, Callable[[LoggedEvent], Iterator[DueAction]]] = {
    ParametersChanged.TYPE: _notice,
    MeterAdjusted.TYPE: _notice,
    VarianceOpened.TYPE: _variance,
}


def _event(visit: Visit) -> HttpResponse:
    """Show an event: its bytes, formatted, and its place in the chain."""
    position = visit.place("position")
    event = log_page_queries.event(position)
    if event is None:
        raise Http404(_("No event has the position %(position)d.") % {"position": position})
    hidden_streams = figures_hidden_before_counts.streams(visit.reader.roles)
    if figures_hidden_before_counts.is_hidden_stream(event.row.stream, hidden_streams):
        raise Http404(_("No event has the position %(position)d.") % {"position": position})
    if event.row.stream in hidden_streams and figures_hidden_before_counts.has_buyins([event.row.type]):
        raise Http404(_("Buy-ins of this table are hidden until the count is entered."))
    pretty = msgspec.json.format(event.raw, indent=2).decode()
    template = "pages/event_detail.html" if visit.request.headers.get("HX-Request") else ""
    dos, hit = _actions_and_hit(position)
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
