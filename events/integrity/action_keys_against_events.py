"""Action keys against the events: the events of an action match the range of its key, without gap or surplus.

A repeated action gets its first answer by its key. Keys are in a table of their own, outside every chain and head. If
one were removed, the same action could be done again. If one were added, a dealer's action would be answered without
being done. No other check covers a key's digest of the action.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TypeGuard

import msgspec
from eventsourcing.persistence import ProgrammingError

from events import catalogue
from events.desk.locked_decisions import part_of
from events.errors import Poison
from events.integrity.heads_consistency import Finding
from events.integrity.wrong_action_key_finder import key_of, wrong_keys
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.store import EventReader, Key, Stored, Tally
from events.store.stream_chain_verification import MAX_FINDINGS
from events.streams import stream_kind_declaration

_Made = tuple[str, Stored]  # an action's key, and an event that the action made


class KeyAudit:
    """Audit of keys with events in the store's order, a chunk at a time.

    `seen`: the number of keys, each counted at its first event, and the number of their events.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.why_not = ""  # they could not be compared
        self.seen = (0, 0)
        self._reported_keys: set[str] = set()  # actions and claims whose keys are named already

    def take(self, store: EventReader, events: Sequence[Stored]) -> None:
        """The next events, by the keys as they are now."""
        try:
            self._compare(store, [(key, stored) for stored in events if (key := key_of(stored))])
            self._claims(store, [stored for stored in events if stored.type in _claiming()])
        except ProgrammingError:
            self.why_not = "the action keys were not compared: there is no such table"

    def tally(self, store: EventReader) -> Tally:
        """Return the number of keys, before their events are read."""
        try:
            return store.tally()
        except ProgrammingError:
            return Tally(store.position(), 0, 0)

    def end(self, store: EventReader, tally: Tally) -> None:
        """Check, after all events up to here, whether the keys cover further events."""
        if not self.why_not:
            are_alike = self.seen == (tally.keys, tally.events)
            findings = wrong_keys(store, tally.position + 1, self._reported_keys, marked=are_alike)
            self.findings.extend(islice(findings, MAX_FINDINGS - len(self.findings)))

    def _compare(self, store: EventReader, unclaimed: Sequence[_Made]) -> None:
        """Compare an action's events in other streams: they have its key with a number, from 2 on."""
        number = 1
        while unclaimed:
            named = [(key if number == 1 else part_of(key, number), key, stored) for key, stored in unclaimed]
            known_keys = _stored_keys(store, {name for name, _, _ in named})
            self._find([(key, stored) for name, key, stored in named if name not in known_keys])
            if number == 1:
                self._count(known_keys, unclaimed)
            unclaimed = [(key, stored) for name, key, stored in named if _is_elsewhere(stored, known_keys.get(name))]
            number += 1

    def _count(self, known_keys: Mapping[str, Key], made: Sequence[_Made]) -> None:
        """Count the keys whose first event is here, and the events of a key of their own."""
        under = [(known_key, stored) for key, stored in made if _stands_for(known_key := known_keys.get(key), stored)]
        begun = sum([known_key.first == stored.version for known_key, stored in under])
        self.seen = self.seen[0] + begun, self.seen[1] + len(under)

    def _find(self, missing: Sequence[_Made]) -> None:
        for key, stored in missing[: MAX_FINDINGS - len(self.findings)]:
            self._reported_keys.add(key)
            event = f"{stored.stream}@{stored.version}"
            message = (
                f"{event} was made by the action {key}, whose key does not say so: sent again it would be done again"
            )
            self.findings.append(Finding("key", stored.position, message, event))

    def _claims(self, store: EventReader, claiming: Sequence[Stored]) -> None:
        """Check the keys claimed by events: each accompanies its action's own, for the same events."""
        for stored_event in claiming:
            action, claims = key_of(stored_event), _claimed_by(stored_event)
            if not action or not claims:
                continue
            known_keys = _stored_keys(store, {action, *claims})
            wrong = [
                claim_key
                for claim_key in claims
                if action in known_keys and not _is_claim(known_keys.get(claim_key), known_keys[action])
            ]
            for claim in wrong[: MAX_FINDINGS - len(self.findings)]:
                self._reported_keys.add(claim)
                event = f"{stored_event.stream}@{stored_event.version}"
                message = f"{event} claims {claim}, and no such key stands for it: the same could be done once more"
                self.findings.append(Finding("key", stored_event.position, message, event))


@cached_until_forgotten
def _claiming() -> frozenset[str]:
    """The types of events that claim keys."""
    return frozenset(event.TYPE for kind in stream_kind_declaration.declared().values() for event in kind.claims.events)


def _claimed_by(stored: Stored) -> list[str]:
    try:
        data = catalogue.decode(stored.type, stored.raw).data
    except Poison:  # which the chains show
        return []
    return stream_kind_declaration.of_stream(stored.stream).claimed_by(stored.stream, [data])


def _is_claim(claim: Key | None, own: Key) -> bool:
    return claim is not None and msgspec.structs.replace(claim, key=own.key) == own


def _stored_keys(store: EventReader, names: set[str]) -> Mapping[str, Key]:
    return {name: key for name, key in store.keys([*names]).items() if _is_sound(key)}


def _is_elsewhere(stored: Stored, key: Key | None) -> bool:
    """Return whether the key exists, and does not cover the event."""
    return key is not None and not _stands_for(key, stored)


def _stands_for(key: Key | None, stored: Stored) -> TypeGuard[Key]:
    return key is not None and key.stream == stored.stream and key.first <= stored.version < key.first + key.count


def _is_sound(key: Key) -> bool:
    """Return whether the key's columns are of their kinds: SQLite returns values written by an editor as they are."""
    return type(key.first) is int and type(key.count) is int
