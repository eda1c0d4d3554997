"""The demo's terminal without a network: all actions go directly to the desk of this process."""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import msgspec

from events import catalogue
from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.desk.desk import Desk
from events.envelope import Action, AnyEnvelope, Who
from events.errors import Conflict
from events.progressives import due_lock_and_lapse_appending
from events.progressives.event_types import SharesLocked
from events.store import EventStore, everything
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tools.demo.http_terminal import DemoTerminal, TurnedDown

_encode, _decode = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode


class SetClock:
    """A clock that the player of a history sets forward. It is the house's clock, and gives the time of the last
    action.
    """

    def __init__(self, at: str) -> None:
        self.at = at

    def __call__(self) -> str:
        return self.at

    def advance(self, to: str) -> None:
        """Advance the clock; it never goes back."""
        self.at = max(self.at, to)


class AtDesk(DemoTerminal):
    """Terminal whose actions are decided and stored in the caller's thread, the only one that writes."""

    def __init__(self, store: EventStore, property_: str, clock: SetClock) -> None:
        self.desk = Desk(store, property_)
        self.clock = self._hand = clock
        self.sent = self.written = 0

    def close(self) -> None:
        """Do nothing: no action is queued."""
        self.desk.close()

    def send(
        self, path: str, person: str, actions: list[dict[str, Any]], device: str | None = None
    ) -> list[AnyEnvelope]:
        """Send the actions, all or nothing; return the written events, in order. Raises TurnedDown for a refusal."""
        self._hand.advance(max(action["time"] for action in actions))
        kind, _, name = path.partition("/")
        terminal = None if device is None else f"terminal-{device}"
        actor = Who(person=person, roles=frozenset(), device=terminal, table=device, factor_s=0)
        replies = self._served(Command(Target(kind, name), tuple(map(_action, actions)), actor))
        events = [_event(recorded.event) for reply in replies for recorded in _accepted(reply, person, path).events]
        self.sent += len(actions)
        self.written += len(events)
        return events

    def _served(self, command: Command) -> list[Reply]:
        future: Future[list[Reply]] = Future()
        self.desk.serve([(command, future)])
        return future.result(timeout=0)


def share_of(store: EventStore, property_: str, progressive: str, hit: str) -> int | None:
    """Return a hit's share. Due locks are appended first, as the worker does."""
    due_lock_and_lapse_appending.reconcile(store, property_, progressive)
    shares: Mapping[str, int] = {
        share.hit: share.share_minor
        for stored_event in everything(store, types=(SharesLocked.TYPE,))
        for share in catalogue.decode(stored_event.type, stored_event.raw).data.shares
    }
    return shares.get(hit)


def _action(fields: dict[str, Any]) -> Action:
    return Action(**{**fields, "data": msgspec.Raw(_encode(fields["data"]))})


def _event(raw: bytes) -> AnyEnvelope:
    return catalogue.decode(_decode(raw)["type"], bytes(raw))


def _accepted(reply: Reply, person: str, path: str) -> Answer:
    if isinstance(reply, Problem):
        raise TurnedDown(f"{person} at {path}: {reply}")
    if not isinstance(reply, Answer):
        raise Conflict(f"{person} at {path}: an action was answered as a question")
    return reply
