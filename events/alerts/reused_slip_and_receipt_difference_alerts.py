"""Fill and credit slips: a repeated number in its series, a receipt that differs, a slip that is open for too long.

A series is a kind of slip in a business year of the property. A credit is compared when the cage receives it, like its
discrepancy: once, for any amount sent.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from events.accounting.event_types.cage import CreditReceived
from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, action_of, raised
from events.alerts.irregularity_event_alerts import OF_SLIPS, irregularity_alert
from events.alerts.roles_and_settings_in_force import property_of, settings_at
from events.alerts.system_recorded_event_types import TimePassed
from events.controls.slip_issued_event import SlipIssued, business_year
from events.envelope import EventData
from events.tables.event_types.money import CreditSent, FillReceived
from events.tables.event_types.session import IrregularityRecorded

NAME = "slip"
TWICE, OTHER, OPEN = "number used twice", "the receipt is another", "open for too long"


class SlipEvents(msgspec.Struct):
    """The events and chips of a slip: at its issue, and at its receipt or sending by the table."""

    issued: str = ""
    issued_chips: dict[int, int] = {}
    used: str = ""
    used_chips: dict[int, int] = {}


class NumberedSlips(msgspec.Struct):
    """The slips of a kind and number, by business year."""

    years: dict[str, SlipEvents] = {}

    def at(self, event: WatchedEvent, context: RuleContext) -> SlipEvents:
        """The one that an event is about."""
        return self.years.setdefault(_year(event, context), SlipEvents())


class SlipWatch(Watch):
    """One state a kind and number, by PROPERTY/KIND-NUMBER."""

    name = "slips"
    state = NumberedSlips

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {
            SlipIssued: self._issued,
            **dict.fromkeys((FillReceived, CreditSent), self._used),
            CreditReceived: self._received,
            TimePassed: self._open_for_long,
        }

    def key(self, event: WatchedEvent) -> str:
        return "" if isinstance(event.data, TimePassed) else _key(event)

    def _issued(self, state: NumberedSlips, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert]:
        slip = state.at(event, context)
        before, slip.issued, slip.issued_chips = slip.issued, event.id, _nonzero_pieces(event)
        return _raise(event, context, TWICE, before) if before else ()

    def _used(self, state: NumberedSlips, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert]:
        data: FillReceived | CreditSent = event.data
        slip = state.at(event, context)
        before, slip.used, slip.used_chips = slip.used, event.id, _nonzero_pieces(event)
        alerts = [*_raise(event, context, TWICE, before)] if before else []
        if slip.issued and isinstance(data, FillReceived) and slip.used_chips != slip.issued_chips:
            alerts += _raise(event, context, OTHER, slip.issued)
        return alerts

    def _received(self, state: NumberedSlips, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert]:
        slip = state.at(event, context)
        chip_counts = [chips for chips in (slip.issued_chips, slip.used_chips) if chips]
        is_same = all(chips == _nonzero_pieces(event) for chips in chip_counts)
        return () if is_same else _raise(event, context, OTHER, slip.issued, slip.used)

    def _open_for_long(
        self, _state: NumberedSlips, event: WatchedEvent, _context: RuleContext
    ) -> Sequence[RaisedAlert]:
        data: TimePassed = event.data
        if data.kind != "slip":
            return ()
        return (raised(NAME, event, data.since, once=OPEN, reason=OPEN, slip=data.name, minutes=data.minutes),)


class ReusedNumber(msgspec.Struct):
    """The last action at a table that used a number again."""

    action: str = ""


class FoundSlips(Watch):
    """One state a session: a slip irregularity of a decider is a number used again, or an irregularity.

    It reads the state of a number before the use is noted there.
    """

    name = "found slips"
    state = ReusedNumber

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {**dict.fromkeys((FillReceived, CreditSent), self._used), IrregularityRecorded: self._irregular}

    def _used(self, state: ReusedNumber, event: WatchedEvent, context: RuleContext) -> tuple[()] | None:
        numbered: NumberedSlips = context.state(SlipWatch.name, _key(event))
        slip = numbered.years.get(_year(event, context))
        if slip is None or not slip.used:
            return None
        state.action = action_of(event)
        return ()

    def _irregular(
        self, state: ReusedNumber, event: WatchedEvent, context: RuleContext
    ) -> Sequence[RaisedAlert] | None:
        is_named = event.data.kind not in OF_SLIPS or state.action == action_of(event)
        return None if is_named else (irregularity_alert(event, context),)


def _key(event: WatchedEvent) -> str:
    data: Any = event.data
    kind = data.kind if isinstance(data, SlipIssued) else "fill" if isinstance(data, FillReceived) else "credit"
    return f"{property_of(event)}/{kind}-{data.slip}"


def _nonzero_pieces(event: WatchedEvent) -> dict[int, int]:
    """Return the chips without denominations of zero pieces."""
    return {value: pieces for value, pieces in event.data.chips.items() if pieces}


def _year(event: WatchedEvent, context: RuleContext) -> str:
    """The business year of its series; where no cage numbers slips, that of the gaming day."""
    data: Any = event.data
    year: str = data.year or business_year(data.gaming_day, settings_at(context, event))
    return year


def _raise(event: WatchedEvent, context: RuleContext, reason: str, *proofs: str) -> tuple[RaisedAlert]:
    data = event.data
    about: dict[str, Any] = {"slip": data.slip, "year": _year(event, context), "sum": data.amount_minor}
    return (raised(NAME, event, *proofs, once=reason, person=event.envelope.actor, reason=reason, **about),)
