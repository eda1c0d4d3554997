"""Action keys against the events: each event that an action made lies among those that its key stands for.

By its key an action that is sent again gets its first answer. Keys lie in a table of their own, which no chain and no
head covers: where one is taken away, the same action would be done once more.
"""

from collections.abc import Sequence

import msgspec
from eventsourcing.persistence import ProgrammingError

from events.following import part_of
from events.integrity.vouching import Finding
from events.store import Key, Past, Stored
from events.store.verify import MAX_FINDINGS


class _Caused(msgspec.Struct):
    """The part of the envelope that says which action made the event."""

    causation: str = ""


_decode = msgspec.json.Decoder(_Caused).decode
_Made = tuple[str, Stored]  # an action's key, and an event that the action made


class Caused:
    """Fed with events in the store's order, a chunk at a time."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.why_not = ""  # they could not be compared

    def take(self, store: Past, events: Sequence[Stored]) -> None:
        """The next events, by the keys as they are now."""
        try:
            self._compare(store, [(key, stored) for stored in events if (key := _key_of(stored))])
        except ProgrammingError:
            self.why_not = "the action keys were not compared: there is no such table"

    def _compare(self, store: Past, left: Sequence[_Made]) -> None:
        """An action's events in other streams lie under its key with a number, from 2 on."""
        number = 1
        while left:
            named = [(key if number == 1 else part_of(key, number), key, stored) for key, stored in left]
            found = {name: one for name, one in store.keys([*{name for name, _, _ in named}]).items() if _is_sound(one)}
            self._find([(key, stored) for name, key, stored in named if name not in found])
            left = [(key, stored) for name, key, stored in named if _is_elsewhere(stored, found.get(name))]
            number += 1

    def _find(self, missing: Sequence[_Made]) -> None:
        for key, stored in missing[: MAX_FINDINGS - len(self.findings)]:
            event = f"{stored.stream}@{stored.version}"
            message = (
                f"{event} was made by the action {key}, whose key does not say so: sent again it would be done again"
            )
            self.findings.append(Finding("key", stored.position, message, event))


def _is_elsewhere(stored: Stored, key: Key | None) -> bool:
    """Whether there is such a key, and the event is none of those that it stands for."""
    return key is not None and not (key.stream == stored.stream and key.first <= stored.version < key.first + key.count)


def _is_sound(key: Key) -> bool:
    """SQLite gives back what somebody's editor put there."""
    return type(key.first) is int and type(key.count) is int


def _key_of(stored: Stored) -> str:
    """Empty where no action made it, or where it cannot be read, which the chains tell."""
    try:
        return _decode(stored.raw).causation
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""
