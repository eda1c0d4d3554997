"""Chart of results hour by hour: each with the interval that chance leaves it."""

from collections.abc import Sequence

import msgspec

from backoffice.surveillance.person_results.results_page_content import HourLine
from backoffice.wording.svg_chart_geometry import WIDTH, Frame, Tick, round_values

HEIGHT = 190
PLACES_MIN = 6  # an evening of one hour has no bar as wide as the page


class HourMark(msgspec.Struct, frozen=True, kw_only=True):
    """An hour: the path of its interval ("" where it is not judged), of its theory and of its result."""

    hour: int
    label: str
    middle: str
    interval: str
    theory: str
    result: str


class HourChart(msgspec.Struct, frozen=True, kw_only=True):
    """Geometry of the chart, with its grid."""

    width: int
    height: int
    axis: int
    marks: tuple[HourMark, ...]
    ticks: tuple[Tick, ...]


def hour_chart(hours: Sequence[HourLine]) -> HourChart | None:
    """Return the chart of the hours in the first currency; None without an hour."""
    lines = [hour for hour in hours if hour.currency == hours[0].currency]
    if not lines:
        return None
    edges = [0]
    for hour in lines:
        edges += [hour.line.result_minor, hour.line.theory_minor]
        if hour.line.low_minor is not None and hour.line.high_minor is not None:
            edges += [hour.line.low_minor, hour.line.high_minor]
    values = round_values(min(edges), max(edges) + 1)
    frame = Frame(WIDTH, HEIGHT, 10, 10, 0, max(len(lines), PLACES_MIN), values[0], values[-1])
    return HourChart(
        width=WIDTH,
        height=HEIGHT,
        axis=8 * max(len(str(abs(value) // 100)) + 2 for value in values),
        marks=tuple(_mark(frame, place, hour) for place, hour in enumerate(lines)),
        ticks=tuple(Tick(frame.y(value), value) for value in values),
    )


def _mark(frame: Frame, place: int, hour: HourLine) -> HourMark:
    line = hour.line
    interval = ""
    if line.low_minor is not None and line.high_minor is not None:
        left, right = frame.x(place + 0.25), frame.x(place + 0.75)
        low, high = frame.y(line.low_minor), frame.y(line.high_minor)
        interval = f"M{left} {low}H{right}V{high}H{left}Z"
    wide, narrow = (frame.x(place + 0.2), frame.x(place + 0.8)), (frame.x(place + 0.35), frame.x(place + 0.65))
    return HourMark(
        hour=hour.hour,
        label=f"{hour.hour:02}",
        middle=f"{100 * (place + 0.5) / frame.x1:.1f}",
        interval=interval,
        theory=f"M{wide[0]} {frame.y(line.theory_minor)}H{wide[1]}",
        result=f"M{narrow[0]} {frame.y(line.result_minor)}H{narrow[1]}",
    )
