"""A kind of stream, declared once: its streams' names, its authority, its decider.

The address follows from the name of the streams: PROPERTY/tables/TABLE/GAMING-DAY is sent to at
/tables/{name}/actions?gaming_day=, PROPERTY/floor at /floor/actions. HTTP, the documents, the desk and the catalogue
read the declarations; nothing else lists kinds. How one is added: docs/howto/add-a-kind-of-stream.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded
from events.errors import Invalid, Unknown
from events.fields import is_day, is_table_name
from events.roles import AuthorityRule
from events.runtime.cache_until_declarations_change import cached_until_forgotten, forget

if TYPE_CHECKING:  # a declared function may be pure: it gets a store, and imports none
    from events.store import EventReader, EventStore, NewEvent

# The modules of the kinds of every house; each makes its `kind()`.
OURS = (
    "events.kinds.table_stream_declaration",
    "events.progressives.stream_declaration",
    "events.cage.stream_declaration",
    "events.days.stream_declaration",
    "events.kinds.table_installation_stream_declaration",
    "events.floor.device_stream_declaration",
    "events.house.stream_declaration",
    "events.people.stream_declaration",
    "events.alerts.stream_declaration",
    "events.alerts.system_fact_stream_declaration",
    "events.cases.stream_declaration",
    "events.inspection_draws.stream_declaration",
)
T = TypeVar("T")
PEOPLE = "people"  # every decision rests on who is in which role
GAMING_DAY = "GAMING-DAY"
NEW = "new"  # the name, in an address, of a stream that the action's key names


class Target(msgspec.Struct, frozen=True, gc=False):
    """Target of an action: a kind of stream, the stream's name, and the gaming day (None: the current one)."""

    kind: str
    name: str = ""
    gaming_day: str | None = None


class StreamState(msgspec.Struct, frozen=True, gc=False):
    """A stream with the work that waits to be appended."""

    version: int
    state: Any


class StreamView(Protocol):
    """Streams for a decision, with all work that waits to be appended."""

    store: "EventStore"
    property: str

    def read_stream(self, stream: str) -> StreamState:
        """Return a stream's state and version. The append expects a stream of a declared kind unchanged."""

    def property_state(self, kind: str) -> Any:
        """Return the state of a kind of which the property has one stream."""

    def cached_streams_below(self, place: str) -> Iterable[tuple[str, StreamState]]:
        """Yield the cached, non-empty streams directly below a place ("athens/tables/FR1")."""

    def has_events(self, stream: str) -> bool:
        """Return whether anything has happened in a stream."""

    def expect_unchanged(self, streams: Iterable[str]) -> None:
        """Make the append depend on these streams, whose states the decision does not need."""

    def read_once(self, name: str, read: Callable[[], T | None]) -> T | None:
        """Return a value that never changes once it exists: read until it is found, then remembered under this name."""


class ForeignEvent(msgspec.Struct, frozen=True):
    """An event that a decision makes in another stream, of a kind that it is declared to append to.

    `carries_on`: if it is that stream's first, its `prev` is the digest of the decision's own stream's last event.
    """

    stream: str
    event: EventData
    carries_on: bool = False


class FollowingState(Protocol):
    """A state that is judged at its own position: it follows the store, up to the last event it was shown."""

    stream: str
    guard: Any  # a lock: following and deciding take turns

    def catch_up(self, history: "EventReader") -> None:
        """Take everything that is stored by now."""

    def save(self, store: "EventStore") -> None:
        """Save a snapshot from time to time."""

    def decide(
        self, history: "EventReader", action: Action, data: ActionData, actor: Who, moment: Any
    ) -> Sequence[EventData | ForeignEvent]:
        """Return the events that the action makes, after all that `history` has."""

    def as_if(self) -> "FollowingState":
        """A copy to try things on."""

    def suppose(self, news: "Sequence[NewEvent]") -> None:
        """Take events of its stream that were not appended yet."""


class Snapshots(msgspec.Struct, frozen=True):
    """Storing of a state with its events; `evolve` names the version that computed it: another one is ignored."""

    evolve: str
    dump: Callable[[Any], bytes]
    load: Callable[[bytes], Any]
    every: int = 500  # events of a stream


def _by_address(view: StreamView, target: Target, _data: ActionData) -> str:
    return addressed(kind_by_name(target.kind), view.property, target)


def addressed(kind: "Kind", property_: str, target: Target) -> str:
    """The stream that an address names. Raises Unknown, Invalid."""
    if kind.is_named and not is_table_name(target.name):
        raise Unknown(coded("name-unknown-in-kind", name=target.name, kind_of_stream=kind.name))
    if kind.has_days and not is_day(target.gaming_day or ""):
        raise Invalid("gaming_day", coded("gaming-day-format"))
    return kind.stream(property_, target.name, target.gaming_day)


def _undecided(*_: Any) -> Sequence[EventData | ForeignEvent]:
    raise AssertionError("judged by what follows the store, or by a `decide` that was not declared")


def _nothing(*_: Any) -> None:
    return None


def _never(*_: Any) -> bool:
    return False


class Decisions(msgspec.Struct, frozen=True, kw_only=True):
    """How the actions of a kind are decided.

    Pure are `decide(state, action, data, who, moment, context)` -> events, and `evolve(state, event, actor)` -> state.
    `begin` gives the state before the first event, and `context` further input of a decision. `confirm` refuses a
    request or decision by the state of other streams; `rests_on` names their kinds, in addition to the people.

    Actions are judged on cached state. With `follow(store, property, target, action, data)`, they are judged by its
    result, at its own position, with the store's lock held.
    """

    begin: Callable[[StreamView, str], Any] = _nothing
    decide: Callable[..., Sequence[EventData | ForeignEvent]] = _undecided
    evolve: Callable[[Any, EventData, str], Any] = lambda state, _event, _actor: state
    context: Callable[[StreamView, str, Any, ActionData, Who], Any] = _nothing
    confirm: Callable[[StreamView, str, Any, Sequence[Any]], None] = _nothing
    rests_on: tuple[str, ...] = ()
    is_alone: bool = False  # its events change the basis of other decisions: appended where they were decided
    has_sessions: bool = False  # an action is not older than its stream
    snapshots: Snapshots | None = None
    follow: "Callable[[EventStore, str, Target, Action, ActionData], FollowingState] | None" = None


class Routing(msgspec.Struct, frozen=True, kw_only=True):
    """The streams that an action and its events go to.

    `route` gives the stream of an action. `named_by_key` gives the name of a stream that an action sent to the
    name "new" begins. `look_up` reads the subject outside of the store, before the desk queues the action. `appends_to`
    names by action the kinds that it makes events for, in the same append. `belongs_to` is the event's correlation.
    """

    route: Callable[[StreamView, Target, ActionData], str] = _by_address
    named_by_key: Callable[[str], str] | None = None
    look_up: Callable[["EventStore", Target], None] | None = None
    appends_to: Mapping[str, tuple[str, ...]] = {}
    belongs_to: Callable[[EventData, str], str | None] = _nothing


class Claims(msgspec.Struct, frozen=True, kw_only=True):
    """Further keys of an append, so that two processes cannot do conflicting things in two streams.

    `claim` is the key of an action, and `may_claim` returns whether a stream's events can have made it. `events` gives
    the keys that the decided events need, by type.
    """

    claim: Callable[[StreamView, Target, str, ActionData], str | None] = _nothing
    may_claim: Callable[[str, Sequence[Any], str], bool] = _never
    events: Mapping[type[EventData], Callable[[str, Any], str | None]] = {}


class Disclosure(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of the view of a sender and a reader on a kind.

    A "check" of a `blind` action reveals that it is possible, and no expected amount; it reveals no `untold` event,
    about any subject. `kept_content` is the digest stored for the action's key, where its own would allow a person to
    guess the action. `may_repeat` raises for a person who may not see the first answer of a key. Events of a restricted
    kind are on its own pages only: no log, search or alert has them.
    """

    blind: frozenset[str] = frozenset()
    untold: frozenset[str] = frozenset()
    kept_content: Callable[[str, ActionData, bytes], bytes] = lambda _stream, _data, content: content
    may_repeat: Callable[[StreamView, str, Who], None] = _nothing
    is_restricted: bool = False


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of stream.

    `streams` is the name of the kind, and `types` are the modules of its events and actions. `rules` give the authority
    for each action, or for a case of it: "hit.authorise, above the limit". `words` are the names of its codes: its
    events and actions, and the values of their fields (`events/house/code_to_words_lookup.py`). `appended` does the
    work that follows from stored events outside of the store.
    """

    streams: str
    title: str  # of its rules: "At a table"
    summary: str  # of its address: "Arrange the floor"
    types: tuple[str, ...]
    rules: Mapping[str, AuthorityRule]
    words: Mapping[str, str] = {}
    decisions: Decisions = Decisions()
    routing: Routing = Routing()
    claims: Claims = Claims()
    disclosure: Disclosure = Disclosure()
    appended: "Callable[[str, Sequence[NewEvent]], None] | None" = None

    @property
    def name(self) -> str:
        """Return the second part of the streams' names, and the first of their address: "tables"."""
        return self.streams.split("/")[1]

    def claimed_by(self, stream: str, events: "Sequence[EventData | ForeignEvent]") -> list[str]:
        """Return the keys that the events claim, in addition to their action's own; events of other kinds claim
        none.
        """
        claim_of = self.claims.events.get
        return [
            key
            for event in events
            if (claim := claim_of(type(event))) is not None and (key := claim(stream, event)) is not None  # type: ignore[arg-type]
        ]

    @property
    def is_named(self) -> bool:
        """Return whether the property has several of them, by name."""
        return bool(_places_of(self.streams) - {GAMING_DAY})

    @property
    def has_days(self) -> bool:
        """Return whether each gaming day has a stream of its own."""
        return GAMING_DAY in _places_of(self.streams)

    @property
    def address(self) -> str:
        """Return the address of actions, as OpenAPI writes it."""
        return f"/{self.name}/{{name}}/actions" if self.is_named else f"/{self.name}/actions"

    def stream(self, property_: str, name: str = "", gaming_day: str | None = None) -> str:
        """The stream of this name and day."""
        day = [gaming_day or ""] if self.has_days else []
        return "/".join([property_, self.name, *([name] if self.is_named else []), *day])


@cache  # each request asks
def _places_of(streams: str) -> frozenset[str]:
    return frozenset(streams.split("/")[2:])


# --- all kinds --------------------------------------------------------------------------------------------------------

_registered_kinds: dict[str, Kind] = {}


@cached_until_forgotten
def declared() -> Mapping[str, Kind]:
    """Return every kind by its name, the project's first."""
    own_kinds: list[Kind] = [import_module(module).kind() for module in OURS]
    return {kind.name: kind for kind in (*own_kinds, *_registered_kinds.values())}


@cached_until_forgotten
def kinds_with_actions() -> Mapping[str, Kind]:
    """Return the kinds that take actions, by name; all other streams have the system's own events."""
    return {name: kind for name, kind in declared().items() if kind.rules}


@cached_until_forgotten
def restricted() -> frozenset[str]:
    """Return the names of the kinds whose events are on their own pages only."""
    return frozenset(name for name, kind in declared().items() if kind.disclosure.is_restricted)


def is_restricted(stream: str) -> bool:
    """Return whether the events of a stream are on its own pages only."""
    return stream.split("/", 2)[1] in restricted()


def kind_by_name(name: str) -> Kind:
    """The kind of this name. Raises Unknown."""
    try:
        return declared()[name]
    except KeyError:
        raise Unknown(coded("stream-kind-unknown", name=name)) from None


def of_stream(stream: str) -> Kind:
    """The kind that a stream is of. Raises Unknown."""
    return kind_by_name(stream.split("/", 2)[1])


def register(kind: Kind) -> None:
    """Declare one more kind, before anything is sent or read."""
    assert kind.name not in declared(), f"{kind.name} is declared already"
    assert kind.decisions.follow is not None or kind.decisions.decide is not _undecided, f"{kind.name} decide nothing"
    _registered_kinds[kind.name] = kind
    forget()


def withdraw(name: str) -> None:
    """Undo a registration."""
    del _registered_kinds[name]
    forget()
