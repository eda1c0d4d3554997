"""`slip:12`, `die:K1`, `shoe:S-1`: events that name a thing in a field of their own."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django.db.models import Q

from backoffice.queries.search import values
from backoffice.queries.search.condition import Condition, Event, House
from backoffice.queries.search.grammar import Clause, Mistake
from backoffice.queries.search.spans import NOWHERE, Span
from backoffice.queries.search.ways import Drive
from backoffice.queries.touching import is_said, of_shoe, types_with
from projections.eventlog.models import EventLog

SHOES_MAX = 20_000  # events of the shoes that are asked for: a query takes so many parameters and no more


def slips(clause: Clause, house: House) -> Condition:
    """Of any of these numbers."""
    found = [values.ranged(value, values.whole) for value in clause.values]

    def finds(_at: int, event: Event) -> bool:
        said = event["data"].get("slip")
        return isinstance(said, int) and any(one.holds(said) for one in found)

    return _of_types(types_with("slip"), finds)


def dice(clause: Clause, house: House) -> Condition:
    """That put, chose or threw a die of one of these serials."""
    wanted = [value.text for value in clause.values]

    def finds(_at: int, event: Event) -> bool:
        said = (event["data"].get(field) for field in ("dice", "serials"))
        return any(is_said(one, serial) for one in said for serial in wanted)

    return _of_types(types_with("dice", "serials"), finds)


def shoes(clause: Clause, house: House) -> Condition:
    """The loading of a shoe, and the cards of its table until the next one is loaded there."""
    log = EventLog.objects.using(house.using)
    positions: set[int] = set()
    for value in clause.values:
        asks, _ = of_shoe(log, value.text)
        positions |= set(log.filter(asks).values_list("position", flat=True)[: SHOES_MAX + 1])
        if len(positions) > SHOES_MAX:
            raise Mistake(clause.column, "there are too many cards of these shoes: ask for one of them")
    span = Span(min(positions), max(positions)) if positions else NOWHERE
    return Condition(Q(position__in=positions), partial(_stands, positions), is_exact=True, span=lambda: span)


def cases(clause: Clause, house: House) -> Condition:
    """None of which there is one yet. Raises Mistake."""
    said = clause.values[0].text[:40]
    raise Mistake(clause.column, f"there is no case {said!r}, none is kept yet: what is said of an alert is alert:ID")


def _of_types(types: Sequence[str], finds: Callable[[int, Event], bool]) -> Condition:
    """Along these types, however many they are: each is rare, or few."""
    along = Drive(("type",), tuple((one,) for one in types))
    return Condition(Q(type__in=types), finds, along=along)


def _stands(positions: set[int], at: int, _event: Any) -> bool:
    return at in positions
