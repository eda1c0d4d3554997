"""Values of a search: ranges of numbers, amounts, days and times. Pure."""

import re
from collections.abc import Callable
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Generic, TypeVar
from zoneinfo import ZoneInfo

import msgspec

from backoffice.surveillance.search.grammar import Mistake, Value
from backoffice.wording import formats

BIGGEST = 2**53
DAY_S = 24 * 3600
T = TypeVar("T")
_COMPARED = (">=", "<=", ">", "<")


class Range(msgspec.Struct, Generic[T], frozen=True):
    """Range of values; None is an open end. `least` is included, `most` if `closed`."""

    least: T | None = None
    most: T | None = None
    above: bool = False  # `least` itself is left out
    below: bool = False  # `most` itself is left out

    @property
    def is_one(self) -> bool:
        """Return whether it is a single value."""
        return self.least is not None and self.least == self.most

    def holds(self, value: Any) -> bool:
        """Return whether the value is in the range."""
        if self.least is not None and (value <= self.least if self.above else value < self.least):
            return False
        return self.most is None or not (value >= self.most if self.below else value > self.most)


def ranged(value: Value, parse: Callable[[str, int], T]) -> Range[T]:
    """`5`, `5..9`, `5..`, `..9`, `>=5`, `>5`, `<=9` or `<9`, each end as `parse` reads it. Raises Mistake."""
    text, column = value.text, value.column + value.quoted
    if value.quoted or not (text.startswith(("<", ">")) or ".." in text):
        return _single_value_range(parse(text, column))
    for sign in _COMPARED:
        if text.startswith(sign):
            return _range_of_sign(sign, parse(text[len(sign) :], column + len(sign)))
    first, _, last = text.partition("..")
    if not first and not last:
        raise Mistake(column, "search-range-without-end")
    least = parse(first, column) if first else None
    most = parse(last, column + len(first) + 2) if last else None
    if least is not None and most is not None and most < least:  # type: ignore[operator]  # each kind has an order
        raise Mistake(column, "search-range-backwards")
    return Range(least, most)


def _single_value_range(value: T) -> Range[T]:
    return Range(value, value)


def _range_of_sign(sign: str, value: T) -> Range[T]:
    if sign[0] == ">":
        return Range(least=value, above=sign == ">")
    return Range(most=value, below=sign == "<")


def parse_whole_number(text: str, column: int) -> int:
    """A whole number. Raises Mistake."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 16 or int(digits) > BIGGEST:
        raise Mistake(column, "search-number", text=text[:40])
    return int(text)


def minor(currency: str, *, as_written: bool = False) -> Callable[[str, int], int]:
    """Return the parser of amounts: `1250.50`, or (in quotes) `as_written` by the property."""
    digits = formats.exponent(currency)

    def read(text: str, column: int) -> int:
        amount = formats.read(text) if as_written else _parse_decimal(text)
        scaled = None if amount is None or _decimals(amount) > digits else amount.scaleb(digits)
        if scaled is None or scaled != scaled.to_integral_value() or abs(scaled) > BIGGEST:
            raise Mistake(column, "search-amount", text=text[:40], example=f"{Decimal(125_050).scaleb(-digits):f}")
        return int(scaled)

    return read


def _parse_decimal(text: str) -> Decimal | None:
    """Return digits with a decimal point, for any number format of the property."""
    return Decimal(text) if re.fullmatch(r"-?\d{1,17}(\.\d+)?", text, re.ASCII) else None


def _decimals(amount: Decimal) -> int:
    """Return the number of decimals; more than the currency has are a mistake."""
    exponent = amount.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else BIGGEST


def day(text: str, column: int) -> str:
    """A gaming day, 2026-11-20. Raises Mistake."""
    try:
        if date.fromisoformat(text).isoformat() == text:
            return text
    except ValueError:
        pass
    raise Mistake(column, "search-day", text=text[:40])


def is_begun_day(text: str) -> bool:
    """Return whether a gaming day may begin so: 2026-11."""
    return re.fullmatch(r"\d{1,4}|\d{4}-(\d{0,2}|\d\d-\d{0,2})", text, re.ASCII) is not None


def parse_round_number(text: str, column: int) -> int:
    """The number of a round: the first is 1. Raises Mistake."""
    number = parse_whole_number(text, column)
    if number < 1:
        raise Mistake(column, "search-rounds-from-one")
    return number


def days(range_: Range[str], most: int) -> list[str]:
    """Return the days of a range, at most `most`; as many where it has no end."""
    if range_.least is None or range_.most is None:
        return [range_.least or range_.most or ""] * most
    first, last = date.fromisoformat(range_.least), date.fromisoformat(range_.most)
    return [(first + timedelta(days=n)).isoformat() for n in range(min(most, (last - first).days + 1))]


# --- times ------------------------------------------------------------------------------------------------------------


class ClockRange(msgspec.Struct, frozen=True):
    """Times of the day in the property's zone, in seconds since midnight: from included, to excluded."""

    start: float
    end: float
    zone: str

    def holds(self, moment: datetime) -> bool:
        """Return whether a moment is in the range; past midnight where the end is smaller."""
        local = moment.astimezone(ZoneInfo(self.zone)).time()
        now = local.hour * 3600 + local.minute * 60 + local.second + local.microsecond / 1e6
        if self.start < self.end:
            return self.start <= now < self.end
        return now >= self.start or now < self.end


class WallTime(msgspec.Struct, frozen=True):
    """Full times as typed: a moment with an offset, else a time of the property's clock.

    In the hour that clocks show twice, both are meant.
    """

    written: Range[datetime]
    zone: str

    def holds(self, moment: datetime) -> bool:
        """Return whether the moment, or the clock's reading, is in the range."""
        least, most = self.written.least, self.written.most
        if least is not None and not self._is_from(moment, least):
            return False
        return most is None or not self._is_from(moment, most)

    def _is_from(self, moment: datetime, end: datetime) -> bool:
        return (moment if end.tzinfo is not None else self._local_time(moment)) >= end

    def _local_time(self, moment: datetime) -> datetime:
        return moment.astimezone(ZoneInfo(self.zone)).replace(tzinfo=None)

    @property
    def moments(self) -> Range[datetime]:
        """Return the range of possible moments."""
        least = None if self.written.least is None else min(self._meanings(self.written.least))
        most = None if self.written.most is None else max(self._meanings(self.written.most))
        return Range(least, most, below=True)

    def _meanings(self, end: datetime) -> list[datetime]:
        return [end] if end.tzinfo is not None else meanings(end, self.zone)


def meanings(clock_time: datetime, zone: str) -> list[datetime]:
    """Return the moments at which a clock in this zone shows this time.

    They are two where the clock is set back. A time that the clock skips gets one all the same.
    """
    there = ZoneInfo(zone)
    return [clock_time.replace(tzinfo=there, fold=fold).astimezone(UTC) for fold in (0, 1)]


def is_skipped(clock_time: datetime, zone: str) -> bool:
    """Return whether clocks in this zone never show it."""
    return all(
        meaning.astimezone(ZoneInfo(zone)).replace(tzinfo=None) != clock_time for meaning in meanings(clock_time, zone)
    )


def times(value: Value, zone: str) -> ClockRange | WallTime:
    """`22:00..23:00` of any day, or full times: 2026-11-20T22:00..2026-11-20T23:00. Raises Mistake."""
    text, column = value.text, value.column + value.quoted
    first, dots, last = text.partition("..")
    parts = ((first, column), (last, column + len(first) + 2))
    if any("-" in end_text.lstrip("<>=") for end_text in (first, last)):
        return _moments(value, zone)
    if text.startswith(("<", ">")) or (dots and not (first and last)):
        return _half_open(text, column, zone)
    start = clock(*parts[0])
    end = clock(*parts[1]) if dots else start + _unit(first)
    if start == end:
        raise Mistake(column, "search-range-empty")
    return ClockRange(start, end % DAY_S if end != DAY_S else DAY_S, zone)


def _half_open(text: str, column: int, zone: str) -> ClockRange:
    """Return the range from a time to the end of the day, or from the day's beginning."""
    time_text = text.strip("<>=").replace("..", "")
    start = clock(time_text, column + text.index(time_text))
    if text.startswith(">") or text.endswith(".."):
        return ClockRange(start + (_unit(time_text) if text.startswith(">") and text[1:2] != "=" else 0), DAY_S, zone)
    end = start + (_unit(time_text) if text.startswith("<=") else 0)
    if not end:
        raise Mistake(column, "search-before-midnight")
    return ClockRange(0, end, zone)


def _unit(text: str) -> int:
    """Return the seconds that a time written so lasts: a minute, or a second. Its offset does not count."""
    return 1 if re.split(r"[+-]", text.rpartition("T")[2])[0].count(":") > 1 else 60


def clock(text: str, column: int) -> float:
    """A time of the day, 22:00 or 22:00:30, in seconds since midnight; 24:00 is the end of it. Raises Mistake."""
    if text == "24:00":
        return DAY_S
    try:
        if ":" in text and len(text) >= 5:
            time_of_day = time.fromisoformat(text)
            if time_of_day.tzinfo is None:
                return (
                    time_of_day.hour * 3600
                    + time_of_day.minute * 60
                    + time_of_day.second
                    + time_of_day.microsecond / 1e6
                )
    except ValueError:
        pass
    raise Mistake(column, "search-time", text=text[:40])


def _moments(value: Value, zone: str) -> WallTime:
    ends = _time_bounds(value)
    if ends.least is not None and ends.most is not None and not _is_mixed(ends) and ends.most <= ends.least:
        raise Mistake(value.column, "search-range-empty")
    wall = WallTime(ends, zone)
    bounds = wall.moments
    if bounds.least is not None and bounds.most is not None and bounds.most <= bounds.least:
        raise Mistake(value.column, "search-range-backwards")
    single = ends.least is not None and ".." not in value.text and not value.text.startswith(("<", ">"))
    if single and ends.least is not None and ends.least.tzinfo is None and is_skipped(ends.least, zone):
        raise Mistake(value.column, "search-clock-skipped", zone=zone, text=value.text[:40])
    return wall


def _is_mixed(range_: Range[datetime]) -> bool:
    """Return whether one end has an offset, and the other none."""
    ends = [end for end in (range_.least, range_.most) if end is not None]
    return len({end.tzinfo is None for end in ends}) > 1


def _time_bounds(value: Value) -> Range[datetime]:
    """Return the ends, the first included and the last excluded; a single time is its whole minute or second."""
    text, column = value.text, value.column + value.quoted
    if ".." in text:
        first, _, last = text.partition("..")
        least = moment(first, column) if first else None
        return Range(least, moment(last, column + len(first) + 2) if last else None, below=True)
    sign = next((sign for sign in _COMPARED if text.startswith(sign)), "")
    begin, unit = moment(text[len(sign) :], column + len(sign)), timedelta(seconds=_unit(text))
    if sign in (">", ">="):
        return Range(least=begin + unit if sign == ">" else begin)
    if sign:
        return Range(most=begin + unit if sign == "<=" else begin, below=True)
    return Range(begin, begin + unit, below=True)


def moment(text: str, column: int) -> datetime:
    """A full time, with its offset or as clocks show it. Raises Mistake."""
    try:
        if "T" in text and ":" in text:
            instant = datetime.fromisoformat(text)
            if MINYEAR + 1 < instant.year < MAXYEAR - 1:
                return instant
    except (ValueError, OverflowError):
        pass
    raise Mistake(column, "search-time", text=text[:40])


def seconds(text: str, column: int) -> float:
    """Return a duration in seconds: 30s, 2m or 1h. Raises Mistake."""
    unit = {"s": 1, "m": 60, "h": 3600}.get(text[-1:], 0)
    number = text[:-1]
    if not unit or not (number.isascii() and number.isdecimal()) or len(number) > 6:
        raise Mistake(column, "search-duration", text=text[:40])
    return float(int(number) * unit)
