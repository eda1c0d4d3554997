"""The projector of the alerts: it shows each event to the watches, and keeps what they know and what they raise."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from events.alert_rules import RULES, Rule
from events.alerts.desk import AlertAssigned, AlertCleared, AlertNoted, AlertReopened, OfAlert
from events.alerts.known import House, property_of, rules_at
from events.alerts.watches import watches
from events.alerts.watching import Handler, Raised, Watch
from events.house.types import SettingChanged
from projections.alerts import VERSION
from projections.alerts.models import Alert, WatchState
from projections.engine.events import Event
from projections.engine.projector import Projector
from projections.engine.rows import Rows
from projections.engine.states import States
from projections.engine.target import Changes, Target

KEPT_MAX = 5_000  # states of a watch in memory between batches


class Kept:
    """The states of one watch, by key."""

    def __init__(self, target: Target, watch: Watch) -> None:
        self.watch = watch
        self._shape = watch.state
        self._rows: States[WatchState, Any] = States(target, WatchState, watch.state)
        self._known: dict[str, Any] = {}
        self._changed: set[str] = set()

    def load(self, keys: Collection[str]) -> None:
        """Bring these states into memory with one query."""
        if missing := [self._row(key) for key in keys if key not in self._known]:
            self._rows.load(missing)

    def get(self, key: str) -> Any:
        """The state; an empty one where nothing is known."""
        found = self._known.get(key)
        if found is None:
            found = self._rows.get(self._row(key)) if key else None
            found = self._known[key] = self._shape() if found is None else found
        return found

    def changed(self, key: str) -> None:
        """The state of this key is another now."""
        self._changed.add(key)

    def changes(self) -> Sequence[Sequence[Any]]:
        """The changed rows."""
        for key in self._changed:
            row = self._row(key)
            self._rows.put(row, self._known[key], partial(WatchState, id=row))
        self._changed = set()
        if len(self._known) > KEPT_MAX:
            self._known = {}
        return self._rows.changes()[1]

    def forget(self) -> None:
        """Read again."""
        self._rows.forget()
        self._known, self._changed = {}, set()

    def _row(self, key: str) -> str:
        return f"{self.watch.name}:{key}"


_Told: TypeAlias = tuple[Kept, Callable[[Any], str | None], Handler]
_Telling: TypeAlias = tuple[Event, Kept, str, Handler]  # what is told which watch, of which state


class Alerts(Projector):
    """Alerts, by the rules in force."""

    name = "alerts"
    version = VERSION
    models = (Alert, WatchState)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.rules: Mapping[str, Rule] = RULES
        self._alerts = Rows(target, Alert)
        self._kept = {watch.name: Kept(target, watch) for watch in watches()}
        self._by_type: dict[str, list[_Told]] = {}
        for kept in self._kept.values():
            for kind, handler in kept.watch.handlers().items():
                self._by_type.setdefault(kind.TYPE, []).append((kept, kept.watch.key, handler))
        told = [(kept, kept.watch.of_actions()) for kept in self._kept.values()]
        self._telling: list[_Telling] = []
        self._of_actions = [(kept, kept.watch.key, handler) for kept, handler in told if handler is not None]

    def state(self, watch: str, key: str) -> Any:
        """What a watch knows, for another one."""
        return self._kept[watch].get(key)

    def load(self, events: Sequence[Event]) -> None:
        self._telling = self._told(events)
        wanted: defaultdict[Kept, set[str]] = defaultdict(set)
        for _, kept, key, _ in self._telling:
            if key:
                wanted[kept].add(key)
        for kept, keys in wanted.items():
            kept.load(keys)
        self._alerts.load({event.data.alert for event in events if isinstance(event.data, OfAlert)})
        self._rule(events)

    def fold(self, events: Sequence[Event]) -> None:
        telling, self._telling = self._telling, []
        raised: list[tuple[Event, Raised, Rule]] = []
        for event, kept, key, handler in telling:
            found = handler(kept.get(key), event, self)
            if event.type == SettingChanged.TYPE:
                self._rule([event])
            if found is None:
                continue
            if key:
                kept.changed(key)
            raised += [(event, one, rule) for one in found if (rule := self.rules[one.name]).on]
        self._raise(raised)
        self._touch([event for event in events if isinstance(event.data, OfAlert)])

    def changes(self) -> Sequence[Changes]:
        rows = sorted((row for kept in self._kept.values() for row in kept.changes()), key=itemgetter(0))
        return [(WatchState, rows), self._alerts.changes()]

    def forget(self) -> None:
        self._telling = []
        self._alerts.forget()
        for kept in self._kept.values():
            kept.forget()

    def _told(self, events: Sequence[Event]) -> list[_Telling]:
        """Whom each event is told, in which state: first what an action is, once, then what its events are."""
        found: list[_Telling] = []
        action: Any = UNSET
        for event in events:
            causation, told = event.envelope.causation, self._by_type.get(event.type, ())
            if causation is UNSET or causation != action:
                action, told = causation, (*self._of_actions, *told)
            for kept, key_of, handler in told:
                if (key := key_of(event)) is not None:
                    found.append((event, kept, key, handler))
        return found

    def _rule(self, events: Sequence[Event]) -> None:
        """The rules in force at the first of these events."""
        if events:
            self.rules = rules_at(self.state(House.name, property_of(events[0])))

    def _touch(self, events: Sequence[Event]) -> None:
        """What people did with alerts: they were raised before. One that is not there is none."""
        for event in events:
            if self._alerts.get(event.data.alert) is not None:
                _touched(self._alerts.change(event.data.alert, Alert), event)

    def _raise(self, raised: Sequence[tuple[Event, Raised, Rule]]) -> None:
        """Each once, by the rule that was in force: whatever raises many, as a terminal whose clock is wrong, makes one
        question of it."""
        ids = [one.id for _, one, _ in raised]
        self._alerts.load(ids)
        for name, (event, one, rule) in zip(ids, raised, strict=True):
            if self._alerts.get(name) is None:
                self._alerts.change(name, partial(_row, event, one, rule))


def _touched(row: Alert, event: Event) -> None:
    said, row.last_position = event.data, event.position
    if isinstance(said, AlertNoted):
        row.notes += 1
    elif isinstance(said, AlertAssigned):
        row.assigned = said.person
    elif isinstance(said, AlertCleared):
        row.disposition = said.disposition
    elif isinstance(said, AlertReopened):
        row.disposition = ""
    row.status = "cleared" if row.disposition else "assigned" if row.assigned else "open"


def _row(event: Event, one: Raised, rule: Rule) -> Alert:
    return Alert(
        id=one.id,
        name=one.name,
        severity=rule.severity,
        rule_version=rule.version,
        raised_at_position=event.position,
        raised=event.envelope.time,
        stream=event.stream,
        gaming_day=one.gaming_day,
        table=one.table or "",
        round=one.round,
        person=one.data.get("person") or "",
        events=msgspec.json.encode(one.proofs).decode(),
        data=msgspec.json.encode(one.data).decode(),
        last_position=event.position,
    )
