"""Read a finished round again from its table's stream, with a few reads in a gaming day of any length.

Only `round.opened.v1` orders a stream: a session numbers its rounds from 1 and opens each exactly once. Every other
event may lack a round (a returned credit) or name an earlier one (a late hit), so the search does not use them. A round
extends from its opening to the next opening. The result is checked against the numbering: an answer is complete, or the
search fails.
"""

from collections.abc import Iterator

import msgspec

from events import catalogue
from events.envelope import AnyEnvelope
from events.error_codes import coded
from events.errors import Damaged
from events.store import EventReader, Stored
from events.tables.event_types.rounds import RoundOpened

PAGE = 100  # events read at a time


class _Opening(msgspec.Struct, frozen=True):
    """The opening of a round: its number and the version of its event; number 0 is the time before round 1."""

    number: int
    version: int


_START = _Opening(0, 0)


def events_of_round(history: EventReader, stream: str, number: int) -> tuple[AnyEnvelope, ...]:
    """Return the events of a round of a table's gaming day, in their order; none where the day has no such round.

    Round 0 is the time before the first opening. Events of a later round that refer back to the round are not its own.
    Raises Damaged where the openings that are stored do not count up by one.
    """
    opening = _START if number == 0 else _find_opening(history, stream, number)
    if opening is None:
        return ()
    own = _until_next_opening(history, stream, opening)
    return tuple(event for event in own if _number(event) == number)


def _find_opening(history: EventReader, stream: str, number: int) -> _Opening | None:
    """Bisect for the round's opening. Each version is read at most once while no opening is found."""
    before, end, after = _START, history.head(stream).version + 1, None
    while end - before.version > PAGE:
        middle = (before.version + end) // 2
        opening = next(_openings(history, stream, middle, end), None)
        if opening is not None:
            _check_order(stream, before, opening, after)
        if opening is not None and opening.number < number:
            before = opening
            continue
        end, after = middle, opening or after
    return _read_forward(history, stream, before, number, end) or _must_be(stream, after, number)


def _read_forward(history: EventReader, stream: str, before: _Opening, number: int, end: int) -> _Opening | None:
    """Follow the openings behind `before`, each one number higher, up to the wanted one."""
    for opening in _openings(history, stream, before.version + 1, end):
        _check_next(stream, before, opening)
        if opening.number == number:
            return opening
        before = opening
    return None


def _must_be(stream: str, opening: _Opening | None, number: int) -> _Opening | None:
    """The first opening behind the place where the search ended: the wanted one, or there is no such round."""
    if opening is not None and opening.number != number:
        raise _damaged(stream, f"round {number} has no opening, but round {opening.number} has")
    return opening


def _openings(history: EventReader, stream: str, version: int, end: int) -> Iterator[_Opening]:
    """The openings from a version on, before `end`."""
    for stored in _events_from(history, stream, version - 1, end - version):
        if stored.type == RoundOpened.TYPE:
            yield _Opening(_number(catalogue.decode(stored.type, stored.raw)), stored.version)


def _until_next_opening(history: EventReader, stream: str, opening: _Opening) -> Iterator[AnyEnvelope]:
    """All events of the round, and those of the action that opened the next one, which may still name this round."""
    action = None
    for stored in _events_from(history, stream, max(0, opening.version - 1)):
        event = catalogue.decode(stored.type, stored.raw)
        if action is not None and event.causation != action:
            return
        if stored.type == RoundOpened.TYPE and stored.version != opening.version:
            _check_next(stream, opening, _Opening(_number(event), stored.version))
            if not isinstance(event.causation, str):
                return
            action = event.causation
        yield event


def _events_from(history: EventReader, stream: str, after: int, most: int | None = None) -> Iterator[Stored]:
    """The events behind a version, a page at a time, at most so many."""
    while most is None or most > 0:
        page = history.stream(stream, after, PAGE if most is None else min(PAGE, most))
        yield from page
        if not page:
            return
        after = page[-1].version
        most = None if most is None else most - len(page)


def _check_order(stream: str, before: _Opening, opening: _Opening, after: _Opening | None) -> None:
    """Raise Damaged for an opening whose number is not between its neighbours' numbers."""
    if opening.number <= before.number or (after is not None and opening.number >= after.number):
        raise _damaged(stream, f"round {opening.number} was opened out of order")


def _check_next(stream: str, before: _Opening, opening: _Opening) -> None:
    """Raise Damaged for an opening that is not the next one."""
    if opening.number != before.number + 1:
        raise _damaged(stream, f"round {opening.number} was opened right after round {before.number}")


def _damaged(stream: str, reason: str) -> Damaged:
    return Damaged(coded("stream-damaged", stream=stream, reason=reason))


def _number(event: AnyEnvelope) -> int:
    """The round that an event names; 0 where it names none."""
    return getattr(event.data, "round", None) or 0
