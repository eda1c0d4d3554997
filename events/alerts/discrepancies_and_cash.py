"""Differences between counted and expected amounts, and players' changes of cash."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from events.accounting import player_cash_totals
from events.alerts.detector_base import Handler, NoState, RaisedAlert, RuleContext, Watch, WatchedEvent, raised
from events.alerts.fact_behind_irregularity import with_fact
from events.alerts.roles_and_settings_in_force import property_of, settings_at
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.envelope import EventData


class DiscrepancyWatch(Watch):
    """No state. An opener counts from the smallest difference of money on, the others from the reporting band on."""

    name = "discrepancies"
    state = NoState

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {DiscrepancyFound: self._check_band}

    def key(self, event: WatchedEvent) -> str:
        return ""

    def _check_band(self, _state: NoState, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        data: DiscrepancyFound = event.data
        difference = data.found_minor - data.expected_minor
        is_opener = data.kind == "opener"
        if (difference == 0) if is_opener else (data.band == "recorded"):
            return None
        name = "inventory" if is_opener else "discrepancy"
        about: dict[str, Any] = {"kind": data.kind, "band": data.band, "slip": data.slip, "drop_box": data.drop_box}
        person = next(iter(data.counted_by), event.envelope.actor)
        figures: dict[str, Any] = {"expected": data.expected_minor, "found": data.found_minor}
        return (with_fact(raised(name, event, person=person, sum=difference, **figures, **about), event, context),)


class CashState(msgspec.Struct):
    """A player's cash of a gaming day both ways, the events of it until all is raised, and how far it was raised."""

    given: int = 0
    got: int = 0
    events: list[str] = []
    level: str = ""


class CashWatch(Watch):
    """One state a player and gaming day; raised once near the threshold, once over it."""

    name = "cash"
    state = CashState

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return dict.fromkeys(player_cash_totals.types(), self._moved)

    def key(self, event: WatchedEvent) -> str | None:
        data: Any = event.data
        player = getattr(data, "player", None)
        return f"{property_of(event)}/{player_cash_totals.day_of(data)}/{player}" if player else None

    def _moved(self, state: CashState, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        _, paid_in, got = player_cash_totals.player_and_cash(event.data)
        if not paid_in and not got:
            return None
        state.given, state.got = state.given + paid_in, state.got + got
        if state.level == "report":  # nothing more is raised, and the state does not grow with the night
            return ()
        state.events.append(event.id)
        level = player_cash_totals.level(max(state.given, state.got), settings_at(context, event))
        if level in ("", state.level):
            return ()
        state.level, proofs = level, tuple(state.events)
        if level == "report":
            state.events.clear()
        about: dict[str, Any] = {
            "level": level,
            "given": state.given,
            "got": state.got,
            "sum": max(state.given, state.got),
        }
        return (raised("cash", event, *proofs, once=level, person=event.data.player, **about),)
