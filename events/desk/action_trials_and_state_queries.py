"""Queries on the streams without the desk's writer: the result of an action ("check"), and the state of a table.

They use streams of their own, caught up with the store for each query. So a trial never affects an action, and no
action waits for a query.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import cast

from msgspec.structs import replace

from events.desk.command_and_answer_structs import (
    Answer,
    Checked,
    Command,
    Reply,
    checked,
    first_answer,
    one_by_one,
    read,
    too_many,
)
from events.desk.decisions_and_appends import JudgementView, Streams
from events.desk.locked_decisions import TrialStreams
from events.desk.screen_actions_judged_by_decider import LastRounds, StepJudge, house_view, last_rounds
from events.envelope import Action, ActionData, Who
from events.error_codes import coded
from events.errors import Forbidden, KeyReused, PitledgerError, defect_of
from events.people import authority
from events.people.authority import FRESH_S
from events.store import MAX_BATCH, EventStore, NewEvent
from events.store.stream_ends_cache import RememberedReads
from events.streams import stream_kind_declaration
from events.streams.problem_details import problem_of
from events.streams.stream_kind_declaration import Target
from events.tables import gaming_day_stream_for_action
from events.tables.screen.screen import Say, Screen, screen_of
from events.tables.table_session_state_structs import Session
from events.tables.terminal_snapshot import Layout, layout_of

TABLES_MAX = 200  # tables whose last rounds are kept in memory

log = logging.getLogger(__name__)


class Questions:
    """Queries from any thread, answered one after the other."""

    def __init__(self, store: EventStore, property_: str, fresh_s: int = FRESH_S) -> None:
        self._store = store
        self._property = property_
        self._reads = RememberedReads(store)
        self._streams = Streams(cast(EventStore, self._reads), property_, fresh_s)
        self._lock = threading.Lock()
        self._rounds: OrderedDict[str, LastRounds] = OrderedDict()  # by stream; the one used last comes last

    def check(self, command: Command) -> list[Reply]:
        """Return the desk's replies to these actions if they were sent now, each after the ones before it."""
        if (
            stream_kind_declaration.kind_by_name(command.target.kind).decisions.follow is not None
            and (problem := one_by_one(command)) is not None
        ):
            return [problem]
        with self._looking() as streams:
            replies = _Trial(self._store, self._property, streams, command).replies()
        size = sum([len(reply.events) for reply in replies if isinstance(reply, Checked)])
        return replies if size <= MAX_BATCH else [too_many(size)]

    def layout(self, table: str, gaming_day: str | None, actor: Who) -> Layout:
        """Return the state of a table on a gaming day (None: the latest one). Raises Unknown, Invalid, Forbidden."""
        with self._looking() as streams:
            _must_see(streams, table, actor)
            session, version = gaming_day_stream_for_action.session(streams.new_view(), table, gaming_day)
            moment = streams.current_moment()
        return layout_of(session, version, self._position(session, version), moment)

    def screen(self, table: str, gaming_day: str | None, actors: Sequence[Who], say: Say = str) -> Screen:
        """Return the table's screen for the people who are signed in there (None: of the latest gaming day).

        A table that was never opened has a screen as well. `say` translates. Raises Unknown, Invalid, Forbidden.
        """
        with self._looking() as streams:
            for actor in actors:
                _must_see(streams, table, actor)
            view = JudgementView(streams.cache)
            session, version = gaming_day_stream_for_action.session_or_new(view, table, gaming_day)
            events = self._last_rounds(session, version)
            house = house_view(view, session)
            moment = streams.current_moment()
            current_actors = [streams.add_current_roles(actor) for actor in actors]
            judge = StepJudge(view, Target("tables", table, gaming_day), current_actors, moment)
            layout = layout_of(session, version, self._position(session, version), moment)
            return screen_of(session, layout, events.events, house, judge, say)

    def _last_rounds(self, session: Session, version: int) -> LastRounds:
        rounds = last_rounds(self._store, session, version, self._rounds.pop(session.stream, None))
        self._rounds[session.stream] = rounds
        while len(self._rounds) > TABLES_MAX:
            self._rounds.popitem(last=False)
        return rounds

    def _position(self, session: Session, version: int) -> int:
        """Return the position of the session's last event; 0 without one."""
        stored = self._store.stream(session.stream, after=version - 1, limit=1) if version else ()
        return stored[0].position if stored else 0

    @contextmanager
    def _looking(self) -> Iterator[Streams]:
        """Yield the streams as stored now, and forget trials afterwards."""
        with self._lock:
            try:
                self._reads.refresh()
                yield self._streams
            except PitledgerError:
                raise
            except Exception as error:
                log.exception("a question could not be answered")
                raise defect_of(error) from error
            finally:
                self._streams.cache.forget()
                self._streams.cache.drop_unused()


def _must_see(streams: Streams, table: str, actor: Who) -> None:
    """Raise Forbidden for a person without a role, and for a device of another table."""
    if not streams.add_current_roles(actor).roles:
        raise Forbidden(coded("layout-needs-role"))
    if actor.table is not None and actor.table != table:
        raise Forbidden(coded("device-of-another-table", table=actor.table))


def _visible_events(
    checked_events: Mapping[str, Sequence[NewEvent]], untold: frozenset[str]
) -> Mapping[str, Sequence[NewEvent]]:
    """Return the events without those that a check does not show."""
    return {stream: [new for new in events if new.data.TYPE not in untold] for stream, events in checked_events.items()}


class _Trial:
    """The actions of a command, each judged as if the allowed ones before it had been recorded."""

    def __init__(self, store: EventStore, property_: str, streams: Streams, command: Command) -> None:
        self._store = store
        self._streams = streams
        self._command = command
        self._who = streams.add_current_roles(command.who)
        self._supposed = TrialStreams(store, property_)
        self._keys: set[str] = set()

    def replies(self) -> list[Reply]:
        replies: list[Reply] = []
        for index, action in enumerate(self._command.actions):
            try:
                replies.append(self._reply(replace(action, intent="fact" if authority.is_told(action.type) else "ask")))
            except PitledgerError as error:
                problem = problem_of(error, action.key, index if len(self._command.actions) > 1 else None)
                if self._command.mode == "atomic":
                    return [problem]
                replies.append(problem)
        return replies

    def _reply(self, action: Action) -> Answer | Checked:
        data, content = read(self._command, action)
        if (before := self._store.keys([action.key]).get(action.key)) is not None:
            kind = stream_kind_declaration.of_stream(before.stream)
            kind.disclosure.may_repeat(self._streams.new_view(), before.stream, self._who)
            content = kind.disclosure.kept_content(before.stream, data, content)
            return first_answer(self._store, before, action.type, content)
        if action.key in self._keys:
            raise KeyReused(coded("key-twice-in-request", key=action.key))
        checked_events = self._would(action, data, content)
        self._keys.add(action.key)
        kind = stream_kind_declaration.kind_by_name(self._command.target.kind)
        limits = kind.disclosure
        return checked(
            action.key, {} if action.type in limits.blind else _visible_events(checked_events, limits.untold)
        )

    def _would(self, action: Action, data: ActionData, content: bytes) -> Mapping[str, Sequence[NewEvent]]:
        """Return by stream the events that would be appended."""
        target, streams = self._command.target, self._streams
        kind = stream_kind_declaration.kind_by_name(target.kind)
        if kind.decisions.follow is not None:
            return self._supposed.try_action(target, action, data, self._who, streams.current_moment())
        work = streams.decide(streams.new_view(), kind, target, action, data, self._who, content, streams.store.clock())
        return {part.stream: part.events for part in work.parts}
