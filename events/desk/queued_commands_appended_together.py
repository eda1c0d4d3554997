"""Commands that are decided together and appended in as few transactions as may be; then each gets its answers."""

import logging
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future

import msgspec

from events.desk.command_and_answer_structs import (
    Answer,
    Command,
    Reply,
    answer,
    first_answer,
    one_by_one,
    read,
    too_many,
)
from events.desk.decisions_and_appends import DecidedWork, DecisionView, Streams
from events.envelope import Action, Who
from events.error_codes import coded
from events.errors import Conflict, KeyReused, PitledgerError, Retry, Stale
from events.people import authority
from events.store import MAX_BATCH, EventStore, Key, Stored
from events.streams import stream_kind_declaration
from events.streams.problem_details import Problem, problem_of
from events.streams.stream_kind_declaration import PEOPLE, Kind

log = logging.getLogger(__name__)

MAX_LOOKED_UP = 5_000  # keys in one query
ATTEMPTS = 5  # to be quicker than others

QueuedCommand = tuple[Command, "Future[list[Reply]]"]  # a command, and where its replies are awaited


class CommandDecision(msgspec.Struct, frozen=True, gc=False):
    """Result of a command: a reply for each action, or the work that its reply waits for (by its key).

    `streams` were read for it. The work rests on those of the people and of these kinds being where they were.
    """

    replies: list[Reply | DecidedWork]
    works: dict[str, DecidedWork]
    streams: Collection[str] = ()
    kinds: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Return the number of its events."""
        size = 0
        for work in self.works.values():
            for part in work.parts:
                size += len(part.events)
        return size


class CommandBatch:
    """Decided work that waits to be appended. `known` are the commands' keys that were used before."""

    def __init__(self, streams: Streams, used: dict[str, Key]) -> None:
        self._streams = streams
        streams.ids.forget_waiting()
        self._store = streams.store
        self._used_keys = used
        self._waiting_commands: list[tuple[CommandDecision, Future[list[Reply]]]] = []
        self._pending_keys: set[str] = set()  # their keys
        self._refused_keys: set[str] = set()  # keys of the refused commands, which must be new
        self._refused_by: set[str] = set()  # the streams that this rests on
        self._size = 0
        self._now = ""

    def take(self, command: Command, future: "Future[list[Reply]]") -> None:
        """Decide one more command. Raises Conflict, Retry."""
        kind = stream_kind_declaration.kind_by_name(command.target.kind)
        is_repeated = not self._pending_keys.isdisjoint([action.key for action in command.actions])
        if is_repeated:  # before it was answered
            self.commit()
        if kind.decisions.follow is not None:
            if (problem := self._refusal(command)) is not None:
                self._waiting_commands.append((CommandDecision([problem], {}), future))
            else:
                self.commit()
                future.set_result(self._one_by_one(command))
        elif kind.decisions.is_alone:
            self.commit()
            self._add(kind, command, future)
            self.commit()
        else:
            self._add(kind, command, future)

    def _add(self, kind: Kind, command: Command, future: "Future[list[Reply]]") -> None:
        decision = self._decide(kind, command)
        event_count = decision.size
        if event_count > MAX_BATCH:
            decision, event_count = self._instead(too_many(event_count), decision), 0
        if self._size + event_count > MAX_BATCH and self._waiting_commands:
            self._streams.rollback(list(decision.works.values()))
            self.commit()
            decision = self._decide(kind, command)
        for key, work in decision.works.items():
            self._used_keys[key] = work.keys[0]
            self._pending_keys.add(key)
        self._waiting_commands.append((decision, future))
        self._size += event_count
        if len(self._refused_keys) >= MAX_LOOKED_UP:
            self.commit()

    def commit(self) -> None:
        """Append all waiting commands at once, then answer them. Raises Conflict, Retry."""
        self._must_be_up_to_date()
        waiting = self._waiting_commands
        works = [work for decision, _ in waiting for work in decision.works.values()]
        written: Mapping[str, Sequence[Stored]] = {}
        if works:
            written = self._streams.append(works, _streams_rested_on([decision for decision, _ in waiting]))
        for decision, future in waiting:
            future.set_result([_reply(reply, written) for reply in decision.replies])
        self._waiting_commands, self._pending_keys, self._size, self._now = [], set(), 0, ""

    # --- decisions on the cached state ------------------------------------------------------------------------

    def _decide(self, kind: Kind, command: Command) -> CommandDecision:
        """Return a reply for each action: its earlier answer, a problem, or work to be appended. Atomic: all or
        nothing."""
        view = self._streams.new_view()
        decision = CommandDecision([], {}, view.streams, kind.decisions.rests_on)
        actor = self._streams.add_current_roles(command.who)
        for index, action in enumerate(command.actions):
            try:
                decision.replies.append(self._judge(view, kind, command, action, actor, decision.works))
            except (Stale, Retry):
                raise
            except PitledgerError as error:
                problem = problem_of(error, action.key, index if len(command.actions) > 1 else None)
                if command.mode == "atomic":
                    return self._instead(problem, decision)
                decision.replies.append(problem)
        return decision

    def _instead(self, problem: Problem, decision: CommandDecision) -> CommandDecision:
        """Return a problem in place of all decisions, which may have rested on earlier work under its keys."""
        self._streams.rollback(list(decision.works.values()))
        self._refused_keys.update(decision.works)
        return CommandDecision([problem], {})

    def _judge(
        self,
        view: DecisionView,
        kind: Kind,
        command: Command,
        action: Action,
        actor: Who,
        works: dict[str, DecidedWork],
    ) -> Answer | DecidedWork:
        """The first answer of a key that is known, or new work, which joins `works`."""
        data, content = read(command, action)  # unreadable actions are refused in any state
        if (before := self._used_keys.get(action.key)) is not None:
            disclosure = stream_kind_declaration.of_stream(before.stream).disclosure
            disclosure.may_repeat(view, before.stream, actor)
            content = disclosure.kept_content(before.stream, data, content)
            return first_answer(self._store, before, action.type, content)
        try:
            if action.key in works:
                raise KeyReused(coded("key-twice-in-request", key=action.key))
            self._now = self._now or self._store.clock()  # events of one append were decided at one moment
            decided = self._streams.decide(view, kind, command.target, action, data, actor, content, self._now)
        except PitledgerError:
            self._refused_keys.add(action.key)
            self._refused_by.update(view.streams)
            raise
        works[action.key] = decided
        return decided

    def _must_be_up_to_date(self) -> None:
        """Check that problems are answered only for new keys, and by the present store: one query for all waiting
        commands, before the append. Raises KeyReused or Stale otherwise."""
        if not self._refused_keys and not self._refused_by:
            return
        outdated = self._store.outdated([*self._refused_keys], self._streams.cache.last_versions(self._refused_by))
        if outdated.keys:
            raise KeyReused(coded("key-used", key=min(outdated.keys)))
        if outdated.streams:
            raise Stale(coded("state-moved"))
        self._refused_keys, self._refused_by = set(), set()

    # --- each at its own position -----------------------------------------------------------------------------

    def _refusal(self, command: Command) -> Problem | None:
        """Return the refusal of the command, as far as it is known without the store's lock.

        The commands of a person without authority are refused together. They neither end the batch of other people nor
        cost a query each.
        """
        if len(command.actions) > 1 or command.actions[0].key in self._used_keys:
            return None
        view, (action,) = self._streams.new_view(), command.actions
        try:
            data, _ = read(command, action)
            authority.role_for(command.target.kind, data.TYPE, self._streams.add_current_roles(command.who, view).roles)
        except (Stale, Retry):
            raise
        except PitledgerError as error:
            self._refused_keys.add(action.key)
            self._refused_by.update(view.streams)
            return problem_of(error, action.key)
        return None

    def _one_by_one(self, command: Command) -> list[Reply]:
        if (problem := one_by_one(command)) is not None:
            return [problem]
        replies: list[Reply] = []
        for index, action in enumerate(command.actions):
            try:
                replies.append(self._act(command, action))
            except PitledgerError as error:
                replies.append(problem_of(error, action.key, index if len(command.actions) > 1 else None))
        return replies

    def _act(self, command: Command, action: Action) -> Answer:
        data, content = read(command, action)
        before = self._used_keys.get(action.key)
        for _ in range(ATTEMPTS):
            if before is not None:
                stored_content = stream_kind_declaration.of_stream(before.stream).disclosure.kept_content(
                    before.stream, data, content
                )
                return first_answer(self._store, before, action.type, stored_content)
            try:
                return answer(
                    action.key, self._streams.decide_under_lock(command.target, action, data, command.who, content)
                )
            except KeyReused:
                before = self._store.keys([action.key])[action.key]
            except Stale as error:  # a person's roles have changed just now
                log.info("conflict on %s: %s", command.target, error)
        raise conflict_after_retries()


def _streams_rested_on(decisions: Sequence[CommandDecision]) -> set[str]:
    """Return the streams that these decisions rest on. The kind of each is looked at once, not once per command."""
    streams_by_kinds: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for decision in decisions:
        streams_by_kinds[decision.kinds].update(decision.streams)
    return {
        stream
        for kinds, streams in streams_by_kinds.items()
        for stream in streams
        if (kind := stream.split("/", 2)[1]) == PEOPLE or kind in kinds
    }


def used_keys(store: EventStore, commands: Sequence[QueuedCommand]) -> dict[str, Key]:
    """Return the commands' keys that were used before."""
    keys = [action.key for command, _ in commands for action in command.actions]
    known_keys: dict[str, Key] = {}
    for first in range(0, len(keys), MAX_LOOKED_UP):
        known_keys.update(store.keys(keys[first : first + MAX_LOOKED_UP]))
    return known_keys


def conflict_after_retries() -> Conflict:
    """Return the refusal after repeated conflicts with another process: no action was decided."""
    return Conflict(coded("changed-again-and-again"))


def _reply(reply: Reply | DecidedWork, written: Mapping[str, Sequence[Stored]]) -> Reply:
    if not isinstance(reply, DecidedWork):
        return reply
    key = reply.keys[0].key
    return answer(key, written[key])
