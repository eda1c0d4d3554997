"""A table's gaming days: which one an action goes to, and that they follow each other, one at a time."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import takewhile
from typing import Any

from events.controls import refused_fact_reasons
from events.envelope import ActionData
from events.error_codes import ErrorText, coded
from events.errors import Invalid, Unknown
from events.fields import is_day
from events.house import gaming_day_by_house_clock
from events.streams.action_time_and_day_bounds import DAYS_NEAR
from events.streams.stream_kind_declaration import StreamView, Target
from events.tables.actions.count_action_structs import PutDrop
from events.tables.actions.session_action_structs import OpenSession, RollSession
from events.tables.event_types.session import SessionOpened, SessionRolled
from events.tables.table_session_state_structs import Session, new_session, stream_of

_BEGINNING_DAYS = frozenset((OpenSession, RollSession))
_OF_DAYS = frozenset((PutDrop, OpenSession, RollSession))  # actions that may go to a day that is not open


def route(view: StreamView, target: Target, data: ActionData) -> str:
    """The stream of the day that an action goes to: the one that is named, or the current one.

    Raises Unknown, Invalid, Refused.
    """
    must_be_there(view, target.name)
    if type(data) not in _OF_DAYS:
        return _named_day(view, target)
    if isinstance(data, PutDrop) and (stream := _before_opening(view, target)):
        return stream
    if isinstance(data, OpenSession):
        stream = _new_day(view, target.name, data.gaming_day)
    else:
        stream = _named_day(view, target)
    if isinstance(data, OpenSession) or (isinstance(data, RollSession) and data.gaming_day > stream.rpartition("/")[2]):
        _must_follow(view, data.gaming_day)
    return stream


def _named_day(view: StreamView, target: Target) -> str:
    """Return the stream of the target's day, or of the table's current one where none is named."""
    if target.gaming_day is not None:
        return _opened_day(view, target.name, target.gaming_day)
    return _current(view, target.name)


def _before_opening(view: StreamView, target: Target) -> str:
    """The stream of the day for which a box is put at a table that has no gaming day yet; "" where it has one.

    The day that is named, or the house's own by its clock.
    """
    day = target.gaming_day
    if day is not None and is_day(day) and day == _day_of_clock(view, day):
        stream = stream_of(view.property, target.name, day)
        return "" if view.has_events(stream) else stream
    if day is not None or _last_stream(view, target.name):
        return ""
    return stream_of(view.property, target.name, _day_of_clock(view, ""))


def _day_of_clock(view: StreamView, named: str) -> str:
    """The house's gaming day by its clock, or the named one where that is near."""
    settings = view.property_state("house").settings
    today = gaming_day_by_house_clock.gaming_day(settings, datetime.fromisoformat(view.store.clock()))
    is_near = named and gaming_day_by_house_clock.is_near(settings, date.fromisoformat(named), today)
    return named if is_near else today.isoformat()


def waiting_box(view: StreamView, stream: str) -> str | None:
    """The box that was put at a table while no session was open, and waits for the opening of this day."""
    _, _, table, _ = stream.split("/", 3)
    days = (view.read_stream(day).state for day in _days_back(view, table))
    last = view.read_stream(stream).state.waiting_box
    boxes = (state.waiting_box for state in takewhile(lambda state: state.status != "open", days))
    return last or next((box for box in boxes if box is not None), None)


def session(view: StreamView, table: str, gaming_day: str | None = None) -> tuple[Session, int]:
    """A table's session of a gaming day (None: of its latest) and its version. Raises Unknown, Invalid."""
    must_be_there(view, table)
    if gaming_day is not None:
        stream = _opened_day(view, table, gaming_day)
    elif not (stream := _last_stream(view, table)):
        raise Unknown(coded("table-never-opened", table=table))
    current = view.read_stream(stream)
    return current.state, current.version


def session_or_new(view: StreamView, table: str, gaming_day: str | None = None) -> tuple[Session, int]:
    """The same as `session`; of a table that was never opened the day that its screen would open, at version 0."""
    must_be_there(view, table)
    if gaming_day is None and not _last_stream(view, table):
        return begin(view, stream_of(view.property, table, _day_of_clock(view, ""))), 0
    return session(view, table, gaming_day)


def must_be_there(view: StreamView, table: str) -> None:
    """Raise Unknown for a table that is not on the floor."""
    if table not in view.property_state("floor").tables:
        raise Unknown(coded("table-unknown", table=table))


def begin(view: StreamView, stream: str) -> Session:
    """Return a gaming day before its first event, by the floor at that moment; it is never remembered."""
    _, _, table, gaming_day = stream.split("/", 3)
    return new_session(view.property, view.property_state("floor").tables[table], gaming_day)


def last_day(view: StreamView, stream: str) -> Session | None:
    """Return the table's gaming day before this one, as closed; None for a table that never closed one."""
    _, _, table, _ = stream.split("/", 3)
    before = (view.read_stream(day).state for day in _days_back(view, table) if day < stream)
    last = next((state for state in before if state.status not in ("new", "void")), None)
    return last if last is not None and last.status in ("closed", "counted") else None


def claim(view: StreamView, target: Target, stream: str, data: ActionData) -> str | None:
    """Two processes may open different days of a table at once: their streams differ, this key does not.

    None if the day itself is opened again: its head distinguishes them.
    """
    if type(data) not in _BEGINNING_DAYS:
        return None
    last, voided = _last_stream(view, target.name), _voided(view, target.name)
    if last == stream and not voided and isinstance(data, OpenSession):
        return None
    day = _last_day(view, target.name).rpartition("/")[2]
    return f"{_days(view, target.name)}#after-{day}{voided}"


def may_claim(stream: str, events: Sequence[Any], key: str) -> bool:
    """Return whether the events of this stream may have made this claim.

    The named day must be before the opened day, or be the rolled day, unless days were void.
    """
    place, _, day = stream.rpartition("/")
    before, _, voided = key.removeprefix(f"{place}#after-").partition(",")
    is_rolled = any(isinstance(event, SessionRolled) for event in events)
    opens = is_rolled or any(isinstance(event, SessionOpened) for event in events)
    follows = bool(voided) or (before == day if is_rolled else before < day)
    return key.startswith(f"{place}#after-") and opens and follows


# --- which day --------------------------------------------------------------------------------------------------------


def _must_follow(view: StreamView, gaming_day: str) -> None:
    """The days of the house follow one another: none begins once a later one has begun. Raises Refused.

    Postings of a closed day go to the next one that has begun, and no day may come in between afterwards. A day that
    was opened by mistake and is void does not count.
    """
    tables = view.property_state("floor").tables
    cage = f"{view.property}/cage/"
    if any(view.has_events(stream_of(view.property, table, gaming_day)) for table in tables):
        return
    if view.has_events(f"{cage}{gaming_day}"):
        return
    later = [day for table in tables for day in _standing_after(view, table, gaming_day)]
    if (last := view.store.last_stream(cage) or "") > f"{cage}{gaming_day}":
        later.append(last)
    if later:
        detail = begins_no_more(gaming_day, later)
        raise refused_fact_reasons.fact_refusal("day order", "house session", detail, field="data.gaming_day")
    for days in range(1, 2 * DAYS_NEAR + 1):  # no process begins a later one before the append
        day = (date.fromisoformat(gaming_day) + timedelta(days)).isoformat()
        view.expect_unchanged([f"{cage}{day}", *(stream_of(view.property, table, day) for table in tables)])


def _standing_after(view: StreamView, table: str, gaming_day: str) -> Iterator[str]:
    """Yield a table's days after that one; only these are read, since others may be busy."""
    first = stream_of(view.property, table, gaming_day)
    later = takewhile(lambda stream: stream > first, _days_back(view, table))
    return (stream for stream in later if not _is_void(view, stream))


def begins_no_more(gaming_day: str, later: Iterable[str]) -> ErrorText:
    """Return why a day does not begin, by the streams of those that have."""
    _, place, *name = min(later, key=lambda stream: stream.rpartition("/")[2]).split("/")
    if place == "cage":
        return coded("gaming-day-order-cage", begun=name[-1], day=gaming_day)
    return coded("gaming-day-order-table", begun=name[-1], table=name[0], day=gaming_day)


def _days(view: StreamView, table: str) -> str:
    """Return the place of the streams of a table's days."""
    return f"{view.property}/tables/{table}"


def _opened_day(view: StreamView, table: str, gaming_day: str) -> str:
    """The stream of a gaming day that the table was opened for: a mistyped one leaves nothing behind here."""
    if not is_day(gaming_day):
        raise Invalid("gaming_day", coded("gaming-day-format"))
    stream = stream_of(view.property, table, gaming_day)
    if not view.has_events(stream):
        raise Unknown(coded("table-not-opened-on-day", table=table, day=gaming_day))
    return stream


def _current(view: StreamView, table: str) -> str:
    """The table's latest gaming day.

    Another process can open a later one only after closing the one that is known here. While that one is open, it is
    the latest, or this process has not read its last events.
    """
    for stream, current in view.cached_streams_below(_days(view, table)):
        if current.state.status == "open":
            return stream
    if not (last := _last_day(view, table)):
        raise refused_fact_reasons.fact_refusal("no session", "house session", coded("table-never-opened", table=table))
    return last


def _last_stream(view: StreamView, table: str) -> str:
    """Return the table's last stream, stored or waiting to be stored; "" without one."""
    days = _days(view, table)
    stored = view.store.last_stream(f"{days}/") or ""
    return max([stored, *(name for name, _ in view.cached_streams_below(days))])


def _last_day(view: StreamView, table: str) -> str:
    """Return the table's last gaming day that is not void, else its last void one; "" without a day."""
    valid_days = (day for day in _days_back(view, table) if not _is_void(view, day))
    return next(valid_days, _last_stream(view, table))


def _days_back(view: StreamView, table: str) -> Iterator[str]:
    """The streams of a table's gaming days, stored or waiting to be, the last first."""
    days = _days(view, table)
    stream = _last_stream(view, table)
    while stream:
        yield stream
        earlier_streams = [name for name, _ in view.cached_streams_below(days) if name < stream]
        stream = max([view.store.last_stream(f"{days}/", stream) or "", *earlier_streams])


def _is_void(view: StreamView, stream: str) -> bool:
    """Return whether the day counts for none: it is void, or a box was put for it and it was never opened."""
    return view.read_stream(stream).state.status in ("new", "void")


def _new_day(view: StreamView, table: str, gaming_day: str) -> str:
    """Return the stream of a new day. A table opens one gaming day at a time, and never one before its last."""
    stream = stream_of(view.property, table, gaming_day)
    last = _last_day(view, table)
    if last not in ("", stream) and not _is_void(view, last):
        day = last.rpartition("/")[2]
        if view.read_stream(last).state.status == "open":
            detail = coded("table-still-open", day=day)
            raise refused_fact_reasons.fact_refusal("open session", "house session", detail)
        if gaming_day < day:
            detail = coded("gaming-day-opened-already", day=day)
            raise refused_fact_reasons.fact_refusal("day order", "house session", detail)
    return stream


def _voided(view: StreamView, table: str) -> str:
    """Return the voids that a table's days end with, as a part of a claim: any day may follow them, but only one.

    All of them: after a second mistake the last day's is still the same as after the first.
    """
    void = takewhile(lambda stream: _is_void(view, stream), _days_back(view, table))
    return "".join(f",{stream.rpartition('/')[2]}@{view.read_stream(stream).version}" for stream in void)
