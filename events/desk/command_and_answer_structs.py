"""Commands to the desk and its answers, and how an action is read before it is decided."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from events import catalogue, fields
from events.desk.locked_decisions import part_of
from events.envelope import Action, ActionData, EventData, Meta, Who
from events.error_codes import coded
from events.errors import Invalid, KeyReused, Refused, Stale
from events.people import authority
from events.store import MAX_BATCH, EventReader, Key, NewEvent, Stored
from events.streams import stream_kind_declaration
from events.streams.problem_details import Problem, problem_of
from events.streams.stream_kind_declaration import Target
from events.text.id_spelling_normalization import normalize_data

CLAUSE = "house queue"
# The progressive is armed by the house's answer; without signal it is closed for the round.
ARMING = frozenset({"progressive.arm"})


def require_queueable(action: Action) -> None:
    """Raise Invalid for a queued action that is no fact, Refused for one that cannot wait for the signal."""
    if action.intent != "fact":
        raise Invalid("queued", coded("queued-needs-fact"))
    if action.type in ARMING or authority.needs_factor(action.type):
        message = coded("action-needs-answer", action=action.type)
        raise Refused(CLAUSE, message, field="queued")


MAX_ACTIONS = 200  # in one request
_encode = msgspec.json.Encoder().encode


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """An event that an action wrote: its position in the store, and its stored bytes."""

    position: int
    event: msgspec.Raw


class Answer(msgspec.Struct, frozen=True, gc=False):
    """Answer to an accepted action; `position` is its last event's. `repeated`: done before, under this key."""

    key: str
    position: int
    events: list[Recorded]
    repeated: bool = False


class Unwritten(msgspec.Struct, frozen=True, gc=False):
    """An event that would be: it has neither an id nor a place, and nothing chains it to others."""

    type: str
    subject: str
    time: str
    actor: str
    actorrole: str
    data: EventData
    actordevice: str | UnsetType = UNSET
    correlation: str | UnsetType = UNSET


class Checked(msgspec.Struct, frozen=True, gc=False):
    """Answer to "ask": the events that the action would make now. Nothing was written, and the key stays new."""

    key: str
    events: list[Unwritten]
    written: Literal[False] = False


Reply = Answer | Checked | Problem


class Command(msgspec.Struct, frozen=True, gc=False):
    """Actions sent in one request: for one stream, all or nothing ("atomic") or each on its own ("each")."""

    target: Target
    actions: tuple[Action, ...]
    who: Who
    mode: Literal["atomic", "each"] = "atomic"

    @property
    def checks(self) -> bool:
        """Return whether it is a check. Raises Invalid where only a part of it is: the others would have no meaning."""
        is_check = bool(self.actions) and self.actions[0].intent == "check"
        for action in self.actions:
            if (action.intent == "check") != is_check:
                raise Invalid("intent", coded("checks-mixed"))
        return is_check


def read(command: Command, action: Action) -> tuple[ActionData, bytes]:
    """Return the action's data with its ids in one spelling, and the digest of the action as sent. Raises Invalid."""
    fields.check(action.key, action.time, action.device_seq, action.round, action.corrects)
    if action.queued:
        require_queueable(action)
    data = catalogue.decode_as_sent(action)
    content = (command.target, command.who.person, action.type, action.intent, action.round, action.corrects, data)
    return normalize_data(data, bytes(action.data)), hashlib.sha256(_encode(content)).digest()


def answer(key: str, stored: Sequence[Stored], *, repeated: bool = False) -> Answer:
    """The answer to an action that wrote these."""
    events = [Recorded(event.position, msgspec.Raw(event.raw)) for event in stored]
    return Answer(key, max([event.position for event in stored]), events, repeated)


def first_answer(history: EventReader, before: Key, action: str, content: bytes) -> Answer:
    """The answer that this key, of an action of this type, got the first time. Its events may be in this very batch."""
    if before.content != content:
        raise KeyReused(coded("key-used-with-other-content", key=before.key))
    parts = [before, *_other_parts(history, before, action)]
    stored = [event for part in parts for event in history.stream(part.stream, after=part.first - 1, limit=part.count)]
    if len(stored) < sum([part.count for part in parts]):
        raise Stale(coded("key-being-written"))
    return answer(before.key, stored, repeated=True)


def _other_parts(history: EventReader, before: Key, action: str) -> Iterator[Key]:
    """The keys of the action's events in other streams, where such an action makes any."""
    if action not in stream_kind_declaration.of_stream(before.stream).routing.appends_to:
        return
    number = 2
    while keys := history.keys([part_of(before.key, number)]):
        yield from keys.values()
        number += 1


def checked(key: str, by_stream: Mapping[str, Sequence[NewEvent]]) -> Checked:
    """Return the answer to a check of an action that would write these events."""
    return Checked(
        key, [_unwritten_event(stream, new.data, new.meta) for stream, events in by_stream.items() for new in events]
    )


def _unwritten_event(stream: str, data: EventData, meta: Meta) -> Unwritten:
    return Unwritten(
        type=data.TYPE,
        subject=stream,
        time=meta.time,
        actor=meta.actor,
        actorrole=meta.actorrole,
        data=data,
        actordevice=meta.actordevice,
        correlation=meta.correlation,
    )


def one_by_one(command: Command) -> Problem | None:
    """Return why actions that are each judged at its own position cannot be all or nothing, where that was
    requested.
    """
    if command.mode == "each" or len(command.actions) == 1:
        return None
    each = coded("mode-each-needed", stream=command.target.kind)
    return problem_of(Invalid("mode", each))


def too_many(events: int) -> Problem:
    """Return why a command cannot be written in one transaction."""
    return problem_of(Invalid("actions", coded("too-many-events", count=events, most=MAX_BATCH)))
