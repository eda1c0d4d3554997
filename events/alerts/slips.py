"""Fill and credit slips: a number twice in its series, a receipt that is another, a slip that is open for too long.

A series is a kind of slip in a business year of the property. Where there is no cage that numbers slips, the year is
that of the gaming day.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from events.accounting.types.cage import CreditReceived
from events.alerts.known import property_of
from events.alerts.said import TimePassed
from events.alerts.watching import Around, Event, Handler, Raised, Watch, raised
from events.envelope import EventData
from events.slips import SlipIssued, name_of
from events.tables.types.money import CreditSent, FillReceived

NAME = "slip"
TWICE, OTHER, OPEN = "number used twice", "the receipt is another", "open for too long"


class Slip(msgspec.Struct):
    """What was said of a slip, and by which event: as it was issued, and as its table received or sent it."""

    issued: str = ""
    issued_chips: dict[int, int] = {}
    used: str = ""
    used_chips: dict[int, int] = {}


class Slips(Watch):
    """One state a slip, by PROPERTY/KIND-YEAR-NUMBER."""

    name = "slips"
    state = Slip

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {
            SlipIssued: self._issued,
            **dict.fromkeys((FillReceived, CreditSent), self._used),
            CreditReceived: self._received,
            TimePassed: self._open_for_long,
        }

    def key(self, event: Event) -> str:
        said: Any = event.data
        if isinstance(said, TimePassed):
            return f"{property_of(event)}/{said.name}"
        kind = said.kind if isinstance(said, SlipIssued) else "fill" if isinstance(said, FillReceived) else "credit"
        return f"{property_of(event)}/{name_of(kind, said.year or said.gaming_day[:4], said.slip)}"

    def _issued(self, state: Slip, event: Event, _around: Around) -> Sequence[Raised]:
        before, state.issued, state.issued_chips = state.issued, event.id, event.data.chips
        return _raise(event, TWICE, before) if before else ()

    def _used(self, state: Slip, event: Event, _around: Around) -> Sequence[Raised]:
        said: FillReceived | CreditSent = event.data
        before, state.used, state.used_chips = state.used, event.id, said.chips
        found = [*_raise(event, TWICE, before)] if before else []
        if state.issued and said.chips != state.issued_chips:
            found += _raise(event, OTHER, state.issued)
        return found

    def _received(self, state: Slip, event: Event, _around: Around) -> Sequence[Raised] | None:
        sent = state.used_chips if state.used else state.issued_chips
        if not sent or event.data.chips == sent:
            return None
        return _raise(event, OTHER, state.issued, state.used)

    def _open_for_long(self, _state: Slip, event: Event, _around: Around) -> Sequence[Raised]:
        said: TimePassed = event.data
        return (raised(NAME, event, said.since, once=OPEN, reason=OPEN, slip=said.name, minutes=said.minutes),)


def _raise(event: Event, reason: str, *proofs: str) -> tuple[Raised]:
    said = event.data
    person = event.envelope.actor
    about: dict[str, Any] = {"slip": said.slip, "year": said.year or said.gaming_day[:4], "sum": said.amount_minor}
    return (raised(NAME, event, *proofs, once=reason, person=person, reason=reason, **about),)
