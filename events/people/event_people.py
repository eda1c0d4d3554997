"""The people that an event names: its actor, those on duty, counters, witnesses, approvers, and its subject.

A matter concerns all of them. None of them decides it (`authority.require_apart`).
"""

from collections.abc import Iterable, Iterator
from typing import Any

from events.envelope import AnyEnvelope

_PERSON_FIELDS = ("person", "partner", "dealer", "inspector", "witness", "counter", "player")
_SEVERAL = ("counted_by", "counters")


def people_of(event: AnyEnvelope) -> frozenset[str]:
    """Return the ids of the people that an event names; the system's own events have no author."""
    author = () if event.actorrole == "system" else (event.actor,)
    agreed = (name for name, _role in getattr(event.data, "approvals", ()))
    return frozenset((*author, *agreed, *_names(lambda field: getattr(event.data, field, None))))


def people_in(fields: dict[str, Any]) -> frozenset[str]:
    """Return the ids of the people that an alert's data names."""
    return frozenset(_names(fields.get))


def people_of_all(events: Iterable[AnyEnvelope]) -> frozenset[str]:
    """Return the ids of the people that any of the events names."""
    return frozenset[str]().union(*map(people_of, events))


def _names(value_of: Any) -> Iterator[str]:
    for field in _PERSON_FIELDS:
        if value := value_of(field):
            yield value
    for field in _SEVERAL:
        yield from value_of(field) or ()
