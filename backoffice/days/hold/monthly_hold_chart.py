"""Hold by month as bars, between the limits that last year's hold sets: geometry for the template to write down."""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from fractions import Fraction

import msgspec

from backoffice.wording import formats
from backoffice.wording.svg_chart_geometry import WIDTH, Frame, round_values
from events.hold.drop_win_hold_handle_sums import Amounts, HoldEntry, total_amounts
from events.hold.regulatory_hold_limit_findings import KS, MD, HoldFinding

SHOWN = 24  # months
HEIGHT = 190
_WIDE = 0.7  # of a month's place
_PLACES = 6  # at least: a house of one month has no bar as wide as the page


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """A month: its rectangle, and the middle of its place in percent. `until`: its last day, or the one asked for.
    `is_outside`: beyond the limits."""

    month: str
    until: str
    x: str
    y: str
    width: str
    height: str
    middle: str
    label: str
    hold: int  # millionths
    of: Amounts
    is_outside: bool


class AxisLine(msgspec.Struct, frozen=True):
    """A value across the chart: a line of the grid, or a limit by its rule."""

    at: str
    label: str


class Months(msgspec.Struct, frozen=True, kw_only=True):
    """The chart: bars, the grid, last year's hold (`base`) with the band of three points, and the other limits."""

    width: int
    height: int
    axis: int
    bars: tuple[Bar, ...]
    ticks: tuple[AxisLine, ...]
    base: AxisLine | None
    band: tuple[str, str] | None  # its upper edge, and how high it is
    limits: tuple[AxisLine, ...]


def months(entries: Sequence[HoldEntry], rule_findings: Sequence[HoldFinding], day: str, since: str) -> Months | None:
    """Return the last months with a delay to a gaming day; None without any.

    The business year of the day began at `since`: only its months are held against the limits, which earlier years set.
    """
    months_with_hold = [
        month_and_amounts for month_and_amounts in _held_by_month(entries, day) if month_and_amounts[1].hold is not None
    ][-SHOWN:]
    if not months_with_hold:
        return None
    rules = {finding.rule: finding for finding in rule_findings}
    limits = [share for finding in (rules[KS], rules[MD]) for share in (finding.low, finding.high) if share is not None]
    values = [0, *(_points(share) for share in limits), *(_points(of.hold) for _, of in months_with_hold)]
    marks = round_values(min(values), max(values))
    frame = Frame(WIDTH, HEIGHT, 10, 10, 0, max(len(months_with_hold), _PLACES), min(marks), max(marks))
    ticks = tuple(AxisLine(frame.y(value), _percent(value)) for value in marks)
    kansas = rules[KS]
    return Months(
        width=WIDTH,
        height=HEIGHT,
        axis=8 * max(len(tick.label) for tick in ticks),
        bars=tuple(
            _bar(frame, place, *month_and_amounts, kansas, (since, day))
            for place, month_and_amounts in enumerate(months_with_hold)
        ),
        ticks=ticks,
        base=None if kansas.against is None else _share_line(frame, kansas.against),
        band=_band(frame, kansas),
        limits=tuple(_share_line(frame, share) for share in (rules[MD].low, rules[MD].high) if share is not None),
    )


def _held_by_month(entries: Sequence[HoldEntry], day: str) -> Iterator[tuple[str, Amounts]]:
    by_month: dict[str, list[Amounts]] = {}
    for entry in entries:
        if entry.day <= day:
            by_month.setdefault(entry.month, []).append(entry.amounts)
    return ((month, total_amounts(by_month[month])) for month in sorted(by_month))


def _bar(frame: Frame, place: int, month: str, of: Amounts, finding: HoldFinding, year: tuple[str, str]) -> Bar:
    """Return the bar of a month. A loss hangs from the zero line."""
    value, zero = _points(of.hold), float(frame.y(0))
    at, left = float(frame.y(value)), float(frame.x(place + (1 - _WIDE) / 2))
    is_within = finding.low is None or finding.high is None or finding.low <= (of.hold or 0) <= finding.high
    return Bar(
        month=month,
        until=min(_last_day(month), year[1]),
        x=f"{left:.1f}",
        y=f"{min(at, zero):.1f}",
        width=f"{float(frame.x(place + (1 + _WIDE) / 2)) - left:.1f}",
        height=f"{abs(at - zero):.1f}",
        middle=f"{100 * (place + 0.5) / frame.x1:.1f}",
        label=f"{month}: {formats.hold(value * 100)}",
        hold=value * 100,
        of=of,
        is_outside=month >= year[0][:7] and not is_within,
    )


def _last_day(month: str) -> str:
    year, number = map(int, month.split("-"))
    return f"{month}-{monthrange(year, number)[1]:02}"


def _band(frame: Frame, finding: HoldFinding) -> tuple[str, str] | None:
    if finding.low is None or finding.high is None:
        return None
    upper, lower = frame.y(_points(finding.high)), frame.y(_points(finding.low))
    return upper, f"{float(lower) - float(upper):.1f}"


def _share_line(frame: Frame, share: Fraction) -> AxisLine:
    return AxisLine(frame.y(_points(share)), _percent(_points(share)))


def _points(share: Fraction | None) -> int:
    """Return a share in hundredths of a percent."""
    return round((share or 0) * 10_000)


def _percent(points: int) -> str:
    return formats.percent(points * 100)
