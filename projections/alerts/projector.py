"""The projector of the alerts: it shows each event to the watches, and stores their states and alerts."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from events.alerts.alert_action_structs_and_decider import (
    AlertAssigned,
    AlertCleared,
    AlertNoted,
    AlertReopened,
    OfAlert,
)
from events.alerts.detector_base import Handler, RaisedAlert, Watch
from events.alerts.detector_registry import watches
from events.alerts.roles_and_settings_in_force import HouseWatch, property_of, rules_at
from events.house.alert_rules import RULES, AlertRule
from events.house.setting_and_chip_structs import SettingChanged
from projections.alerts import VERSION
from projections.alerts.models import Alert, WatchState
from projections.engine.bulk_writer import Changes, WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Projector
from projections.engine.row_cache_for_batches import RowCache, States

KEPT_MAX = 5_000  # states of a watch in memory between batches


class WatchStates:
    """The states of one watch, by key."""

    def __init__(self, target: WriteTarget, watch: Watch) -> None:
        self.watch = watch
        self._shape = watch.state
        self._rows: States[WatchState, Any] = States(target, WatchState, watch.state)
        self._state_by_key: dict[str, Any] = {}
        self._changed_keys: set[str] = set()

    def load(self, keys: Collection[str]) -> None:
        """Bring these states into memory with one query."""
        if missing := [self._row(key) for key in keys if key not in self._state_by_key]:
            self._rows.load(missing)

    def get(self, key: str) -> Any:
        """Return the state of a key; an empty one where none is stored."""
        state = self._state_by_key.get(key)
        if state is None:
            state = self._rows.get(self._row(key)) if key else None
            state = self._state_by_key[key] = self._shape() if state is None else state
        return state

    def changed(self, key: str) -> None:
        """The state of this key is another now."""
        self._changed_keys.add(key)

    def changes(self) -> Sequence[Sequence[Any]]:
        """The changed rows."""
        for key in self._changed_keys:
            self._put(self._row(key), self._state_by_key[key])
        self._changed_keys = set()
        if len(self._state_by_key) > KEPT_MAX:
            self._state_by_key = {}
        return self._rows.changes()[1]

    def forget(self) -> None:
        """Read again."""
        self._rows.forget()
        self._state_by_key, self._changed_keys = {}, set()

    def _put(self, row: str, state: Any) -> None:
        self._rows.put(row, state, lambda: WatchState(id=row))

    def _row(self, key: str) -> str:
        return f"{self.watch.name}:{key}"


_Listener: TypeAlias = tuple[WatchStates, Callable[[Any], str | None], Handler]
_Telling: TypeAlias = tuple[Event, WatchStates, str, Handler]  # which watch gets which event, for which state


class AlertsProjector(Projector):
    """Alerts, by the rules in force."""

    name = "alerts"
    version = VERSION
    models = (Alert, WatchState)

    def __init__(self, target: WriteTarget) -> None:
        super().__init__(target)
        self.rules: Mapping[str, AlertRule] = RULES
        self._alerts = RowCache(target, Alert)
        self._states = {watch.name: WatchStates(target, watch) for watch in watches()}
        self._by_type: dict[str, list[_Listener]] = {}
        for states in self._states.values():
            for kind, handler in states.watch.handlers().items():
                self._by_type.setdefault(kind.TYPE, []).append((states, states.watch.key, handler))
        action_handlers = [(states, states.watch.of_actions()) for states in self._states.values()]
        self._telling: list[_Telling] = []
        self._of_actions = [
            (states, states.watch.key, handler) for states, handler in action_handlers if handler is not None
        ]

    def state(self, watch: str, key: str) -> Any:
        """Return the state of a watch, for another watch."""
        return self._states[watch].get(key)

    def load(self, events: Sequence[Event]) -> None:
        self._telling = self._tellings(events)
        wanted: defaultdict[WatchStates, set[str]] = defaultdict(set)
        for _, states, key, _ in self._telling:
            if key:
                wanted[states].add(key)
        for states, keys in wanted.items():
            states.load(keys)
        self._alerts.load({event.data.alert for event in events if isinstance(event.data, OfAlert)})
        self._rule(events)

    def fold(self, events: Sequence[Event]) -> None:
        telling, self._telling = self._telling, []
        raised_alerts: list[tuple[Event, RaisedAlert, AlertRule]] = []
        for event, states, key, handler in telling:
            alerts = handler(states.get(key), event, self)
            if event.type == SettingChanged.TYPE:
                self._rule([event])
            if alerts is None:
                continue
            if key:
                states.changed(key)
            raised_alerts += [(event, alert, rule) for alert in alerts if (rule := self.rules[alert.name]).on]
        self._raise(raised_alerts)
        self._touch([event for event in events if isinstance(event.data, OfAlert)])

    def changes(self) -> Sequence[Changes]:
        rows = sorted((row for states in self._states.values() for row in states.changes()), key=itemgetter(0))
        return [(WatchState, rows), self._alerts.changes()]

    def forget(self) -> None:
        self._telling = []
        self._alerts.forget()
        for states in self._states.values():
            states.forget()

    def _tellings(self, events: Sequence[Event]) -> list[_Telling]:
        """Return the handlers of each event with their states: those of its action first, once per action."""
        deliveries: list[_Telling] = []
        action: Any = UNSET
        for event in events:
            causation, handlers = event.envelope.causation, self._by_type.get(event.type, ())
            if causation is UNSET or causation != action:
                action, handlers = causation, (*self._of_actions, *handlers)
            for states, key_of, handler in handlers:
                if (key := key_of(event)) is not None:
                    deliveries.append((event, states, key, handler))
        return deliveries

    def _rule(self, events: Sequence[Event]) -> None:
        """The rules in force at the first of these events."""
        if events:
            self.rules = rules_at(self.state(HouseWatch.name, property_of(events[0])))

    def _touch(self, events: Sequence[Event]) -> None:
        """Apply people's actions on alerts. An alert that was never raised is skipped."""
        for event in events:
            if self._alerts.get(event.data.alert) is not None:
                _update_alert(self._alerts.change(event.data.alert, Alert), event)

    def _raise(self, raised: Sequence[tuple[Event, RaisedAlert, AlertRule]]) -> None:
        """Store each alert once, by the rule in force.

        The handlers turn a repeated cause, as a terminal with a wrong clock, into one alert.
        """
        ids = [alert.id for _, alert, _ in raised]
        self._alerts.load(ids)
        for name, (event, alert, rule) in zip(ids, raised, strict=True):
            if self._alerts.get(name) is None:
                self._alerts.change(name, _new_row(event, alert, rule))


def _update_alert(row: Alert, event: Event) -> None:
    data, row.last_position = event.data, event.position
    if isinstance(data, AlertNoted):
        row.notes += 1
    elif isinstance(data, AlertAssigned):
        row.assigned = data.person
    elif isinstance(data, AlertCleared):
        row.disposition = data.disposition
    elif isinstance(data, AlertReopened):
        row.disposition = ""
    row.status = "cleared" if row.disposition else "assigned" if row.assigned else "open"


def _new_row(event: Event, alert: RaisedAlert, rule: AlertRule) -> Callable[[], Alert]:
    return lambda: Alert(
        id=alert.id,
        name=alert.name,
        severity=rule.severity,
        rule_version=rule.version,
        raised_at_position=event.position,
        raised=event.envelope.time,
        stream=event.stream,
        gaming_day=alert.gaming_day,
        table=alert.table or "",
        round=alert.round,
        person=alert.data.get("person") or "",
        events=msgspec.json.encode(alert.proofs).decode(),
        data=msgspec.json.encode(alert.data).decode(),
        last_position=event.position,
    )
