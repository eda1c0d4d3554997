"""Chart of a win with its theory in the band of two deviations: a table's by decision, the house's by the clock."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TypeVar

import msgspec
from django.urls import reverse
from django.utils.translation import gettext as _

from backoffice.wording import formats
from backoffice.wording.svg_chart_geometry import (
    POINTS_MAX,
    WIDTH,
    Frame,
    Hour,
    Spot,
    Tick,
    hours,
    round_values,
)
from events.luck.win_against_theory import CourseStep

HEIGHT = 190
T = TypeVar("T")
WIDE = 2  # deviations on either side


class ChartRound(msgspec.Struct, frozen=True):
    """Result of the house up to the end of a round (seconds since 1970), with the ending event and its table."""

    x: float
    position: int
    table: str
    step: CourseStep


class LuckChart(msgspec.Struct, frozen=True, kw_only=True):
    """SVG paths of the win, its theory and the band around the theory, and the grid with its amounts.

    A chart by the clock has `hours`, and `spots` with the value under the pointer.
    """

    width: int
    height: int
    axis: int
    won: str
    theory: str
    band: str
    ticks: tuple[Tick, ...]
    decisions: int
    hours: tuple[Hour, ...] = ()
    spots: tuple[Spot, ...] = ()


def chart(steps: Sequence[CourseStep]) -> LuckChart | None:
    """Return the chart from zero on; None without decisions."""
    if not steps:
        return None
    return _chart(_shown_steps([(0, CourseStep(0.0, 0.0, 0.0)), *enumerate(steps, 1)]), len(steps))


def by_the_clock(moments: Sequence[ChartRound], currency: str) -> LuckChart | None:
    """Return the chart of the house from the first round on; None with fewer than two ended rounds."""
    if len(moments) < 2:
        return None
    thinned = _shown_steps([(moment.x, moment) for moment in moments])
    drawn = _chart([(x, moment.step) for x, moment in thinned], len(moments))
    frame = Frame(WIDTH, HEIGHT, 10, 10, thinned[0][0], thinned[-1][0], 0, 1)
    spots = tuple(_spots(frame, (moment for _x, moment in thinned), currency))
    return msgspec.structs.replace(drawn, hours=tuple(hours(frame)), spots=spots)


def _spots(frame: Frame, moments: Iterable[ChartRound], currency: str) -> Iterator[Spot]:
    for moment in moments:
        theory = formats.money(round(moment.step.theory_minor), currency)
        label = _("table %(table)s, theoretical win %(theory)s") % {"table": moment.table, "theory": theory}
        time, url = datetime.fromtimestamp(moment.x, UTC), reverse("event", args=[moment.position])
        yield Spot(frame.x(moment.x), round(moment.step.won_minor), time, label, url)


def _chart(steps: Sequence[tuple[float, CourseStep]], decisions: int) -> LuckChart:
    edges = [value for _, step in steps for value in (step.won_minor, _upper_bound(step), _lower_bound(step))]
    marks = round_values(int(min(edges)), int(max(edges)) + 1)
    frame = Frame(WIDTH, HEIGHT, 10, 10, steps[0][0], steps[-1][0], marks[0], marks[-1])
    upper, lower = (_places(frame, steps, edge) for edge in (_upper_bound, _lower_bound))
    return LuckChart(
        width=WIDTH,
        height=HEIGHT,
        axis=8 * max(len(str(abs(mark) // 100)) + 2 for mark in marks),
        won="M" + "L".join(_places(frame, steps, lambda step: step.won_minor)),
        theory="M" + "L".join(_places(frame, steps, lambda step: step.theory_minor)),
        band="M" + "L".join([*upper, *reversed(lower)]) + "Z",
        ticks=tuple(Tick(frame.y(mark), mark) for mark in marks),
        decisions=decisions,
    )


def _shown_steps(steps: Sequence[T]) -> list[T]:
    """Return as many steps as the chart can show, and the last one."""
    every = -(-len(steps) // POINTS_MAX)
    return [*steps[:-1:every], steps[-1]]


def _places(frame: Frame, steps: Sequence[tuple[float, CourseStep]], value: Callable[[CourseStep], float]) -> list[str]:
    return [f"{frame.x(number)} {frame.y(round(value(step)))}" for number, step in steps]


def _upper_bound(step: CourseStep) -> float:
    return step.theory_minor + WIDE * step.deviation_minor


def _lower_bound(step: CourseStep) -> float:
    return step.theory_minor - WIDE * step.deviation_minor
