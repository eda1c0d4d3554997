"""Discrepancies, open until accounting has explained them."""

from typing import Any

import msgspec
from msgspec.structs import replace

from events.accounting.event_types.soft_count import DiscrepancyExplained
from events.accounting.event_with_position import AccountingEvent
from events.controls.discrepancy_event_and_severity import Band, DiscrepancyFound

TYPES: tuple[type[Any], ...] = (DiscrepancyFound, DiscrepancyExplained)


class Discrepancy(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One that was found; `reason` once it is explained, at position `explained_at`."""

    kind: str
    gaming_day: str
    table: str | None
    expected_minor: int
    found_minor: int
    band: Band
    reason: str | None = None
    explained_at: int | None = None


Discrepancies = dict[str, Discrepancy]  # by the id of the event that found it


def evolve(discrepancies: Discrepancies, fact: AccountingEvent) -> Discrepancies:
    """The discrepancies after one more event."""
    data = fact.data
    if isinstance(data, DiscrepancyFound):
        return {**discrepancies, fact.id: _discrepancy(data)}
    if isinstance(data, DiscrepancyExplained) and data.discrepancy in discrepancies:
        explained = replace(discrepancies[data.discrepancy], reason=data.reason, explained_at=fact.position)
        return {**discrepancies, data.discrepancy: explained}
    return discrepancies


def explained_before(discrepancies: Discrepancies, position: int) -> Discrepancies:
    """Return the discrepancies without those explained before a position."""
    return {
        id_: discrepancy
        for id_, discrepancy in discrepancies.items()
        if discrepancy.explained_at is None or discrepancy.explained_at >= position
    }


def unexplained(discrepancies: Discrepancies, gaming_day: str) -> list[str]:
    """The ids of a gaming day's discrepancies that a person must still explain: those above the lowest band."""
    of_day = ((id_, discrepancy) for id_, discrepancy in discrepancies.items() if discrepancy.gaming_day == gaming_day)
    return [id_ for id_, discrepancy in of_day if discrepancy.band != "recorded" and discrepancy.reason is None]


def _discrepancy(data: DiscrepancyFound) -> Discrepancy:
    return Discrepancy(
        kind=data.kind,
        gaming_day=data.gaming_day or "",
        table=data.table,
        expected_minor=data.expected_minor,
        found_minor=data.found_minor,
        band=data.band,
    )
