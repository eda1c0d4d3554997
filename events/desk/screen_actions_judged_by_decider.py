"""Judgement of a screen's steps by the table's decider, for the people who are signed in at the screen."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from events import catalogue
from events.desk.decisions_and_appends import DecisionView, judge_action
from events.envelope import Action, ActionData, AnyEnvelope, Who
from events.errors import NotApproved, PitledgerError, SecondFactor
from events.house.gaming_day_by_house_clock import gaming_day
from events.people.approval_request_lifecycle import Moment
from events.store import EventReader
from events.streams import stream_kind_declaration
from events.streams.stream_kind_declaration import ForeignEvent, Target
from events.tables.event_types.rounds import RoundOpened
from events.tables.event_types.session import SessionOpened
from events.tables.screen.screen import HouseView
from events.tables.screen.step_refusals_by_decider import FORBIDDEN, INVALID, Refusal, refusal_of
from events.tables.table_session_state_structs import NOTHING, Session

KEY = "screen"  # of every judged action: none is stored
PAGE = 200  # events read at a time
USUAL_CHIP = 100  # minor units; the smallest chip of a table that was never opened
EVENTS_MAX = 4_000  # of the last two rounds


class StepJudge:
    """Judge of actions at one table on its stored state.

    A step is refused if no person at the screen may take it. The answer is the one for the first person with a role for
    it.
    """

    def __init__(self, view: DecisionView, target: Target, actors: Sequence[Who], moment: Moment) -> None:
        self._view = view
        self._target = target
        self._actors = actors
        self._moment = moment
        self._kind = stream_kind_declaration.kind_by_name(target.kind)

    def refusal(self, do: str, data: Mapping[str, Any], *, is_fact: bool = False, corrects: str = "") -> Refusal | None:
        """Return the refusal of an action; None where it would be accepted, or would wait for a second person."""
        try:
            action, typed = _action(do, data, is_fact=is_fact, corrects=corrects)
        except msgspec.ValidationError as error:
            return Refusal(code="invalid", message=str(error), status=INVALID)
        refusals = []
        for actor in self._actors:
            refusal = self._judge_step(action, typed, actor)
            if refusal is None:
                return None
            refusals.append(refusal)
        return next((refusal for refusal in refusals if refusal.status != FORBIDDEN), refusals[0])

    def _judge_step(self, action: Action, data: ActionData, actor: Who) -> Refusal | None:
        try:
            judge_action(self._view, self._kind, self._target, action, data, actor, self._moment)
        except (SecondFactor, NotApproved):
            return None  # a second person, or a factor, is requested when the action is done
        except PitledgerError as error:
            return refusal_of(error)
        return None

    def lawful(self, actions: list[tuple[str, Mapping[str, Any]]]) -> list[bool]:
        """Return for each action whether it is accepted after those before it that are."""
        actor = self._actors[0]
        stream = None
        answers: list[bool] = []
        state: Any = None
        for do, values in actions:
            action, data = _action(do, values)
            if state is None:
                stream = self._kind.routing.route(self._view, self._target, data)
                state = self._view.read_stream(stream).state
            try:
                events = self._kind.decisions.decide(state, action, data, actor, self._moment, NOTHING)
            except PitledgerError:
                answers.append(False)
                continue
            for event in events:
                if not isinstance(event, ForeignEvent):
                    state = self._kind.decisions.evolve(state, event, actor.person)
            answers.append(True)
        return answers


def _action(
    do: str, values: Mapping[str, Any], *, is_fact: bool = False, corrects: str = ""
) -> tuple[Action, ActionData]:
    """Return an action with its typed data, without writing it as JSON first. Raises ValidationError."""
    data = msgspec.convert(values, catalogue.action_types()[do], str_keys=True)
    raw = msgspec.Raw(msgspec.json.encode(data))
    action = Action(type=do, key=KEY, intent="fact" if is_fact else "ask", data=raw, corrects=corrects or None)
    return action, data


class LastRounds(msgspec.Struct, frozen=True):
    """The events of a table's last two rounds, up to a version of its stream."""

    version: int
    events: tuple[AnyEnvelope, ...]


def last_rounds(history: EventReader, session: Session, version: int, cached_rounds: LastRounds | None) -> LastRounds:
    """Return the events of the last two rounds of a table, read on from those that are known."""
    if cached_rounds is None or cached_rounds.version > version:
        cached_rounds = _read_back(history, session.stream, version)
    else:
        stored = _events(history, session.stream, cached_rounds.version, version)
        cached_rounds = LastRounds(version, _last_two((*cached_rounds.events, *stored)))
    return cached_rounds


def _read_back(history: EventReader, stream: str, version: int) -> LastRounds:
    """Read the stream backwards until two openings of rounds are found."""
    events: tuple[AnyEnvelope, ...] = ()
    first = version
    while first > 0 and len(events) < EVENTS_MAX and sum(isinstance(event.data, RoundOpened) for event in events) < 2:
        start = max(0, first - PAGE)
        events = (*_events(history, stream, start, first), *events)
        first = start
    return LastRounds(version, _last_two(events))


def _events(history: EventReader, stream: str, after: int, until: int) -> tuple[AnyEnvelope, ...]:
    if until <= after:
        return ()
    stored = history.stream(stream, after=after, limit=until - after)
    return tuple(catalogue.decode(event.type, event.raw) for event in stored)


def _last_two(events: tuple[AnyEnvelope, ...]) -> tuple[AnyEnvelope, ...]:
    """The events from the last opening but one on, at most so many."""
    opened = [place for place, event in enumerate(events) if isinstance(event.data, RoundOpened)]
    start = opened[-2] if len(opened) > 1 else 0
    return events[start:][-EVENTS_MAX:]


def house_view(view: DecisionView, session: Session) -> HouseView:
    """Return the house's data for a screen: the table's chips, the gaming day by the clock, the shifts."""
    house, now = view.property_state("house"), datetime.fromisoformat(view.store.clock())
    return HouseView(
        denominations(view.store, session, house.chips),
        gaming_day(house.settings, now).isoformat(),
        tuple(shift.strip().rpartition(" ")[0] for shift in house.settings.shifts.split(",")),
    )


def denominations(history: EventReader, session: Session, issued: Mapping[int, int]) -> tuple[int, ...]:
    """Return the table's chips in minor units, ascending: those of its opener and those that the house has issued, from
    its smallest chip on."""
    first = history.stream(session.stream, after=0, limit=5) if session.status != "new" else ()
    opened = (catalogue.decode(event.type, event.raw).data for event in first if event.type == SessionOpened.TYPE)
    opener: Mapping[int, int] = next((data.opener for data in opened), {})
    chips = {value for value, count in (*opener.items(), *issued.items()) if count and value >= session.chip}
    return tuple(sorted(chips)) or tuple((session.chip or USUAL_CHIP) * times for times in (1, 5, 25, 100, 500))
