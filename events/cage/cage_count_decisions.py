"""The cage's day begins and ends with a count, by denomination and tender; each is compared with the books.

The counter sees the expected amounts only after the own figures are in: a difference is recorded in the same append.
"""

from datetime import date, datetime

from events.accounting.cage_and_count_state_fold import Books
from events.accounting.cage_inventory import Holding, holding
from events.accounting.event_types.cage import CageClosed, CageCount, CageCounted, CageOpened
from events.cage.action_structs import CloseCage, CountCage, OpenCage
from events.cage.decision_context import CLAUSE, CageCase, Events
from events.controls import discrepancy_event_and_severity, refused_fact_reasons
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.house import gaming_day_by_house_clock
from events.house.settings import HouseSettings
from events.rules.chip_sums_by_denomination import chips_minor


def open_cage(case: CageCase, data: OpenCage) -> Events:
    """One day at a time, each after the one before: the first count of all opens the books.

    The pieces are compared with those of the last close, unless chips have come or gone since: then only the total is.
    """
    cage = case.books.cage
    if cage.gaming_day >= data.gaming_day:
        is_open = coded("cage-open", day=cage.gaming_day)
        detail = is_open if cage.is_open else coded("gaming-day-opened-already", day=cage.gaming_day)
        raise refused_fact_reasons.fact_refusal("day order", CLAUSE, detail)
    if cage.is_open:
        refused = Refused(CLAUSE, coded("cage-open", day=cage.gaming_day))
        case.forbid("cage not closed", refused)
    _must_be_now(data.gaming_day, case.books.settings, case.moment.time)
    return _count_and_difference(case, data, CageOpened, by_pieces=not (cage.has_moved or cage.expected.loose))


def count_cage(case: CageCase, data: CountCage) -> Events:
    """Record an interim count."""
    return _count_and_difference(case, data, CageCounted)


def close_cage(case: CageCase, data: CloseCage) -> Events:
    """The last count of the day; of a cage that is closed it is one in between."""
    return _count_and_difference(case, data, CageClosed if case.books.cage.is_open else CageCounted)


def _today(settings: HouseSettings, time: str) -> date:
    """The property's gaming day by the house's clock."""
    return gaming_day_by_house_clock.gaming_day(settings, datetime.fromisoformat(time))


def _must_be_now(gaming_day: str, settings: HouseSettings, time: str) -> None:
    """Require a gaming day within a day of the property's own, by the house's clock."""
    today = _today(settings, time)
    if not gaming_day_by_house_clock.is_near(settings, date.fromisoformat(gaming_day), today):
        detail = coded("gaming-day-not-near", today=today.isoformat(), day=gaming_day)
        raise refused_fact_reasons.fact_refusal("clock", CLAUSE, detail)


def next_day(books: Books, now: str) -> str:
    """Return the next gaming day of a closed cage: the last that has begun at a table.

    Else it is the last one of the cage while accounting has not closed it, else the next one by the house's clock.
    """
    begun = max((stream.rpartition("/")[2] for stream in books.counting.days), default="")
    last = books.cage.gaming_day
    if begun > last:
        return begun
    if last and last not in books.closed:
        return last
    today = _today(books.settings, now).isoformat()
    following = (
        gaming_day_by_house_clock.next_day(books.settings, date.fromisoformat(last)).isoformat() if last else today
    )
    return max(today, following)


def _count_and_difference(
    case: CageCase, data: OpenCage | CountCage | CloseCage, shape: type[CageCount], *, by_pieces: bool = False
) -> Events:
    """Return the count, and its difference from the books."""
    if data.witness == case.who.person:
        raise Invalid("data.witness", coded("witness-is-yourself"))
    amount = chips_minor(data.chips, "data.chips") + data.cash_minor + data.marker_minor
    event = shape(
        gaming_day=case.gaming_day,
        chips=data.chips,
        cash_minor=data.cash_minor,
        marker_minor=data.marker_minor,
        amount_minor=amount,
        witness=data.witness,
    )
    if not case.books.cage.is_known:
        return [event]
    return [event, *_count_discrepancy(case, holding(event), data.witness, by_pieces=by_pieces)]


def _count_discrepancy(
    case: CageCase, actual: Holding, witness: str | None, *, by_pieces: bool
) -> list[DiscrepancyFound]:
    """Return one discrepancy a count, also where only tenders or pieces are exchanged for others."""
    expected_content = case.holds
    pieces = discrepancy_event_and_severity.differing(expected_content.chips, actual.chips) if by_pieces else ({}, {})
    if expected_content.tenders == actual.tenders and not any(pieces):
        return []
    return [
        discrepancy_event_and_severity.discrepancy_event(
            "cage",
            expected_content.total,
            actual.total,
            case.books.settings,
            gaming_day=case.gaming_day,
            counted_by=tuple(counter for counter in (case.who.person, witness) if counter),
            expected=pieces[0] or None,
            counted=pieces[1] or None,
            expected_tenders=_tenders(expected_content),
            found_tenders=_tenders(actual),
        )
    ]


def _tenders(of: Holding) -> dict[str, int]:
    return dict(zip(("chips", "cash", "marker"), of.tenders, strict=True))
