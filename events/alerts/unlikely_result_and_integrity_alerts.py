"""Alerts from the system's own events: a result that chance does not explain, a history that does not hold."""

from collections.abc import Mapping, Sequence
from typing import Any

from events.alerts.detector_base import Handler, NoState, RaisedAlert, RuleContext, Watch, WatchedEvent, raised
from events.alerts.system_recorded_event_types import ChanceJudged, ChipsExceeded, IntegrityFailed, JudgedWin
from events.envelope import EventData


class SystemWatch(Watch):
    """No state."""

    name = "system"
    state = NoState

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {ChanceJudged: self._judged, IntegrityFailed: self._failed, ChipsExceeded: self._exceeded}

    def key(self, event: WatchedEvent) -> str:
        return ""

    def _judged(self, _state: NoState, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert]:
        data: ChanceJudged = event.data
        one_in = context.rules[data.kind].parameters["one_in"]
        return [_unlikely(event, data, line) for line in data.lines if line.chance * one_in < 1]

    def _failed(self, _state: NoState, event: WatchedEvent, _context: RuleContext) -> Sequence[RaisedAlert]:
        data: IntegrityFailed = event.data
        about: dict[str, Any] = {"reason": data.kind, "detail": "; ".join(data.findings), "findings": data.count}
        return (raised("integrity", event, **about),)

    def _exceeded(self, _state: NoState, event: WatchedEvent, _context: RuleContext) -> Sequence[RaisedAlert]:
        data: ChipsExceeded = event.data
        places = {"tables": data.tables_minor, "cage": data.cage_minor, "transit": data.transit_minor}
        about: dict[str, Any] = {"reason": "chips with players below zero", "issued": data.issued_minor, **places}
        return (raised("inventory", event, sum=data.too_many_minor, **about),)


def _unlikely(event: WatchedEvent, data: ChanceJudged, line: JudgedWin) -> RaisedAlert:
    """Return the alert of an unlikely result. `sum` is the win of the table, or of the player; an estimate where
    players choose."""
    is_hold = data.kind == "hold"
    return raised(
        data.kind,
        event,
        data.closing,
        once=line.name,
        sum=line.win_minor if is_hold else -line.win_minor,
        person=None if is_hold else line.name,
        p=line.chance,
        decisions=line.decisions,
        handle=line.handle_minor,
        theory=line.theory_micro // 1_000_000,
        deviation=line.deviation_minor,
        how=line.how,
        basis=line.basis,
        shift=data.shift,
    )
