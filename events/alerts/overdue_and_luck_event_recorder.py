"""The watchman: appends the system's own events for surveillance, each once (`system_recorded_event_types.py`).

Its events are slips that are open for too long, and results compared with chance. Results are those of a shift at a
table, and of a gaming day by player. A comparison takes milliseconds a round, too much for a projector. So its result
is an event, and the alerts depend on it.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Literal

import msgspec
import structlog

from events import catalogue
from events.accounting.event_types.cage import CageClosed, CageCounted, CreditReceived, SlipVoided
from events.accounting.event_types.day_close import DayClosed
from events.accounting.report import chip_value_by_place
from events.accounting.report.ledger_cache_for_day_close import cached_ledger as kept_ledger
from events.alerts.system_recorded_event_types import (
    ChanceJudged,
    ChipsExceeded,
    IntegrityFailed,
    JudgedWin,
    TimePassed,
)
from events.controls.slip_issued_event import SlipIssued, name_of
from events.desk import locked_decisions
from events.envelope import AnyEnvelope, EventData
from events.error_codes import coded
from events.errors import Poison, Refused
from events.house import alert_rules
from events.house.setting_and_chip_structs import SettingChanged
from events.inspection_draws.event_types import DrawCommitted, DrawRevealed
from events.luck.played_decisions_with_bet_results import PlayedDecision, corrected, played_decisions
from events.luck.win_against_theory import Luck, luck
from events.store import EventReader, EventStore, NewEvent, Stored
from events.store.state_follower_base_class import StoreFollower
from events.tables.event_types.counts import ShiftCounted
from events.tables.event_types.money import FillReceived
from events.tables.event_types.session import SessionClosed, SessionOpened, SessionRolled

log = structlog.get_logger(__name__)

RARE = 0.01  # a player with a result that is not rare is only counted
FINDINGS_MAX = 20
_CLOSING = (ShiftCounted, SessionClosed, SessionRolled)
_COUNTS = (SessionOpened, *_CLOSING, CageCounted, CageClosed)
_KINDS: tuple[type[EventData], ...] = (
    *(SlipIssued, FillReceived, CreditReceived, SlipVoided, SettingChanged, SessionOpened, DayClosed),
    *_CLOSING,
    *(CageCounted, CageClosed),
    *(ChanceJudged, TimePassed, IntegrityFailed, ChipsExceeded),
    *(DrawCommitted, DrawRevealed),
)
_TYPES = tuple(sorted(kind.TYPE for kind in _KINDS))


class OpenSlip(msgspec.Struct, frozen=True):
    """A slip that no one has received: since when, by the event that issued it."""

    event: str
    time: str
    table: str
    gaming_day: str


class OpenDraw(msgspec.Struct, frozen=True):
    """A draw that was not revealed, by the event that committed it."""

    event: str
    since: str
    draw_at: str


class ClosedPeriod(msgspec.Struct, frozen=True):
    """A shift at a table, or a gaming day, that is over and not judged yet; `streams` are those to be read."""

    kind: Literal["hold", "luck"]
    event: str
    position: int
    gaming_day: str
    streams: tuple[str, ...]
    table: str | None = None
    shift: str | None = None


class Watchman(StoreFollower):
    """The watchman's state of a property, by all that is stored: it follows the store
    (`events.streams.stream_kind_declaration.FollowingState`)."""

    event_types: Sequence[str] = _TYPES

    def __init__(self, property_: str) -> None:
        super().__init__(f"{property_} watchman")
        self.property = property_
        self.stream = f"{property_}/surveillance"
        self.guard = threading.RLock()
        self.reset()

    def reset(self) -> None:
        """Forget all events."""
        self.slips: dict[str, OpenSlip] = {}
        self.draws: dict[str, OpenDraw] = {}
        self.closes: dict[str, ClosedPeriod] = {}
        self.reported: set[str] = set()
        self.has_counted = False  # whether a count has changed since the last check of the chips
        self._days: dict[str, list[str]] = {}  # the tables' streams of days that are not closed
        self._rules = ""

    def catch_up(self, history: EventReader) -> None:
        """Take all stored events: from the start again, where the store holds another history."""
        with self.guard:
            super().catch_up(history)

    def apply_event(self, stored: Stored) -> None:
        """Take the next event of the property. Unreadable events are reported elsewhere."""
        if stored.stream.startswith(f"{self.property}/"):
            with suppress(Poison):
                self._take(stored, catalogue.decode(stored.type, stored.raw))

    def save(self, store: EventStore) -> None:
        """Do nothing: the state is small and is kept nowhere."""

    def decide(self, *_: Any) -> Sequence[EventData]:
        """No one asks for anything."""
        raise Refused("house surveillance", coded("stream-of-system"))

    def as_if(self) -> "Watchman":
        """Return the watchman itself: it has no trial state."""
        return self

    def suppose(self, news: Sequence[NewEvent]) -> None:
        """Do nothing: the watchman has no trial state."""

    def late(self, now: str) -> list[EventData]:
        """Return the slips that are open and the draws that are unrevealed for too long now, each once."""
        rules, moment = alert_rules.rules_from_setting(self._rules), datetime.fromisoformat(now)
        slips = self._late_slips(rules["slip"].parameters["open_minutes"], moment)
        return [*slips, *self._late_draws(rules["draw"].parameters["reveal_minutes"], moment)]

    def _late_slips(self, minutes: int, now: datetime) -> Iterator[TimePassed]:
        for name, slip in self.slips.items():
            if f"slip {slip.event}" not in self.reported and _is_past(slip.time, minutes, now):
                place = {"gaming_day": slip.gaming_day, "table": slip.table}
                yield TimePassed(kind="slip", name=name, since=slip.event, minutes=minutes, **place)

    def _late_draws(self, minutes: int, now: datetime) -> Iterator[TimePassed]:
        for name, draw in self.draws.items():
            if f"draw {draw.event}" not in self.reported and _is_past(draw.draw_at, minutes, now):
                day = draw.since[:10]
                yield TimePassed(kind="draw", name=name, since=draw.event, minutes=minutes, gaming_day=day)

    def witness_hours(self, history: EventReader) -> int:
        """Return the hours for which the witness may be unreachable, by the rules in force."""
        self.catch_up(history)
        return alert_rules.rules_from_setting(self._rules)["integrity"].parameters["witness_hours"]

    def _take(self, stored_event: Stored, event: AnyEnvelope) -> None:
        data: Any = event.data
        self.has_counted |= isinstance(data, _COUNTS)
        match data:
            case SlipIssued():
                name = name_of(data.kind, data.year, data.slip)
                self.slips[name] = OpenSlip(event.id, event.time, data.table, data.gaming_day)
            case FillReceived() | CreditReceived() | SlipVoided():
                kind = data.kind if isinstance(data, SlipVoided) else _slip_kind(data)
                self.slips.pop(name_of(kind, data.year, data.slip), None)
            case DrawCommitted() | DrawRevealed():
                self._take_draw(event.id, data)
            case SettingChanged(setting="alert_rules"):
                self._rules = data.value
            case SessionOpened():
                self._days.setdefault(data.gaming_day, []).append(stored_event.stream)
            case ShiftCounted() | SessionClosed() | SessionRolled():
                place = {"table": data.table, "shift": data.shift, "streams": (stored_event.stream,)}
                self._close("hold", stored_event, event.id, data.gaming_day, place)
            case DayClosed():
                streams = {"streams": tuple(self._days.pop(data.gaming_day, ()))}
                self._close("luck", stored_event, event.id, data.gaming_day, streams)
            case ChanceJudged():
                self.closes.pop(data.closing, None)
            case TimePassed():
                self.reported.add(f"{data.kind} {data.since}")
            case IntegrityFailed():
                self.reported.add(f"{data.kind} {data.thing}")
            case ChipsExceeded():
                self.reported.add(f"chips {data.gaming_day}")

    def _take_draw(self, event: str, data: DrawCommitted | DrawRevealed) -> None:
        if isinstance(data, DrawRevealed):
            self.draws.pop(data.draw, None)
        elif not data.second_of:
            self.draws[data.draw] = OpenDraw(event, data.since, data.draw_at)

    def _close(
        self, kind: Literal["hold", "luck"], stored: Stored, event: str, day: str, place: Mapping[str, Any]
    ) -> None:
        self.closes[event] = ClosedPeriod(kind, event, stored.position, day, **place)


def _slip_kind(data: FillReceived | CreditReceived) -> str:
    return "fill" if isinstance(data, FillReceived) else "credit"


def of_house(store: EventStore, property_: str) -> Watchman:
    """Return the watchman of this process, with the events that it has read."""
    return store.process_cache.get((Watchman, property_), lambda: Watchman(property_))


def _is_past(time: str, minutes: int, now: datetime) -> bool:
    return (now - datetime.fromisoformat(time)).total_seconds() > minutes * 60


def hours_between(before: str, now: str) -> float:
    """Hours from one time to another, both as events write them."""
    return (datetime.fromisoformat(now) - datetime.fromisoformat(before)).total_seconds() / 3600


# --- saying -----------------------------------------------------------------------------------------------------------


def say_late(store: EventStore, watchman: Watchman) -> int:
    """Report everything that waits for too long by the house's clock, and return the number. Safe to repeat at any
    moment."""
    now = store.clock()
    return len(locked_decisions.append_due(store, watchman, lambda _: watchman.late(now)))


def judge(store: EventStore, watchman: Watchman) -> int:
    """Compare every closed shift and day with chance, one after the other, and return the number. Safe to repeat at any
    moment."""
    watchman.catch_up(store)
    judged = 0
    for close in list(watchman.closes.values()):
        try:
            event = _judged(store, watchman.property, close)
        except Poison as error:  # the others are judged all the same
            log.error("what was closed cannot be held against chance", closing=close.event, why=str(error))
            continue
        judged += len(locked_decisions.append_due(store, watchman, _unless_judged(watchman, close, event)))
    return judged


def report(store: EventStore, watchman: Watchman, failed: IntegrityFailed) -> int:
    """Record the faults of a verification, unless the same are recorded; return the number of new events."""
    return _say_once(store, watchman, f"{failed.kind} {failed.thing}", failed)


def count_chips(store: EventStore, watchman: Watchman) -> int:
    """Record that more chips are in the house than it has issued, once a gaming day; return the number of new
    events.
    """
    accounts = kept_ledger(store, watchman.property)
    with accounts.guard:
        accounts.catch_up(store)
        ledger, places = accounts.ledger, chip_value_by_place.places(accounts.ledger)
        too_many, position = chip_value_by_place.too_many(ledger, places), accounts.position
    accounts.save(store)
    if not too_many:
        return 0
    amounts = {name: places[name] or 0 for name in ("issued_minor", "tables_minor", "cage_minor", "transit_minor")}
    event = ChipsExceeded(gaming_day=ledger.current, position=position, too_many_minor=too_many, **amounts)
    return _say_once(store, watchman, f"chips {ledger.current}", event)


def _say_once(store: EventStore, watchman: Watchman, thing: str, event: EventData) -> int:
    return len(locked_decisions.append_due(store, watchman, lambda _: () if thing in watchman.reported else (event,)))


def _unless_judged(watchman: Watchman, close: ClosedPeriod, event: ChanceJudged) -> locked_decisions.Happens:
    """Return the event, unless another process has judged the period meanwhile."""
    return lambda _history: (event,) if close.event in watchman.closes else ()


def _judged(history: EventReader, property_: str, close: ClosedPeriod) -> ChanceJudged:
    events = [*_read(history, close)]
    decisions = played_decisions(property_, events, corrected(events))
    if close.kind == "hold":
        lines = [_luck_line(result, result.tail.chance) for result in luck(_of_shift(decisions, close.shift), "table")]
    else:
        lines = [_luck_line(result, result.tail.at_most) for result in luck(decisions, "player") if result.name]
    judged_lines = lines if close.kind == "hold" else [line for line in lines if line.chance < RARE]
    return ChanceJudged(
        kind=close.kind,
        gaming_day=close.gaming_day,
        closing=close.event,
        judged=len(lines),
        lines=tuple(judged_lines),
        table=close.table,
        shift=close.shift,
    )


def _read(history: EventReader, close: ClosedPeriod) -> Iterator[tuple[str, EventData]]:
    """The tables' events up to the close."""
    for stream in close.streams:
        for stored in history.stream(stream):
            if stored.position > close.position:
                break
            yield stream, catalogue.decode(stored.type, stored.raw).data


def _of_shift(decisions: Iterator[PlayedDecision], shift: str | None) -> Iterator[PlayedDecision]:
    return (decision for decision in decisions if decision.shift == shift)


def _luck_line(result: Luck, chance: float) -> JudgedWin:
    return JudgedWin(
        name=result.name,
        decisions=result.decisions,
        bets=result.bets,
        handle_minor=result.handle_minor,
        win_minor=result.win_minor,
        theory_micro=result.theory_micro,
        deviation_minor=round(result.deviation_minor),
        chance=chance,
        how=result.tail.how,
        basis=result.basis,
    )
