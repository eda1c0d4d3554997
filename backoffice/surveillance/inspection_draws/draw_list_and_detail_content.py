"""Draws as a reader may see them: the result is shown to inspectors from the reveal on, to others when it is public."""

from datetime import datetime

import msgspec

from backoffice.installation.dependency_injection import installation
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.surveillance.inspection_draws.draw_states_from_events import DrawEvent, history
from events.error_codes import coded
from events.errors import Unknown
from events.inspection_draws.decider import Draw, may_inspect, moment_of
from events.inspection_draws.stream_declaration import drawn

SHOWN = 200  # draws of a page
STATES = {
    "second": "red",
    "committed": "amber",
    "due": "amber",
    "revealed": "amber",
    "published": "green",
}


class DrawLine(msgspec.Struct, frozen=True):
    """A draw in the list. `state`: second, committed, due, revealed or published."""

    draw: str
    since: datetime
    until: datetime
    draw_at: datetime
    listed: int
    number: int
    inspected: int
    state: str
    is_late: bool

    @property
    def colour(self) -> str:
        """Return the colour of the state."""
        return "red" if self.is_late else STATES[self.state]


class DrawList(msgspec.Struct, frozen=True):
    """The newest draws, and how many there are."""

    draws: tuple[DrawLine, ...]
    count: int


class DrawnEntry(msgspec.Struct, frozen=True):
    """A drawn entry that the reader may see, with its inspection ("" where there is none yet)."""

    entry: int
    table: str
    since: datetime
    until: datetime
    is_over: bool
    inspector: str = ""
    inspected: str = ""
    way: str = ""
    looked_at: str = ""
    finding: str = ""
    note: str = ""


class ListEntry(msgspec.Struct, frozen=True):
    """An entry of the list that was committed."""

    entry: int
    table: str
    since: datetime
    until: datetime
    weight: int


class DrawShown(msgspec.Struct, frozen=True):
    """A draw for one reader. `hidden` is the number of drawn entries that this reader may not see yet; `entries` is the
    list, `events` what happened. `head` is 0 before the reveal."""

    line: DrawLine
    commitment: str
    inspect_by: str
    inspectors: tuple[str, ...]
    second_of: str
    head: int
    head_digest: str
    is_inspector: bool
    drawn: tuple[DrawnEntry, ...]
    hidden: int
    entries: tuple[ListEntry, ...]
    events: tuple[DrawEvent, ...]


def draw_list() -> DrawList:
    """Return the newest draws; nothing of a result is in the list."""
    draw_history, now = history(), installation().store.clock()
    lines = [line_of(draw, now) for draw in reversed([*draw_history.draws.draws.values()])]
    return DrawList(tuple(lines[:SHOWN]), len(lines))


def line_of(draw: Draw, now: str) -> DrawLine:
    """Return the line of a draw."""
    terms = draw.terms
    return DrawLine(
        draw=terms.draw,
        since=moment_of(terms.since),
        until=moment_of(terms.until),
        draw_at=moment_of(terms.draw_at),
        listed=draw.listed,
        number=terms.number,
        inspected=len(draw.inspected),
        state=_state(draw, now),
        is_late=terms.is_late,
    )


def _state(draw: Draw, now: str) -> str:
    if draw.terms.second_of:
        return "second"
    if draw.opened is not None:
        return "published"
    if draw.revealed is not None:
        return "revealed"
    return "due" if moment_of(draw.terms.draw_at) <= moment_of(now) else "committed"


def draw_of(name: str) -> Draw:
    """Return a draw by its name. Raises Unknown."""
    draw = history().draws.draws.get(name)
    if draw is None:
        raise Unknown(coded("draw-unknown", draw=name))
    return draw


def visible(draw: Draw, reader: Reader) -> tuple[int, ...]:
    """Return the drawn entries that the reader may see now: all for its inspectors, the public ones for others."""
    if draw.revealed is None:
        return ()
    store = installation().store
    entries, now = drawn(store, draw), store.clock()
    if may_inspect(draw, reader.person, reader.roles):
        return entries
    return tuple(sorted(entry for entry in entries if draw.is_public(entry, now)))


def draw_shown(name: str, reader: Reader) -> DrawShown:
    """Return a draw as its reader may see it. Raises Unknown."""
    draw, draw_history, now = draw_of(name), history(), installation().store.clock()
    terms, entries = draw.terms, visible(draw, reader)
    events = draw_history.events[name]
    return DrawShown(
        line=line_of(draw, now),
        commitment=terms.commitment,
        inspect_by=terms.inspect_by or "",
        inspectors=terms.inspectors,
        second_of=terms.second_of,
        head=draw.revealed.head if draw.revealed else 0,
        head_digest=draw.revealed.head_digest if draw.revealed else "",
        is_inspector=may_inspect(draw, reader.person, reader.roles),
        drawn=tuple(_drawn(draw, entry, events, now) for entry in entries),
        hidden=(terms.number if draw.revealed else 0) - len(entries),
        entries=tuple(
            ListEntry(number, entry.table, moment_of(entry.since), moment_of(entry.until), entry.weight)
            for number, entry in enumerate(terms.entries, 1)
        ),
        events=tuple(events),
    )


def _drawn(draw: Draw, number: int, events: list[DrawEvent], now: str) -> DrawnEntry:
    entry, inspection = draw.entry(number), draw.inspected.get(number)
    since, until = moment_of(entry.since), moment_of(entry.until)
    if inspection is None:
        return DrawnEntry(number, entry.table, since, until, draw.is_over(number, now))
    event = next(event for event in events if event.entry == number)
    return DrawnEntry(
        entry=number,
        table=entry.table,
        since=since,
        until=until,
        is_over=draw.is_over(number, now),
        inspector=event.actor,
        inspected=event.time,
        way=inspection.way,
        looked_at=inspection.looked_at,
        finding=inspection.finding,
        note=inspection.note,
    )
