"""Late bets and late changes: changes of a stake between "no more bets" and the outcome, or after it.

A change that a decider found too late is an irregularity already. A change that it allowed while bets were closed (a
corrected bet, a stake of a game without such a rule) is found here. An action raises at most one.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import msgspec

from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, action_of, raised
from events.alerts.fact_behind_irregularity import with_fact
from events.envelope import EventData
from events.rules.game_declaration_and_registry import at_tables
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetsClosed,
    BetSettled,
    BetWithdrawn,
    RoundEnded,
    RoundOpened,
    RoundVoided,
)
from events.tables.event_types.session import IrregularityRecorded, SessionClosed, SessionRolled

LATE_BET, LATE_CHANGE = "late bet", "late change"


class ClosedBets(msgspec.Struct):
    """The event since which bets are closed ("": they are open), the place of each bet, the last action that was
    raised. `last`: the event that closed the bets of this round last, also once its outcome is known."""

    since: str = ""
    last: str = ""
    places: dict[str, int] = {}
    action: str = ""


class LateWatch(Watch):
    """One state a session."""

    name = "late"
    state = ClosedBets

    def handlers(self) -> Mapping[type[EventData], Handler]:
        games = at_tables().values()
        freeing = {kind for game in games for kind in game.freeing}
        return {
            BetsClosed: self._close,
            **{kind: _closing(begins) for game in games for kind, begins in game.closing.items()},
            **dict.fromkeys((RoundEnded, RoundVoided, *freeing), self._free),
            RoundOpened: self._opened,
            **dict.fromkeys((SessionClosed, SessionRolled), self._over),
            BetPlaced: self._placed,
            BetRestaked: self._restaked,
            BetCorrected: self._corrected,
            BetWithdrawn: self._withdrawn,
            BetSettled: self._settled,
            IrregularityRecorded: self._irregular,
        }

    def _close(self, state: ClosedBets, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        state.since = state.last = event.id
        return ()

    def _opened(self, state: ClosedBets, event: WatchedEvent, context: RuleContext) -> tuple[()] | None:
        if not state.since and not state.last:
            return None
        state.since = state.last = ""
        return ()

    def _free(self, state: ClosedBets, _event: WatchedEvent, _context: RuleContext) -> tuple[()] | None:
        if not state.since:
            return None
        state.since = ""
        return ()

    def _over(self, state: ClosedBets, _event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        state.since, state.last, state.places, state.action = "", "", {}, ""
        return ()

    def _placed(self, state: ClosedBets, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert]:
        data: BetPlaced = event.data
        if not data.late:
            state.places[data.bet] = _place(data)
        return _raise(state, event, LATE_BET, context) if data.late or state.since else ()

    def _restaked(self, state: ClosedBets, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        if not state.since:
            return None
        return _raise(state, event, LATE_BET if event.data.amount_minor > 0 else LATE_CHANGE, context)

    def _corrected(self, state: ClosedBets, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert]:
        data: BetCorrected = event.data
        before, state.places[data.bet] = state.places.get(data.bet), _place(data)
        moved = before is not None and before != state.places[data.bet]
        return _raise(state, event, LATE_BET, context) if state.since and (moved or data.amount_minor) else ()

    def _withdrawn(self, state: ClosedBets, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert]:
        state.places.pop(event.data.bet, None)
        return _raise(state, event, LATE_CHANGE, context) if state.since else ()

    def _settled(self, state: ClosedBets, event: WatchedEvent, _context: RuleContext) -> tuple[()] | None:
        if event.data.remaining_minor or state.places.pop(event.data.bet, None) is None:
            return None
        return ()

    def _irregular(self, state: ClosedBets, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        kind = event.data.kind
        return _raise(state, event, kind, context) if kind in (LATE_BET, LATE_CHANGE) else None


def _closing(begins: str) -> Handler:
    """Return the handler of an event that closes bets in the rulesets whose names begin so."""

    def close(state: ClosedBets, event: WatchedEvent, _context: RuleContext) -> tuple[()] | None:
        if not event.data.ruleset.startswith(begins):
            return None
        state.since = state.last = event.id
        return ()

    return close


def _raise(state: ClosedBets, event: WatchedEvent, name: str, context: RuleContext) -> Sequence[RaisedAlert]:
    """Raise an alert once an action: a bet that is taken down takes its odds with it."""
    data, action = event.data, action_of(event)
    if state.action == action:
        return ()
    state.action = action
    alert = raised(
        name,
        event,
        state.since,
        sum=data.amount_minor,
        person=data.player,
        dealer=data.dealer,
        box=data.box,
        seat=data.seat,
        bet=data.bet,
    )
    return (with_fact(msgspec.structs.replace(alert, facts=(state.last,)), event, context),)


def _place(data: Any) -> int:
    """Return the place of a bet as a number: places are compared only."""
    return crc32(repr((data.wager, data.numbers, data.which, data.number, data.base)).encode())
