"""The state of the house before the opening import: read from the streams, so that it is current at once and after a
kill.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec

from events import catalogue
from events.accounting.cage_and_count_state_fold import Books
from events.accounting.live_books_for_decisions import cached_books
from events.envelope import Action
from events.floor import table_installation_decider
from events.house import setting_and_chip_issue_decider as house
from events.house.settings import HouseSettings, zone_of
from events.people import approval_request_lifecycle, role_grant_decider
from events.people.approval_request_lifecycle import Request, Requests
from events.progressives import history_reader
from events.progressives.event_types import ProgressiveOpened
from events.store import EventStore
from events.streams.stream_kind_declaration import Target


class HouseState(msgspec.Struct, frozen=True, kw_only=True):
    """State of the house: roles, settings, floor, books and progressives; `requests` that wait for approval, by
    target."""

    roles: Mapping[str, frozenset[str]]
    floor: table_installation_decider.FloorState
    values: Mapping[str, Any]
    books: Books
    progressives: frozenset[str]
    requests: Mapping[Target, Requests]
    now: str

    @property
    def currency(self) -> str:
        """Return the property's currency, "" where it is not set yet."""
        return str(self.values.get("currency") or self.floor.currency)

    @property
    def opened(self) -> frozenset[str]:
        """The tables that have had their first float."""
        return frozenset(self.books.cage.tables)

    def waiting_request(self, target: Target, action: Action) -> Request | None:
        """The request that waits for exactly this action."""
        content = approval_request_lifecycle.content_of(action.type, msgspec.json.decode(action.data))
        for request in self.requests.get(target, {}).values():
            is_over = request.event.until is not None and request.event.until <= self.now
            if not request.done and not is_over and request.event.content == content:
                return request
        return None


def read(store: EventStore, property_: str, progressives: Iterable[str] = ()) -> HouseState:
    """Return the state after all stored events, with the waiting requests of these progressives too."""
    requests: dict[Target, Requests] = {}
    staff, on_floor, settings = role_grant_decider.People(), table_installation_decider.FloorState(), house.House()
    for event, actor in _events(store, f"{property_}/people"):
        staff = role_grant_decider.evolve(staff, event, actor)
    for event, actor in _events(store, table_installation_decider.stream_of(property_)):
        on_floor = table_installation_decider.evolve(on_floor, event, actor)
    for event, actor in _events(store, house.stream_of(property_)):
        settings = house.evolve(settings, event, actor)
    names = {*history_reader.names(store, property_), *progressives}
    opened_progressives = set()
    for name in names:
        requests_of_stream: Requests = {}
        for event, _actor in _events(store, history_reader.stream_of(property_, name)):
            requests_of_stream = approval_request_lifecycle.evolve(requests_of_stream, event)
            opened_progressives |= {name} if isinstance(event, ProgressiveOpened) else set()
        requests[Target("progressives", name)] = requests_of_stream
    requests |= {
        Target("people"): staff.requests,
        Target("floor"): on_floor.requests,
        Target("house"): settings.requests,
    }
    books = cached_books(store, property_)
    with books.guard:
        books.catch_up(store)
    return HouseState(
        roles=staff.roles,
        floor=on_floor,
        values=settings.values,
        books=books.books,
        progressives=frozenset(opened_progressives),
        requests=requests,
        now=store.clock(),
    )


def _events(store: EventStore, stream: str) -> Iterator[tuple[Any, str]]:
    """Yield the events of a stream, each with its author."""
    for stored in store.stream(stream):
        envelope = catalogue.decode(stored.type, stored.raw)
        yield envelope.data, envelope.actor


def gaming_day(settings: HouseSettings, now: str) -> str:
    """Return the property's gaming day at a moment, by its zone and the hour at which its day begins."""
    hours, minutes = map(int, settings.day_begins.split(":"))
    local = datetime.fromisoformat(now).astimezone(zone_of(settings))
    return (local - timedelta(hours=hours, minutes=minutes)).date().isoformat()


def shift(settings: HouseSettings, now: str) -> str:
    """Return the shift that runs at a moment: the one that began last."""
    clock = datetime.fromisoformat(now).astimezone(zone_of(settings)).strftime("%H:%M")
    begins = settings.shift_begins
    started = [name for name, at in sorted(begins.items(), key=lambda item: item[1]) if at <= clock]
    return started[-1] if started else max(begins, key=lambda name: begins[name])


def last_types(store: EventStore) -> Callable[[str], str]:
    """Return a function from an action key to the type of its last event, "" for an unused key."""

    def last_type(key: str) -> str:
        entry = store.keys([key]).get(key)
        if entry is None:
            return ""
        [last] = store.stream(entry.stream, entry.first + entry.count - 2, 1)
        return last.type

    return last_type
