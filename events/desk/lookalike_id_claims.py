"""Claims of new ids, so that look-alikes are refused: each is claimed in the store by its appearance (ADR 103).

An id's first action takes a key of the store for each skeleton of it, in the append of its own events. The keys are
unique, so of two that look alike and come at once one is refused. A process remembers the ids that it has seen claimed,
and looks up the new ids of all commands of a batch in one query.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from unicodedata import normalize

import msgspec
from msgspec import inspect

from events import catalogue
from events.envelope import Action, ActionData, EventData
from events.errors import Refused
from events.house.setting_and_chip_structs import ChangeSetting, SettingChanged
from events.house.settings import names_of_shifts
from events.people import approval_request_lifecycle
from events.store import MAX_BATCH, EventStore, Key, Stored, everything
from events.streams.stream_kind_declaration import Target
from events.text.id_spelling_normalization import resemblance_refusal, skeletons

CLAUSE = "house ids"
KNOWN_MAX = 200_000  # ids that a process remembers
MAX_LOOKED_UP = 5_000  # keys in one query
# Fields of actions that name a thing, and its kind.
NAMING: Mapping[str, str] = {
    "player": "player",
    "person": "person",
    "witness": "person",
    "runner": "person",
    "drop_box": "drop box",
    "shoe": "shoe",
    "serial": "die",
    "table": "table",
    "progressive": "progressive",
    "pit": "pit",
    "shift": "shift",
    "next_shift": "shift",
}
INDEXED = "indexed-2"  # the key that marks all earlier ids as claimed
_MARKERS = ("indexed", INDEXED)  # before pits and shifts were ids
_SHIFTS = "shifts"  # the setting that names shifts, each with the time at which it begins
_PLAIN = (
    *(inspect.StrType, inspect.IntType, inspect.BoolType, inspect.FloatType, inspect.NoneType),
    *(inspect.DictType, inspect.LiteralType, inspect.EnumType),
)
_SETTING = (ChangeSetting, SettingChanged)
_NESTED = (msgspec.Struct, list, tuple)
Id = tuple[str, str]  # its kind and its id
Named = tuple[Id, str]  # an id, and its field


class _NamedIds(msgspec.Struct):
    """The data of an event, which name ids, and the action that made it."""

    data: dict[str, Any]
    causation: str = ""


_decode_old = msgspec.json.Decoder(_NamedIds).decode
_decode_sent = msgspec.json.Decoder(dict[str, Any]).decode


class IdClaims:
    """The ids of a property as this process knows them. Not for two threads at once."""

    def __init__(self, store: EventStore, property_: str) -> None:
        self._store = store
        self._property = property_
        self._known_ids: set[Id] = set()
        self._waiting_claims: dict[str, Id] = {}  # ids whose claims wait to be appended, by claim
        self._stored_claims: dict[str, Key | None] = {}  # looked up for this batch; None: not in the store
        self._expected_actions: Iterable[Action] = ()
        self._keys_of: dict[Id, list[str]] = {}  # of the new ids of this batch

    def expect(self, actions: Iterable[Action]) -> None:
        """Expect these actions next: the first new id in them causes one query for all of their ids.

        They are read then, once.
        """
        self._expected_actions = actions

    def new(self, named: Iterable[Named]) -> list[Named]:
        """Return the ids that are not known to be claimed. Raises Refused for an id that looks like another one."""
        new = [entry for entry in named if entry[0] not in self._known_ids]
        if not new:  # as with nearly every action
            return new
        new = [*dict.fromkeys(new)]
        for id_, field in new:
            self._require_own_look(id_, field)
        return [entry for entry in new if entry[0] not in self._known_ids]

    def claims(self, new: Sequence[Named], stream: str, events: Sequence[EventData]) -> list[str]:
        """Return the keys that new ids claim, by the events with these ids; the keys wait from now on."""
        if not new:
            return []
        claimed: dict[str, Id] = {}
        for id_, field in new:
            if _stands_in(id_[1], field, stream, events):
                keys = self._keys(id_)
                stored = self._claimed(keys)
                claimed.update((key, id_) for key in keys if key not in stored and key not in self._waiting_claims)
        self._waiting_claims.update(claimed)
        return [*claimed]

    def drop(self, keys: Iterable[Key]) -> None:
        """Drop the keys of events that are not appended."""
        if self._waiting_claims:
            for key in keys:
                self._waiting_claims.pop(key.key, None)

    def appended(self, keys: Iterable[Key]) -> None:
        """Mark the ids of these stored keys as known."""
        if self._waiting_claims:
            for key in keys:
                if (id_ := self._waiting_claims.pop(key.key, None)) is not None:
                    self._remember(id_)

    def forget_waiting(self) -> None:
        """Forget all waiting claims, and the looked-up ones, which may have changed."""
        self._waiting_claims.clear()
        self._stored_claims.clear()
        self._keys_of.clear()
        self._expected_actions = ()

    def _require_own_look(self, id_: Id, field: str) -> None:
        keys, (kind, name) = self._keys(id_), id_
        if all(self._waiting_claims.get(key) == id_ for key in keys):
            return  # an action before it in the same append claims the id: no second look
        claims = self._claimed(keys)
        if not claims and self._waiting_claims.keys().isdisjoint(keys):
            return  # nothing looks like it
        stored_names = {key: _names(self._store, claim, key) for key, claim in claims.items()}
        if len(stored_names) == len(keys) and all(name in names for names in stored_names.values()):
            self._remember(id_)
            return
        other_names = {self._waiting_claims.get(key, id_)[1] for key in keys}
        other_names.update(*(names for names in stored_names.values() if name not in names))
        if (other_names := other_names - {name}) and not self._is_known_variant(id_):
            raise Refused(CLAUSE, resemblance_refusal(name, kind, min(other_names)), field=field)

    def _claimed(self, keys: Sequence[str]) -> dict[str, Key]:
        """Return those of the keys that are in the store, by key."""
        stored = self._stored_claims
        for key in keys:
            if key not in stored:
                self._look_up(keys)
                break
        return {key: claim for key in keys if (claim := stored[key]) is not None}

    def _look_up(self, keys: Sequence[str]) -> None:
        expected, self._expected_actions = self._expected_actions, ()
        ids = {id_ for action in expected for id_ in _ids_as_sent(action) if id_ not in self._known_ids}
        wanted = sorted({*keys, *(key for id_ in ids for key in self._keys(id_))} - self._stored_claims.keys())
        for first in range(0, len(wanted), MAX_LOOKED_UP):
            some = wanted[first : first + MAX_LOOKED_UP]
            claims = self._store.keys(some)
            self._stored_claims.update((key, claims.get(key)) for key in some)

    def _is_known_variant(self, id_: Id) -> bool:
        """Return whether the id was used together with a look-alike before claims existed: then both stay valid."""
        key = variant_key(self._property, *id_)
        if self._store.keys([key]):
            self._remember(id_)
            return True
        return False

    def _remember(self, id_: Id) -> None:
        if len(self._known_ids) >= KNOWN_MAX:
            self._known_ids.clear()
        self._known_ids.add(id_)

    def _keys(self, id_: Id) -> list[str]:
        if (keys := self._keys_of.get(id_)) is None:
            keys = self._keys_of[id_] = keys_of(self._property, *id_)
        return keys


def keys_of(property_: str, kind: str, name: str) -> list[str]:
    """Return the keys of all ids that look like this one."""
    return [f"{property_}/ids#{kind}#{skeleton}" for skeleton in sorted(skeletons(name))]


def variant_key(property_: str, kind: str, name: str) -> str:
    """Return the key of an id that was used together with a look-alike before claims existed."""
    return f"{property_}/ids#{kind}##{name}"


def named_by(target: Target, data: ActionData, events: Sequence[EventData]) -> list[Named]:
    """Return the ids that an action names; for an approval, those that the approved action's events name."""
    own = _own_fields(type(data))
    if own is not None and target.kind != "progressives":  # as with nearly every action
        return [((kind, value), field) for name, kind, field in own if (value := getattr(data, name))]
    named = named_in(events if isinstance(data, approval_request_lifecycle.ANSWERING) else data)
    if target.kind == "progressives" and target.name:
        named.append((("progressive", target.name), "progressive"))
    if getattr(data, "shift", None) is msgspec.UNSET:
        named += [(("shift", event.shift), "data.shift") for event in events if hasattr(event, "shift")]
    return named


def named_in(data: Any, field: str = "data") -> list[Named]:
    """Return the ids that the data of an action name, also in lists."""
    if not isinstance(data, msgspec.Struct):
        return [named for item in data for named in named_in(item, field)] if isinstance(data, list | tuple) else []
    if isinstance(data, _SETTING):
        shifts = names_of_shifts(data.value) if data.setting == _SHIFTS and isinstance(data.value, str) else ()
        return [(("shift", shift), f"{field}.value") for shift in shifts]
    names: list[Named] = []
    for name, kind in _naming(type(data)):
        value = getattr(data, name)
        if kind and isinstance(value, str):
            if value:
                names.append(((kind, value), f"{field}.{name}"))
        elif isinstance(value, _NESTED):
            names += named_in(value, f"{field}.{name}")
    return names


@cache
def _own_fields(shape: type[ActionData]) -> tuple[tuple[str, str, str], ...] | None:
    """Return the fields of an action that name ids, each with its kind of id and its path. None if the ids are deeper
    in the data, in the events, or in a shift that may be left out."""
    naming = _naming(shape)
    texts = {field.name for field in inspect.type_info(shape).fields if _is_text(field.type)}  # type: ignore[attr-defined]  # a Struct's
    is_plain = all(kind and name in texts for name, kind in naming) and "shift" not in shape.__struct_fields__
    if not is_plain or issubclass(shape, (*approval_request_lifecycle.ANSWERING, *_SETTING)):
        return None
    return tuple((name, kind, f"data.{name}") for name, kind in naming)


def _is_text(shape: inspect.Type) -> bool:
    if isinstance(shape, inspect.UnionType):
        return all(isinstance(member, inspect.StrType | inspect.NoneType) for member in shape.types)
    return isinstance(shape, inspect.StrType)


@cache
def _naming(shape: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    """Return the fields that may name an id, each with its kind of id ("": any kind)."""
    fields = inspect.type_info(shape).fields  # type: ignore[attr-defined]  # a Struct's
    return tuple(
        (field.name, NAMING.get(field.name, ""))
        for field in fields
        if field.name in NAMING or _may_hold_ids(field.type)
    )


def _may_hold_ids(shape: inspect.Type) -> bool:
    """Return whether values of a type may be data with fields of their own."""
    if isinstance(shape, inspect.UnionType):
        return any(map(_may_hold_ids, shape.types))
    if isinstance(shape, inspect.ListType | inspect.VarTupleType):
        return _may_hold_ids(shape.item_type)
    return not isinstance(shape, _PLAIN)


def _ids_as_sent(action: Action) -> Iterator[Id]:
    """Yield the ids in the fields of an action as sent, without ids in lists: unreadable fields are refused later."""
    try:
        data = _decode_sent(action.data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return
    for field, name in data.items():
        if field in NAMING and isinstance(name, str) and name:
            yield NAMING[field], name


def index(store: EventStore, property_: str) -> int:
    """Claim the ids of a store from before there were claims; how many keys that took. Safe to repeat: where it was
    done nothing is read but one key."""
    marker = f"{property_}/ids#{INDEXED}"
    if store.keys([marker]) or not store.position():
        return 0
    keys = _claims_of_old(store, property_)
    for first in range(0, len(keys), MAX_BATCH):
        _store_claims(store, keys[first : first + MAX_BATCH])
    if own := _own_key(store, next(everything(store, batch=1), None)):
        _store_claims(store, [msgspec.structs.replace(own, key=marker)])
    return len(keys)


def _claims_of_old(store: EventStore, property_: str) -> list[Key]:
    """Return a key for each id by its first event; of two look-alikes the later one gets a key of its own."""
    claimed: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    claims: list[Key] = []
    for stored in everything(store):
        new = [named for named in _old_names(stored) if named not in seen]
        if not new or (own := _own_key(store, stored)) is None:
            continue
        for kind, name in new:
            seen.add((kind, name))
            keys = [key for key in keys_of(property_, kind, name) if key not in claimed]
            claimed |= dict.fromkeys(keys, name)
            is_variant = any(claimed[key] != name for key in keys_of(property_, kind, name))
            keys += [variant_key(property_, kind, normalize("NFC", name))] if is_variant else []
            claims += [msgspec.structs.replace(own, key=key) for key in keys]
    return claims


def _old_names(stored_event: Stored) -> list[tuple[str, str]]:
    try:
        data = _decode_old(stored_event.raw).data
    except (msgspec.MsgspecError, UnicodeDecodeError):  # `verify` names it
        return []
    named = [(kind, data.get(field)) for field, kind in NAMING.items()]
    if data.get("setting") == _SHIFTS and isinstance(data.get("value"), str):
        named += [("shift", shift) for shift in names_of_shifts(data["value"])]
    parts = stored_event.stream.split("/")
    named += [("progressive", parts[2])] if parts[1] == "progressives" else []
    return [(kind, name) for kind, name in named if isinstance(name, str) and name]


def _own_key(store: EventStore, stored: Stored | None) -> Key | None:
    """Return the key of the action that made an event, if it covers the event."""
    action = _decode_old(stored.raw).causation if stored is not None else ""
    key = store.keys([action]).get(action) if action else None
    return key if key is not None and stored is not None and key.stream == stored.stream else None


def _store_claims(store: EventStore, keys: Sequence[Key]) -> None:
    """Store the keys that another process has not stored meanwhile."""
    stored_keys = store.keys([key.key for key in keys])
    if new := [key for key in keys if key.key not in stored_keys]:
        store.append([], new)


def is_of_id(key: str) -> bool:
    """Return whether a key was claimed by an id."""
    return key.partition("#")[0].endswith("/ids")


def may_claim(stream: str, events: Sequence[EventData], key: str) -> bool:
    """Return whether events of a stream may have claimed a key: an id in them looks so."""
    return key.endswith(tuple(f"/ids#{marker}" for marker in _MARKERS)) or bool(
        _claimed_texts(key, _texts_of(stream, events))
    )


def _names(store: EventStore, key: Key, wanted: str) -> set[str]:
    """The ids in the events of a claim that look like it, in the spelling of the door."""
    stored = store.stream(key.stream, after=key.first - 1, limit=key.count)
    events = [catalogue.decode(stored_event.type, stored_event.raw) for stored_event in stored]
    texts = {*_texts_of(key.stream, [event.data for event in events]), *(event.actor for event in events)}
    return {normalize("NFC", text) for text in _claimed_texts(wanted, texts)}


def _claimed_texts(key: str, texts: Iterable[str]) -> set[str]:
    """Return the texts that a key claims."""
    wanted = key.partition("#")[2].partition("#")[2]
    if wanted.startswith("#"):
        return {text for text in texts if normalize("NFC", text) == wanted[1:]}
    return {text for text in texts if wanted in skeletons(text)}


def _stands_in(name: str, field: str, stream: str, events: Sequence[EventData]) -> bool:
    """Return whether an id is in a stream's name or in its events, most often in the field of the action."""
    own = field.rpartition(".")[2]
    for event in events:
        if getattr(event, own, None) == name:
            return True
    return name in _texts_of(stream, events)


def _texts_of(stream: str, events: Sequence[EventData]) -> Iterator[str]:
    yield from stream.split("/")[1:]
    yield from _texts(msgspec.to_builtins(list(events)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        yield from names_of_shifts(value)
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
