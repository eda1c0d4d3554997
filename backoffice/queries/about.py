"""What people may do about one event or one hit, with what is known of it: for the buttons beside it."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from backoffice.queries import inbox
from backoffice.queries.matters import shares
from backoffice.queries.matters.doing import Do, table_address
from events.progressives.types import MeterAdjusted, ParametersChanged, VarianceOpened
from events.tables.types.rounds import BetCorrected, BetPlaced, BetRestaked, BetSettled, PaymentMade
from projections.eventlog.models import EventLog
from projections.floor.models import PlayedRound
from projections.matters.models import HousePayment, Notice, Variance
from projections.progressives.models import ArmedRound, Hit

LAYS = (BetPlaced.TYPE, BetRestaked.TYPE, BetCorrected.TYPE)
PAYS = (BetSettled.TYPE, PaymentMade.TYPE)
SETTLED = ("paid", "void", "refused")


class Event(msgspec.Struct, frozen=True):
    """What is looked at: where it stands, and what it says."""

    row: EventLog
    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        return f"{self.row.stream}@{self.row.version}"

    def do(self, label: str, action: str, corrects: str = "", **data: Any) -> Do:
        """An action of the event's own stream."""
        to, query = self.row.stream.partition("/")[2], ""
        if to.startswith("tables/"):
            to, query = table_address(self.row.stream)
        return Do(label, "", to, "", action, data, query, corrects)


class _Said(msgspec.Struct):
    data: dict[str, Any]


def event(position: int) -> tuple[list[Do], tuple[str, str] | None]:
    """What may be done about an event, and the hit that it tells of: (progressive, hit)."""
    row = EventLog.objects.filter(position=position).first()
    if row is None:
        return [], None
    found = Event(row, msgspec.json.decode(bytes(row.raw), type=_Said).data)
    return list(_doing(found)), _hit(found)


def _hit(found: Event) -> tuple[str, str] | None:
    hit = found.data.get("hit")
    row = Hit.objects.filter(hit=hit).first() if isinstance(hit, str) else None
    return None if row is None else (row.stream.rpartition("/")[2], row.hit)


def _doing(found: Event) -> Iterator[Do]:
    if found.row.type in _OF_TYPE:
        yield from _OF_TYPE[found.row.type](found)
    if found.row.round is not None and "/tables/" in found.row.stream:
        yield from _of_round(found)


def _of_round(found: Event) -> Iterator[Do]:
    """Of the round in which it happened."""
    played = PlayedRound.objects.filter(id=f"{found.row.stream}#{found.row.round}").first()
    if played is None:
        return
    bet, number = found.data.get("bet"), played.round
    if played.state == "in play":
        if found.row.type in LAYS:
            yield found.do(_("Correct the bet"), "bet.correct", corrects=found.id, bet=bet)
        yield found.do(_("Void the round"), "round.void", round=number)
    elif found.row.type in PAYS:
        yield found.do(_("Correct what was settled"), "settlement.correct", bet=bet, settled_in=number)
        yield found.do(_("Report a payment"), "payment.report", bet=bet, won_in=number)
    if ArmedRound.objects.filter(id=played.id).exists():
        yield found.do(_("Declare a hit late"), "hit.declare_late", round=number, box=found.row.box)


def _notice(found: Event) -> Iterator[Do]:
    if Notice.objects.filter(position=found.row.position, read_at=None).exists():
        yield found.do(_("Say that it was read"), "notice.acknowledge", change=found.row.position)


def _variance(found: Event) -> Iterator[Do]:
    case = found.data.get("case")
    if Variance.objects.filter(id=f"{found.row.stream}/{case}", closed_at=None).exists():
        yield found.do(_("Close the variance"), "variance.close", case=case)


_OF_TYPE: dict[str, Callable[[Event], Iterator[Do]]] = {
    ParametersChanged.TYPE: _notice,
    MeterAdjusted.TYPE: _notice,
    VarianceOpened.TYPE: _variance,
}


def hit(progressive: str, name: str, person: str, roles: Collection[str]) -> list[Do]:
    """What this person may do about a hit: what waits for them, and what people may always do."""
    row = Hit.objects.filter(hit=name, stream__endswith=f"/progressives/{progressive}").first()
    if row is None:
        return []
    waiting = inbox.of_a_hit(progressive, name)
    dos = [do for one in waiting if one.is_for(person, roles) for do in one.dos]
    own = [do for one in waiting if one.by == person for do in one.own]
    return [*dos, *own, *_always(row, progressive)]


def _always(row: Hit, progressive: str) -> Iterator[Do]:
    to = f"progressives/{progressive}"
    if row.status not in SETTLED:
        yield Do(_("Void the hit"), "", to, "", "hit.void", {"hit": row.hit})
    known = {"hit": row.hit, "level": row.level, "player": row.player}
    yield Do(_("Pay by the house"), "", to, "", "house.pay", known)
    for paid in HousePayment.objects.filter(stream=row.stream, hit=row.hit, void_at=None):
        yield shares.taking_back(paid)
