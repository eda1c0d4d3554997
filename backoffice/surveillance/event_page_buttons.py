"""Actions that people may take on one event or one hit, for the buttons on its page."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from backoffice.kit.due_action_and_link_structs import DueAction, table_address
from events.progressives.event_types import MeterAdjusted, ParametersChanged, VarianceOpened
from events.tables.event_types.rounds import BetCorrected, BetPlaced, BetRestaked, BetSettled, PaymentMade
from projections.eventlog.models import EventLog
from projections.floor.models import PlayedRound
from projections.matters.models import Notice, Variance
from projections.progressives.models import ArmedRound, Hit

LAYS = (BetPlaced.TYPE, BetRestaked.TYPE, BetCorrected.TYPE)
PAYS = (BetSettled.TYPE, PaymentMade.TYPE)


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


class _EventData(msgspec.Struct):
    data: dict[str, Any]


def event(position: int) -> tuple[list[DueAction], tuple[str, str] | None]:
    """Return the actions on an event, and the hit that it names: (progressive, hit)."""
    row = EventLog.objects.filter(position=position).first()
    if row is None:
        return [], None
    looked = LoggedEvent(row, msgspec.json.decode(bytes(row.raw), type=_EventData).data)
    return list(_doing(looked)), _hit(looked)


def _hit(looked: LoggedEvent) -> tuple[str, str] | None:
    hit = looked.data.get("hit")
    row = Hit.objects.filter(hit=hit).first() if isinstance(hit, str) else None
    return None if row is None else (row.stream.rpartition("/")[2], row.hit)


def _doing(looked: LoggedEvent) -> Iterator[DueAction]:
    if looked.row.type in _OF_TYPE:
        yield from _OF_TYPE[looked.row.type](looked)
    if looked.row.round is not None and "/tables/" in looked.row.stream:
        yield from _of_round(looked)


def _of_round(looked: LoggedEvent) -> Iterator[DueAction]:
    """Yield the actions on the event's round."""
    played = PlayedRound.objects.filter(id=f"{looked.row.stream}#{looked.row.round}").first()
    if played is None:
        return
    bet, number = looked.data.get("bet"), played.round
    if played.state == "in play":
        if looked.row.type in LAYS:
            yield looked.do(_("Correct bet"), "bet.correct", corrects=looked.id, bet=bet)
        yield looked.do(_("Void round"), "round.void", round=number)
    elif looked.row.type in PAYS:
        yield looked.do(_("Correct settlement"), "settlement.correct", bet=bet, settled_in=number)
        yield looked.do(_("Report payment"), "payment.report", bet=bet, won_in=number)
    if ArmedRound.objects.filter(id=played.id).exists():
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
