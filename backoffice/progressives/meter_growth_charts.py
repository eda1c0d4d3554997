"""Growth of a progressive's displays, with hits and changes of parameters marked."""

from bisect import bisect_left
from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec
from django.urls import reverse
from django.utils.translation import gettext as _

from backoffice.progressives.parameter_change_notices_page import changes
from backoffice.wording.svg_chart_geometry import Chart, Point, round_url, step_chart, thin_out_points
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


class DisplayStep(msgspec.Struct, frozen=True):
    """Displayed amount from a position on."""

    position: int
    y: int


class LevelCourse(msgspec.Struct, frozen=True):
    """Growth of a level's display."""

    level: str
    chart: Chart
    began: datetime | None
    ended: datetime | None


class DrawnRounds(msgspec.Struct, frozen=True):
    """The last rounds that fed a progressive, newest first, with their stakes; and by position which they are."""

    rounds: list[tuple[int, int]]
    names: dict[int, tuple[str, int]] = {}


def drawn_rounds(of: Progressive) -> DrawnRounds:
    """Return the rounds from which a course is drawn. One query."""
    armed_rounds = ArmedRound.objects.filter(stream=of.id).exclude(status="refused").order_by("-position")
    rows = list(armed_rounds.values_list("position", "bets", "session", "round")[:ROUNDS_DRAWN])
    return DrawnRounds(
        [(position, sum(stake for _, _, stake in _BETS.decode(bets))) for position, bets, _, _ in rows],
        {position: (session, number) for position, _, session, number in rows},
    )


class MeterInputs(msgspec.Struct, frozen=True):
    """Inputs of a meter: the levels, their rates, notices to accounting, locks and hits."""

    levels: list[ProgressiveLevel]
    rates: list[Rates]
    locks: list[Lock]
    hits: list[Hit]


class Course(msgspec.Struct, frozen=True):
    """A level's values by position, calculated back from now, so that the end is exact; and the marks there."""

    level: ProgressiveLevel
    steps: list[DisplayStep]
    hits: list[Hit]
    notices: list[Notice]

    @property
    def positions(self) -> list[int]:
        """Return the positions of everything in the drawing."""
        moved = [step.position for step in self.steps]
        return [*moved, *(event.position for event in self.hits), *(event.position for event in self.notices)]


def worked_back(of: Progressive, by: MeterInputs, drawn_rounds: DrawnRounds) -> list[Course]:
    """Return the courses of the meters over the last rounds. One query."""
    if len(drawn_rounds.rounds) < 2:
        return []
    first = drawn_rounds.rounds[-1][0]
    notified = list(Notice.objects.filter(stream=of.id, position__gt=first).order_by("position"))
    return [
        Course(
            level,
            thin_out_points(
                _back(level, sorted(_changes(level, by, drawn_rounds, notified), reverse=True), first), POINTS
            ),
            [hit for hit in by.hits if hit.level == level.level and hit.position >= first],
            notified,
        )
        for level in by.levels
    ]


def courses(
    of: Progressive, drawn_courses: list[Course], drawn_rounds: DrawnRounds, times: Mapping[int, datetime]
) -> tuple[LevelCourse, ...]:
    """Return the drawings by time; `times` has the times of all positions."""
    at = _Clock(times)
    labels = {
        step.position: _cause_and_page(drawn_rounds, step.position) for course in drawn_courses for step in course.steps
    }
    level_courses = []
    for course in drawn_courses:
        points = [Point(at.time_at(step.position), step.y, *labels[step.position]) for step in course.steps]
        turns = _parameter_changes(of, course.level, course.notices, at)
        chart = step_chart(points, height=132, marks=_marks(course, at), turns=turns)
        if chart is not None:
            ends = (datetime.fromtimestamp(points[place].x, UTC) for place in (0, -1))
            level_courses.append(LevelCourse(course.level.level, chart, *ends))
    return tuple(level_courses)


class _Clock:
    """The time of each drawn position, which never goes back: a table's own clock can be behind."""

    def __init__(self, times: Mapping[int, datetime]) -> None:
        self._at: dict[int, float] = {}
        latest = 0.0
        for position in sorted(times):
            latest = self._at[position] = max(latest, times[position].timestamp())
        self._positions = sorted(times)

    def time_at(self, position: int) -> float:
        """Return the time of a position; without an event of its own, the time of the next one."""
        place = min(bisect_left(self._positions, position), len(self._positions) - 1)
        return self._at[self._positions[place]]


def _cause_and_page(drawn: DrawnRounds, position: int) -> tuple[str, str]:
    """Return the cause of a meter's movement at a position, and its page."""
    if position not in drawn.names:
        return _("event %d") % position, reverse("event", args=[position])
    session, number = drawn.names[position]
    _property, _kind, table, day = session.split("/")
    return _("%(table)s, round %(round)d") % {"table": table, "round": number}, round_url(table, day, number)


def _parameter_changes(
    of: Progressive, level: ProgressiveLevel, notified: list[Notice], at: _Clock
) -> list[tuple[float, str, str]]:
    """Return the changes of a level's parameters: place, label, page."""
    return [
        (
            at.time_at(row.position),
            ", ".join(change.words(of.currency) for change in changes(row)),
            reverse("event", args=[row.position]),
        )
        for row in notified
        if row.kind == "parameters" and row.level == level.level
    ]


def _corrections(level: ProgressiveLevel, notified: list[Notice]) -> list[tuple[int, int]]:
    """Return the corrections of a level's meter, in micro by position."""
    corrections = [row for row in notified if row.kind == "correction" and row.level == level.level]
    return [
        (row.position, after - before)
        for row in corrections
        for _name, before, after in msgspec.json.decode(row.changes, type=list[tuple[str, int, int]])
    ]


def _changes(
    level: ProgressiveLevel, by: MeterInputs, drawn_rounds: DrawnRounds, notified: list[Notice]
) -> list[tuple[int, int]]:
    """Return the movements of a meter, in micro by position: stakes at the rates in force, corrections, locks."""
    first = drawn_rounds.rounds[-1][0]
    rates = sorted((rate for rate in by.rates if rate.level == level.level), key=lambda rate: rate.position)
    since = [rate.position for rate in rates]
    changes = [
        (position, stakes * (rates[place - 1].feed_millionths if place else 0))
        for position, stakes in drawn_rounds.rounds
        for place in [bisect_left(since, position)]
    ]
    locks = [lock for lock in by.locks if lock.level == level.level and lock.as_of > first]
    changes += [(lock.as_of, lock.seed_micro - lock.amount_minor * MICRO) for lock in locks]
    return changes + _corrections(level, notified)


def _back(level: ProgressiveLevel, changes: list[tuple[int, int]], first: int) -> list[DisplayStep]:
    meter, cap = level.meter_micro, level.cap_micro
    points = []
    for position, change in changes:
        points.append(DisplayStep(position, (meter if cap is None else min(meter, cap)) // MICRO))
        meter -= change
    return [*points, DisplayStep(first - 1, meter // MICRO)][::-1]


def _marks(course: Course, at: _Clock) -> list[tuple[float, int, str, str]]:
    """Return the hits at the displayed amount just before the meter fell."""
    places = [step.position for step in course.steps]
    marks = []
    for hit in course.hits:
        display = course.steps[max(bisect_left(places, hit.position) - 1, 0)].y
        url = reverse("event", args=[hit.position])
        marks.append((at.time_at(hit.position), display, f"{hit.table} {hit.round}/{hit.box}: {hit.player}", url))
    return marks
