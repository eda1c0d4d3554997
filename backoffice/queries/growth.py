"""How the displays of a progressive grew, with the hits and the changes of parameters marked."""

from bisect import bisect_left
from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec
from django.urls import reverse
from django.utils.translation import gettext as _

from backoffice.queries.charts import Chart, Point, round_url, step_chart, thin
from backoffice.queries.notices import changes
from projections.matters.models import Notice
from projections.progressives.models import MICRO, ArmedRound, Hit, Lock, Progressive, ProgressiveLevel

ROUNDS_DRAWN = 4_000
POINTS = 120  # of a small drawing
_BETS = msgspec.json.Decoder(list[tuple[int, str, int]])


class Rates(msgspec.Struct, frozen=True):
    """A level's rates from a position on."""

    level: str
    position: int
    feed_millionths: int
    reserve_millionths: int


class Step(msgspec.Struct, frozen=True):
    """What a display showed from a position on."""

    position: int
    y: int


class LevelCourse(msgspec.Struct, frozen=True):
    """How a level's display grew."""

    level: str
    chart: Chart
    began: datetime | None
    ended: datetime | None


class Played(msgspec.Struct, frozen=True):
    """The last rounds that fed a progressive, newest first, with their stakes; and by position which they are."""

    rounds: list[tuple[int, int]]
    names: dict[int, tuple[str, int]] = {}


def played(of: Progressive) -> Played:
    """The rounds that a course is drawn of. One query."""
    found = ArmedRound.objects.filter(stream=of.id).exclude(status="refused").order_by("-position")
    rows = list(found.values_list("position", "bets", "session", "round")[:ROUNDS_DRAWN])
    return Played([(row[0], _stakes(row[1])) for row in rows], {row[0]: (row[2], row[3]) for row in rows})


class Moved(msgspec.Struct, frozen=True):
    """What a meter moves by beside its locks: the levels, their rates, what accounting was told; locks and hits."""

    levels: list[ProgressiveLevel]
    rates: list[Rates]
    locks: list[Lock]
    hits: list[Hit]


class Course(msgspec.Struct, frozen=True):
    """A level's values by position, worked back from now, so that the end is exact; and what is marked there."""

    level: ProgressiveLevel
    steps: list[Step]
    hits: list[Hit]
    told: list[Notice]

    @property
    def positions(self) -> list[int]:
        """Of all that has a place in the drawing."""
        moved = [one.position for one in self.steps]
        return [*moved, *(one.position for one in self.hits), *(one.position for one in self.told)]


def worked_back(of: Progressive, by: Moved, drawn: Played) -> list[Course]:
    """How the meters came to stand where they stand, by the last rounds. One query."""
    if len(drawn.rounds) < 2:
        return []
    first = drawn.rounds[-1][0]
    told = list(Notice.objects.filter(stream=of.id, position__gt=first).order_by("position"))
    return [
        Course(
            level,
            thin(_back(level, sorted(_changes(level, by, drawn, told), reverse=True), first), POINTS),
            [hit for hit in by.hits if hit.level == level.level and hit.position >= first],
            told,
        )
        for level in by.levels
    ]


def courses(
    of: Progressive, found: list[Course], drawn: Played, times: Mapping[int, datetime]
) -> tuple[LevelCourse, ...]:
    """The drawings, on the clock: `times` has those of all positions."""
    at = _Clock(times)
    what = {one.position: _what(drawn, one.position) for course in found for one in course.steps}
    made = []
    for course in found:
        points = [Point(at.of(one.position), one.y, *what[one.position]) for one in course.steps]
        turns = _turns(of, course.level, course.told, at)
        chart = step_chart(points, height=132, marks=_marks(course, at), turns=turns)
        if chart is not None:
            ends = (datetime.fromtimestamp(points[place].x, UTC) for place in (0, -1))
            made.append(LevelCourse(course.level.level, chart, *ends))
    return tuple(made)


class _Clock:
    """The time of each position that is drawn, never going back: what a table's own clock says can be behind."""

    def __init__(self, times: Mapping[int, datetime]) -> None:
        self._at: dict[int, float] = {}
        latest = 0.0
        for position in sorted(times):
            latest = self._at[position] = max(latest, times[position].timestamp())
        self._positions = sorted(times)

    def of(self, position: int) -> float:
        """When it was; of a position that has no event of its own, when the next one was."""
        place = min(bisect_left(self._positions, position), len(self._positions) - 1)
        return self._at[self._positions[place]]


def _what(drawn: Played, position: int) -> tuple[str, str]:
    """What moved a meter there, and the page that tells of it."""
    if position not in drawn.names:
        return _("event %d") % position, reverse("event", args=[position])
    session, number = drawn.names[position]
    _property, _kind, table, day = session.split("/")
    return _("%(table)s, round %(round)d") % {"table": table, "round": number}, round_url(table, day, number)


def _turns(of: Progressive, level: ProgressiveLevel, told: list[Notice], at: _Clock) -> list[tuple[float, str, str]]:
    """Changes of a level's parameters: place, label, page."""
    return [
        (
            at.of(row.position),
            ", ".join(change.words(of.currency) for change in changes(row)),
            reverse("event", args=[row.position]),
        )
        for row in told
        if row.kind == "parameters" and row.level == level.level
    ]


def _corrections(level: ProgressiveLevel, told: list[Notice]) -> list[tuple[int, int]]:
    """Corrections of a level's meter, in micro by position."""
    found = [row for row in told if row.kind == "correction" and row.level == level.level]
    return [
        (row.position, after - before)
        for row in found
        for _name, before, after in msgspec.json.decode(row.changes, type=list[tuple[str, int, int]])
    ]


def _stakes(bets: str) -> int:
    return sum(stake for _, _, stake in _BETS.decode(bets))


def _changes(level: ProgressiveLevel, by: Moved, drawn: Played, told: list[Notice]) -> list[tuple[int, int]]:
    """What moved the meter, in micro by position: stakes at the rates in force, corrections, locks where they look."""
    first = drawn.rounds[-1][0]
    rates = sorted((rate for rate in by.rates if rate.level == level.level), key=lambda rate: rate.position)
    since = [rate.position for rate in rates]
    changes = [
        (position, stakes * (rates[place - 1].feed_millionths if place else 0))
        for position, stakes in drawn.rounds
        for place in [bisect_left(since, position)]
    ]
    locks = [lock for lock in by.locks if lock.level == level.level and lock.as_of > first]
    changes += [(lock.as_of, lock.seed_micro - lock.amount_minor * MICRO) for lock in locks]
    return changes + _corrections(level, told)


def _back(level: ProgressiveLevel, changes: list[tuple[int, int]], first: int) -> list[Step]:
    meter, cap = level.meter_micro, level.cap_micro
    points = []
    for position, change in changes:
        points.append(Step(position, (meter if cap is None else min(meter, cap)) // MICRO))
        meter -= change
    return [*points, Step(first - 1, meter // MICRO)][::-1]


def _marks(course: Course, at: _Clock) -> list[tuple[float, int, str, str]]:
    """Hits at what the display showed just before the meter fell."""
    places = [one.position for one in course.steps]
    marks = []
    for hit in course.hits:
        shown = course.steps[max(bisect_left(places, hit.position) - 1, 0)].y
        url = reverse("event", args=[hit.position])
        marks.append((at.of(hit.position), shown, f"{hit.table} {hit.round}/{hit.box}: {hit.player}", url))
    return marks
