"""Charts as SVG geometry, made on the server: the templates only write the computed values.

A chart has a fixed height, so that it never moves the content around it.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Protocol, TypeVar
from urllib.parse import urlencode

import msgspec
from django.urls import reverse

from backoffice.wording import formats

POINTS_MAX = 240
WIDTH = 720


STEPS_S = (60, 300, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 604_800)  # between two marks of the axis
HOURS_MOST = 7


class Point(msgspec.Struct, frozen=True):
    """A value at a place on the x axis, in seconds since 1970; its cause, with the page about it."""

    x: float
    y: int
    label: str = ""
    url: str = ""


class Tick(msgspec.Struct, frozen=True):
    """A line of the grid with its value."""

    at: str
    value: int


class Hour(msgspec.Struct, frozen=True):
    """A mark of the time axis; its place in percent of the width, for content that is not stretched with the plot."""

    x: str
    at: str
    label: str


class Spot(msgspec.Struct, frozen=True):
    """A value under the pointer, a finger or the arrow keys: the time of its start, and its cause."""

    x: str
    value: int
    time: datetime
    label: str
    url: str


class Mark(msgspec.Struct, frozen=True):
    """An event at this place, such as a hit, with the page about it."""

    x: str
    y: str
    label: str
    url: str


class Turn(msgspec.Struct, frozen=True):
    """Place from which a parameter is different, such as a rate, with the page of its event."""

    x: str
    label: str
    url: str


class Chart(msgspec.Struct, frozen=True):
    """A step chart: `line` and `area` are SVG paths. The plot is stretched to its place; the axis with it is not."""

    width: int
    height: int
    axis: int
    line: str
    area: str
    ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...]
    turns: tuple[Turn, ...]
    hours: tuple[Hour, ...]
    spots: tuple[Spot, ...]
    first: int
    last: int
    lowest: int
    highest: int


class ValuePoint(Protocol):
    """Point whose value is drawn."""

    @property
    def y(self) -> int: ...


V = TypeVar("V", bound=ValuePoint)


def thin_out_points(points: Sequence[V], at_most: int = POINTS_MAX) -> list[V]:
    """Return fewer points of the same shape: lowest and highest of each stretch, in order, and both ends."""
    if len(points) <= at_most:
        return list(points)
    size = 2 * len(points) / (at_most - 2)
    thinned = [points[0]]
    for number in range((at_most - 2) // 2):
        stretch = points[int(number * size) : int((number + 1) * size)]
        if stretch:
            values = [point.y for point in stretch]
            thinned += [stretch[place] for place in sorted({values.index(min(values)), values.index(max(values))})]
    return [*thinned, points[-1]]


class Frame(msgspec.Struct, frozen=True):
    """Mapping of values to places: the drawing area and the values at its edges."""

    width: int
    height: int
    top: int
    bottom: int
    x0: float
    x1: float
    y0: int
    y1: int

    def x(self, value: float) -> str:
        """Return the place of a value on the x axis; a value beyond its ends is placed at the end."""
        share = (min(max(value, self.x0), self.x1) - self.x0) / (self.x1 - self.x0) if self.x1 > self.x0 else 1.0
        return _short(share * self.width)

    def y(self, value: int) -> str:
        """The place of a value on the y axis; it grows upwards."""
        share = (value - self.y0) / (self.y1 - self.y0) if self.y1 > self.y0 else 0.5
        return _short(self.height - self.bottom - share * (self.height - self.top - self.bottom))


def step_chart(
    points: Sequence[Point],
    *,
    height: int = 190,
    with_zero: bool = False,
    marks: Sequence[tuple[float, int, str, str]] = (),
    turns: Sequence[tuple[float, str, str]] = (),
) -> Chart | None:
    """Return a chart of values that hold until the next one; None for fewer than two. Marks: x, y, label, URL.

    Turns (x, label, URL) are places from which something is otherwise.
    """
    if len(points) < 2:
        return None
    drawn = _separate_points(thin_out_points(points))
    low, high = min(p.y for p in drawn), max(p.y for p in drawn)
    if with_zero:
        low, high = min(low, 0), max(high, 0)
    ticks = round_values(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    frame = Frame(WIDTH, height, 10, 10, drawn[0].x, drawn[-1].x, low, high)
    line = _steps(frame, drawn)
    floor = frame.y(0 if low <= 0 <= high else low)
    return Chart(
        width=WIDTH,
        height=height,
        axis=8 * max(len(str(abs(tick) // 100)) + 2 for tick in ticks),
        line=line,
        area=f"{line}V{floor}H{frame.x(drawn[0].x)}Z",
        ticks=tuple(Tick(frame.y(value), value) for value in ticks),
        marks=tuple(Mark(frame.x(x), frame.y(min(max(y, low), high)), label, url) for x, y, label, url in marks),
        turns=tuple(Turn(frame.x(x), label, url) for x, label, url in turns),
        hours=tuple(hours(frame)),
        spots=tuple(Spot(frame.x(p.x), p.y, datetime.fromtimestamp(p.x, UTC), p.label, p.url) for p in drawn if p.url),
        first=points[0].y,
        last=points[-1].y,
        lowest=min(p.y for p in points),
        highest=max(p.y for p in points),
    )


def _steps(frame: Frame, points: Sequence[Point]) -> str:
    path = [f"M{frame.x(points[0].x)} {frame.y(points[0].y)}"]
    path += [f"H{frame.x(point.x)}V{frame.y(point.y)}" for point in points[1:]]
    return "".join(path)


def _separate_points(points: list[Point]) -> list[Point]:
    """Return points of one moment side by side in their order: a thousandth of a second apart."""
    if points[0].x < points[-1].x:
        return points
    return [msgspec.structs.replace(point, x=point.x + number / 1_000) for number, point in enumerate(points)]


def hours(frame: Frame) -> Iterator[Hour]:
    """Yield round times of the property's clock; none at the very ends, where labels have no room.

    None where all values are of one moment: the axis has no length.
    """
    span = frame.x1 - frame.x0
    if span <= 0:
        return
    step = next((candidate for candidate in STEPS_S if span / candidate <= HOURS_MOST), STEPS_S[-1])
    ahead = formats.ahead_s(datetime.fromtimestamp(frame.x0, UTC))
    first = -(-(frame.x0 + ahead) // step) * step - ahead
    for number in range(HOURS_MOST + 1):
        at = first + number * step
        if frame.x0 + span * 0.03 <= at <= frame.x1 - span * 0.03:
            moment = datetime.fromtimestamp(at, UTC)
            label = formats.moment_text(moment, "day" if step >= STEPS_S[-2] else "minute")
            yield Hour(frame.x(at), _short(100 * (at - frame.x0) / span), label)


def round_url(table: str, gaming_day: str, number: int) -> str:
    """The log of a round."""
    return f"{reverse('events')}?{urlencode({'table': table, 'gaming_day': gaming_day, 'round': number})}"


def round_values(low: int, high: int) -> list[int]:
    """Return about four round values around low and high: 1, 2 or 5 times a power of ten apart."""
    span = max(high - low, 1)
    step = 1
    while span > step * 4:
        step = step * 5 // 2 if str(step).startswith("2") else step * 2
    return list(range(low // step * step, -(-high // step) * step + 1, step))


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
