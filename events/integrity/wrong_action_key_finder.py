"""Wrong action keys: each is read with its events, so only where they are few, or where their number shows that some
are wrong."""

from collections.abc import Iterator, Mapping, Sequence, Set

import msgspec

from events import catalogue
from events.desk import lookalike_id_claims
from events.desk.locked_decisions import part_of
from events.errors import Poison, Unknown
from events.integrity.heads_consistency import Finding
from events.store import MAX_BATCH, EventReader, Key, Stored
from events.streams import stream_kind_declaration

PAGE = 1_000


class _Cause(msgspec.Struct):
    """The part of the envelope that says which action made the event."""

    causation: str = ""


_decode = msgspec.json.Decoder(_Cause).decode


def key_of(stored: Stored) -> str:
    """Empty if no action made it, or if it cannot be read, which the chains show."""
    try:
        return _decode(stored.raw).causation
    except (msgspec.MsgspecError, UnicodeDecodeError, TypeError):  # SQLite may give back a number
        return ""


def wrong_keys(store: EventReader, beyond: int, reported_keys: Set[str], *, marked: bool) -> Iterator[Finding]:
    """Yield the wrong keys among all, or among those with a # in them (parts of actions, claims).

    Findings already in `reported_keys` are left out. `beyond` is the position after all others.
    """
    last = ""
    while page := store.keys_after(last, PAGE, marked=marked):
        last = page[-1].key
        owners = store.keys([*{owner for key in page for owner in _owners(key)}])
        for key in [
            page_key for page_key in page if reported_keys.isdisjoint((page_key.key, _action_and_part(page_key)[0]))
        ]:
            events = _stands_for(store, key)
            if not _is_right(store, key, events, owners):
                yield _key_finding(store, key, events, beyond)


def _is_right(store: EventReader, key: Key, events: Sequence[Stored], owners: Mapping[str, Key]) -> bool:
    """Return whether all its events are there, and are of the action that the key names."""
    if not _is_sound(key) or len(events) != key.count:
        return False
    action, number = _action_and_part(key)
    if not number:
        return _is_claim(store, key, events)
    if number == 1 and not events:
        return part_of(action, 2) in store.keys([part_of(action, 2)])
    streams = {owners[name].stream for name in _owners(key) if name in owners}
    return _made_by(events) == {action} and len(streams) == number - 1 and key.stream not in streams


def _owners(key: Key) -> list[str]:
    """Return the keys of the earlier parts of an action. An action writes to each stream once."""
    action, parts = _action_and_part(key)
    return [action, *(part_of(action, number) for number in range(2, parts))][: max(parts - 1, 0)]


def _action_and_part(key: Key) -> tuple[str, int]:
    """The action, and which part of it; 0: none, so a claim if anything."""
    action, mark, part_number = str(key.key).partition("#")  # SQLite returns values that a person's editor stored
    return action, 1 if not mark else int(part_number) if _is_number(part_number) else 0


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and not text.startswith("0") and 2 <= int(text[:5]) <= MAX_BATCH


def _is_claim(store: EventReader, claim: Key, events: Sequence[Stored]) -> bool:
    """Return whether the claim covers exactly the events of an action's own key, and those may have claimed it."""
    (action,) = made if len(made := _made_by(events)) == 1 else ("",)
    own = store.keys([action]).get(action)
    if own is None or msgspec.structs.replace(claim, key=action) != own:
        return False
    try:
        data = [catalogue.decode(stored.type, stored.raw).data for stored in events]
        kind = stream_kind_declaration.of_stream(claim.stream)
    except (Poison, Unknown):
        return False
    if lookalike_id_claims.is_of_id(claim.key):
        return lookalike_id_claims.may_claim(claim.stream, data, claim.key)
    return claim.key in kind.claimed_by(claim.stream, data) or kind.claims.may_claim(claim.stream, data, claim.key)


def _stands_for(store: EventReader, key: Key) -> Sequence[Stored]:
    """Return the existing events; none for an unreadable key."""
    if not _is_sound(key):
        return ()
    stored_events = store.stream(key.stream, after=key.first - 1, limit=key.count) if key.count else ()
    return [stored for number, stored in enumerate(stored_events) if stored.version == key.first + number]


def _is_sound(key: Key) -> bool:
    """Return whether the key could be the house's: no append has more events."""
    is_read = all(map(isinstance, (key.key, key.stream, key.first, key.count), (str, str, int, int)))
    return is_read and key.first >= 1 and 0 <= key.count <= MAX_BATCH


def _made_by(events: Sequence[Stored]) -> set[str]:
    """The actions that made these."""
    return {key_of(stored) for stored in events}


def _key_finding(store: EventReader, key: Key, events: Sequence[Stored], beyond: int) -> Finding:
    """Return the finding at the first event of the key's range; a key without events comes last."""
    event = f"{key.stream}@{key.first}"
    behind = store.stream(key.stream, after=key.first - 1, limit=1) if not events and _is_sound(key) else events
    position = behind[0].position if behind else beyond
    message = f"the key {key.key} stands for {event}, as if its action had made it: sent, it would not be done"
    return Finding("key", position, message, event)
