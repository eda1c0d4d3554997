"""What the system has said raises its alerts: a result that chance does not explain, a history that does not hold."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from events.alerts.said import ChanceJudged, ChipsExceeded, IntegrityFailed, Judged
from events.alerts.watching import Around, Event, Handler, Raised, Watch, raised
from events.envelope import EventData


class Nothing(msgspec.Struct):
    """Nothing is kept."""


class OfTheSystem(Watch):
    """No state."""

    name = "system"
    state = Nothing

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {ChanceJudged: self._judged, IntegrityFailed: self._failed, ChipsExceeded: self._exceeded}

    def key(self, event: Event) -> str:
        return ""

    def _judged(self, _state: Nothing, event: Event, around: Around) -> Sequence[Raised]:
        said: ChanceJudged = event.data
        one_in = around.rules[said.kind].parameters["one_in"]
        return [_unlikely(event, said, line) for line in said.lines if line.chance * one_in < 1]

    def _failed(self, _state: Nothing, event: Event, _around: Around) -> Sequence[Raised]:
        said: IntegrityFailed = event.data
        about: dict[str, Any] = {"reason": said.kind, "detail": "; ".join(said.findings), "findings": said.count}
        return (raised("integrity", event, **about),)

    def _exceeded(self, _state: Nothing, event: Event, _around: Around) -> Sequence[Raised]:
        said: ChipsExceeded = event.data
        places = {"tables": said.tables_minor, "cage": said.cage_minor, "transit": said.transit_minor}
        about: dict[str, Any] = {"reason": "chips with players below zero", "issued": said.issued_minor, **places}
        return (raised("inventory", event, sum=said.too_many_minor, **about),)


def _unlikely(event: Event, said: ChanceJudged, line: Judged) -> Raised:
    """`sum` is what the table, or the player, won; an estimate where players choose."""
    is_hold = said.kind == "hold"
    return raised(
        said.kind,
        event,
        said.closing,
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
        shift=said.shift,
    )
