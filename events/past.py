"""A round that is over, found again in its table's stream: a few looks and its own events, however long the day.

A session's events stand in the order of its rounds, save those that look back (a hit found late, a payment that came
late, a settlement put right, what is asked and agreed to) and the roll of the day, which is of no round. So where a
round begins is found by halves.
"""

from collections.abc import Iterator

from events import approvals, catalogue
from events.envelope import AnyEnvelope, EventData
from events.store import Past
from events.tables.types.common import SessionRolled
from events.tables.types.progressive import HitDeclaredLate
from events.tables.types.rounds import PaymentMade, SettlementCorrected

PAGE = 100  # events read at a time
ROUND_MAX = 20_000  # events of one round
_LOOKING_BACK = (HitDeclaredLate, PaymentMade, SettlementCorrected, SessionRolled, *approvals.EVENTS)


def events_of_round(past: Past, stream: str, number: int) -> tuple[AnyEnvelope, ...]:
    """The events of a round of a table's gaming day; none where it has no such round."""
    found = []
    for event in _from(past, stream, _begins_after(past, stream, number)):
        if _number(event.data) == number:
            found.append(event)
        elif (_is_of_its_time(event.data) and _number(event.data) > number) or len(found) >= ROUND_MAX:
            break
    return tuple(found)


def _begins_after(past: Past, stream: str, number: int) -> int:
    """The version after which everything that looks not back is of this round or a later one."""
    before, from_here = 0, past.head(stream).version + 1
    while from_here - before > 1:
        middle = (before + from_here) // 2
        here = next((one for one in _from(past, stream, middle - 1) if _is_of_its_time(one.data)), None)
        if here is None or _number(here.data) >= number:
            from_here = middle
        else:
            before = middle
    return before


def _from(past: Past, stream: str, after: int) -> Iterator[AnyEnvelope]:
    while page := past.stream(stream, after, PAGE):
        for stored in page:
            yield catalogue.decode(stored.type, stored.raw)
        after = page[-1].version


def _is_of_its_time(event: EventData) -> bool:
    return not isinstance(event, _LOOKING_BACK)


def _number(event: EventData) -> int:
    """The round it belongs to; 0 before the first."""
    return getattr(event, "round", None) or 0
