"""Charts as SVG geometry, made on the server: the templates only write down what is computed here.

A chart has a fixed height, so that it never moves what stands around it.
"""

from collections.abc import Sequence

import msgspec

POINTS_MAX = 240
WIDTH = 720


class Point(msgspec.Struct, frozen=True):
    """A value at a place on the x axis (a position, a round, seconds)."""

    x: float
    y: int


class Tick(msgspec.Struct, frozen=True):
    """A line of the grid with its value."""

    at: str
    value: int


class Mark(msgspec.Struct, frozen=True):
    """Something that happened there, such as a hit, with the page that tells of it."""

    x: str
    y: str
    label: str
    url: str


class Turn(msgspec.Struct, frozen=True):
    """From here on something is otherwise, such as a rate, with the page that tells of it."""

    x: str
    label: str
    url: str


class Chart(msgspec.Struct, frozen=True):
    """A step chart: `line` and `area` are SVG paths. The plot is stretched to its place; the axis beside it is not."""

    width: int
    height: int
    axis: int
    line: str
    area: str
    ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...]
    turns: tuple[Turn, ...]
    first: int
    last: int
    lowest: int
    highest: int


def thin(points: Sequence[Point], at_most: int = POINTS_MAX) -> list[Point]:
    """Fewer points of the same shape: of each stretch its lowest and its highest, in order, and both ends."""
    if len(points) <= at_most:
        return list(points)
    size = 2 * len(points) / (at_most - 2)
    kept = [points[0]]
    for number in range((at_most - 2) // 2):
        stretch = points[int(number * size) : int((number + 1) * size)]
        if stretch:
            low, high = min(stretch, key=lambda p: p.y), max(stretch, key=lambda p: p.y)
            kept += sorted({id(low): low, id(high): high}.values(), key=lambda p: p.x)
    return [*kept, points[-1]]


class Frame(msgspec.Struct, frozen=True):
    """From values to places: the drawing area and the values at its edges."""

    width: int
    height: int
    top: int
    bottom: int
    x0: float
    x1: float
    y0: int
    y1: int

    def x(self, value: float) -> str:
        """The place of a value on the x axis; what lies beyond its ends stands at the end."""
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
    """A chart of values that hold until the next one; None where there are fewer than two. Marks: x, y, label, URL.

    Turns (x, label, URL) are places from which something is otherwise.
    """
    if len(points) < 2:
        return None
    kept = thin(points)
    low, high = min(p.y for p in kept), max(p.y for p in kept)
    if with_zero:
        low, high = min(low, 0), max(high, 0)
    ticks = _round_values(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    frame = Frame(WIDTH, height, 10, 10, kept[0].x, kept[-1].x, low, high)
    line = _steps(frame, kept)
    floor = frame.y(0 if low <= 0 <= high else low)
    return Chart(
        width=WIDTH,
        height=height,
        axis=8 * max(len(str(abs(tick) // 100)) + 2 for tick in ticks),
        line=line,
        area=f"{line}V{floor}H{frame.x(kept[0].x)}Z",
        ticks=tuple(Tick(frame.y(value), value) for value in ticks),
        marks=tuple(Mark(frame.x(x), frame.y(min(max(y, low), high)), label, url) for x, y, label, url in marks),
        turns=tuple(Turn(frame.x(x), label, url) for x, label, url in turns),
        first=points[0].y,
        last=points[-1].y,
        lowest=min(p.y for p in points),
        highest=max(p.y for p in points),
    )


def _steps(frame: Frame, points: Sequence[Point]) -> str:
    path = [f"M{frame.x(points[0].x)} {frame.y(points[0].y)}"]
    path += [f"H{frame.x(point.x)}V{frame.y(point.y)}" for point in points[1:]]
    return "".join(path)


def _round_values(low: int, high: int, about: int = 4) -> list[int]:
    """Round values that lie around low and high, about so many: 1, 2 or 5 times a power of ten apart."""
    span = max(high - low, 1)
    step = 1
    while span > step * about:
        step = step * 5 // 2 if str(step).startswith("2") else step * 2
    return list(range(low // step * step, -(-high // step) * step + 1, step))


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
