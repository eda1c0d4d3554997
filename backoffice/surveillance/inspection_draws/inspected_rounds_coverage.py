"""Coverage of inspections by table, dealer and shift: rounds opened in inspected times, out of all rounds."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta

import msgspec
from django.db.models import Count, Q, QuerySet

from backoffice.surveillance.inspection_draws.draw_states_from_events import history
from events.error_codes import coded
from events.errors import Invalid
from events.fields import is_day
from events.inspection_draws.event_types import InspectionRecorded
from events.runtime import clock
from events.tables.event_types.rounds import RoundOpened
from projections.eventlog.models import EventLog

DAYS, DAYS_MAX = 7, 31
TOGETHER = 100  # inspected times of one query
BY = ("table", "dealer", "shift")


class CoverageLine(msgspec.Struct, frozen=True):
    """All rounds and inspected rounds of a table, dealer or shift, with the number of inspections and of findings."""

    by: str
    name: str
    rounds: int
    inspected_rounds: int
    inspections: int
    findings: int

    @property
    def percent(self) -> str:
        """Return the share in percent, with one decimal."""
        tenths = self.inspected_rounds * 1_000 // self.rounds if self.rounds else 0
        return f"{tenths // 10}.{tenths % 10} %"


class Coverage(msgspec.Struct, frozen=True):
    """The coverage of the gaming days from one to another, both included."""

    first_day: str
    last_day: str
    inspections: int
    lines: tuple[CoverageLine, ...]


def coverage(first: str, last: str) -> Coverage:
    """Return the coverage of these gaming days; without days, of the last seven. Raises Invalid."""
    last = last or clock.moment().astimezone(UTC).date().isoformat()
    first = first or _shifted_day(last, 1 - DAYS)
    _check_days(first, last)
    inspections = [*_inspections(first, last)]
    rounds = EventLog.objects.filter(type=RoundOpened.TYPE, gaming_day__gte=first, gaming_day__lte=last)
    total = Counter[tuple[str, ...]]()
    for *group, count in _grouped(rounds):
        total[tuple(map(str, group))] += count
    seen = [*_inspected_rounds(rounds, inspections)]
    lines = [line for place, by in enumerate(BY) for line in _coverage_lines(by, place, total, seen)]
    return Coverage(first, last, len(inspections), tuple(lines))


class _InspectedRound(msgspec.Struct, frozen=True):
    """A round in an inspected time, with the numbers of the inspections that saw it."""

    group: tuple[str, str, str]
    inspections: frozenset[int]
    findings: frozenset[int]


def _check_days(first: str, last: str) -> None:
    for name, day in (("first", first), ("last", last)):
        if not is_day(day):
            raise Invalid(name, coded("gaming-day-format"))
    if not 0 <= (date.fromisoformat(last) - date.fromisoformat(first)).days < DAYS_MAX:
        raise Invalid("last", coded("coverage-days", most=DAYS_MAX))


def _shifted_day(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _inspections(first: str, last: str) -> Iterator[InspectionRecorded]:
    """Yield the recorded inspections whose time may be in these gaming days, which begin and end in the night."""
    begin, end = _shifted_day(first, -1), _shifted_day(last, 2)
    for draw in history().draws.draws.values():
        if draw.terms.until >= begin and draw.terms.since <= end:
            yield from draw.inspected.values()


def _grouped(rounds: "QuerySet[EventLog]") -> Iterable[tuple[str, str, str, int]]:
    """Return the number of rounds by table, dealer and shift. One query."""
    groups = rounds.order_by().values_list("table", "dealer", "shift").annotate(n=Count("position"))
    return ((table or "", dealer or "", shift or "", count) for table, dealer, shift, count in groups)


def _inspected_rounds(
    rounds: "QuerySet[EventLog]", inspections: Sequence[InspectionRecorded]
) -> Iterator[_InspectedRound]:
    """Yield the rounds in inspected times, each once. A query for each hundred inspections."""
    by_position: dict[int, tuple[str, str, str, datetime]] = {}
    for first in range(0, len(inspections), TOGETHER):
        times = Q()
        for inspection in inspections[first : first + TOGETHER]:
            since, until = (datetime.fromisoformat(time) for time in (inspection.since, inspection.until))
            times |= Q(table=inspection.table, time__gte=since, time__lt=until)
        rows = rounds.filter(times).values_list("position", "table", "dealer", "shift", "time")
        for position, table, dealer, shift, time in rows:
            by_position[position] = (table or "", dealer or "", shift or "", time)
    for table, dealer, shift, time in by_position.values():
        numbers = frozenset(number for number, each in enumerate(inspections) if _covers(each, table, time))
        findings = frozenset(number for number in numbers if inspections[number].finding != "in order")
        yield _InspectedRound((table, dealer, shift), numbers, findings)


def _covers(inspection: InspectionRecorded, table: str, time: datetime) -> bool:
    if inspection.table != table:
        return False
    return datetime.fromisoformat(inspection.since) <= time < datetime.fromisoformat(inspection.until)


def _coverage_lines(
    by: str, place: int, total: Counter[tuple[str, ...]], seen: Sequence[_InspectedRound]
) -> Iterator[CoverageLine]:
    rounds = Counter[str]()
    for group, count in total.items():
        rounds[group[place]] += count
    for name in sorted(rounds):
        of_name = [each for each in seen if each.group[place] == name]
        numbers = frozenset[int]().union(*(each.inspections for each in of_name))
        findings = frozenset[int]().union(*(each.findings for each in of_name))
        yield CoverageLine(by, name, rounds[name], len(of_name), len(numbers), len(findings))
