"""The people who worked at a table in a time: they do not inspect it themselves."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import msgspec

from events.store import EventReader
from events.tables.event_types.session import SessionClosed, SessionRolled, SessionVoided, StaffAssigned, StaffLeft
from events.tables.table_session_state_structs import stream_of

_OVER = (SessionClosed.TYPE, SessionRolled.TYPE, SessionVoided.TYPE)
_SAME_POST = {"croupier": "dealer", "boxman": "inspector"}


class _Data(msgspec.Struct):
    dealer: str | None = None
    inspector: str | None = None
    witness: str | None = None
    post: str | None = None
    person: str | None = None


class _StaffEvent(msgspec.Struct):
    type: str
    time: str
    actor: str
    data: _Data


_decode = msgspec.json.Decoder(_StaffEvent).decode


def people_at(store: EventReader, property_: str, table: str, since: str, until: str) -> frozenset[str]:
    """Return the people at a post of the table, or with an event there, from one time to another."""
    begin, end = datetime.fromisoformat(since), datetime.fromisoformat(until)
    people = set[str]()
    for day in _days(begin, end):
        people |= _of_session(store, stream_of(property_, table, day), begin, end)
    return frozenset(people - {""})


def _days(begin: datetime, end: datetime) -> Iterator[str]:
    """Yield the gaming days that a time may be in. A day can begin the day before in some zone, or end the next day."""
    day, last = begin.date() - timedelta(days=1), end.date() + timedelta(days=1)
    while day <= last:
        yield day.isoformat()
        day += timedelta(days=1)


def _of_session(store: EventReader, stream: str, begin: datetime, end: datetime) -> set[str]:
    posts: dict[str, str] = {}
    people = set[str]()
    for stored in store.stream(stream):
        event = _decode(stored.raw)
        time = datetime.fromisoformat(event.time)
        if time >= end:
            continue
        if time >= begin:
            data = event.data
            people |= {event.actor, *posts.values(), data.dealer or "", data.inspector or "", data.witness or ""}
        _change_posts(posts, event)
        if time >= begin:
            people |= {*posts.values()}
    return people | {*posts.values()}


def _change_posts(posts: dict[str, str], event: _StaffEvent) -> None:
    """Follow the posts of a table. A person at a post when the time begins worked there."""
    data = event.data
    if event.type in _OVER:
        posts.clear()
    elif event.type == StaffAssigned.TYPE and data.post and data.person:
        posts[_SAME_POST.get(data.post, data.post)] = data.person
    elif event.type == StaffLeft.TYPE and data.post:
        posts.pop(_SAME_POST.get(data.post, data.post), None)
