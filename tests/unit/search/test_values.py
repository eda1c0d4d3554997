"""Values of a search: ranges with their ends, amounts, days, and times past midnight."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from backoffice.surveillance.search.grammar import Mistake, Value
from backoffice.surveillance.search.value_range_parsing import (
    ClockRange,
    Range,
    day,
    minor,
    parse_whole_number,
    ranged,
    seconds,
    times,
)

ATHENS = "Europe/Athens"


def value(text: str, *, quoted: bool = False) -> Value:
    return Value(text, 1, quoted)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("500", [50_000], [49_999, 50_001]),
        ("500..1000", [50_000, 100_000], [49_999, 100_001]),
        ("-1000..-500", [-100_000, -50_000], [-100_001, -49_999, 50_000]),
        ("500..", [50_000, 10**9], [49_999]),
        ("..-0.05", [-5, -500], [-4, 0, 5]),
        (">=12.50", [1_250], [1_249]),
        (">12.5", [1_251], [1_250]),
        ("<=12.50", [1_250, -7], [1_251]),
        ("<12.50", [1_249], [1_250]),
    ],
)
def test_amounts_are_signed_and_their_ends_included(text: str, inside: list[int], outside: list[int]) -> None:
    range_ = ranged(value(text), minor("EUR"))
    assert all(range_.holds(text_) for text_ in inside)
    assert not any(range_.holds(text_) for text_ in outside)


def test_an_amount_in_quotes_is_read_as_the_property_writes_it() -> None:
    assert ranged(value("1,250.50", quoted=True), minor("EUR", as_written=True)) == Range(125_050, 125_050)
    assert ranged(value("1250"), minor("JPY")) == Range(1250, 1250)


@pytest.mark.parametrize(
    ("text", "column"),
    [("1.250", 1), ("12.5e3", 1), ("5..x", 4), ("10..5", 1), ("..", 1), (">=", 3), ("1e999", 1), ("9" * 30, 1)],
)
def test_what_is_no_amount_is_said_where_it_stands(text: str, column: int) -> None:
    with pytest.raises(Mistake, match=f"Column {column}: "):
        ranged(value(text), minor("EUR"))


@pytest.mark.parametrize("text", ["2026-13-01", "20261120", "yesterday", "2026-W47-5"])
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(Mistake, match="not a gaming day"):
        ranged(value(text), day)
    with pytest.raises(Mistake, match="whole number"):
        parse_whole_number("٣", 1)


def at(clock: str, on: str = "2026-11-20") -> datetime:
    return datetime.fromisoformat(f"{on}T{clock}+02:00").astimezone(UTC)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("22:00..23:00", ["22:00:00", "22:59:59.999"], ["21:59:59", "23:00:00"]),
        ("23:30..01:15", ["23:30:00", "00:00:00", "01:14:59"], ["01:15:00", "12:00:00", "23:29:59"]),
        ("22:00..24:00", ["23:59:59"], ["00:00:00"]),
        ("22:00..00:00", ["23:59:59"], ["00:00:00", "21:00:00"]),
        ("22:05", ["22:05:00", "22:05:59"], ["22:06:00"]),
        ("22:05:07", ["22:05:07.500"], ["22:05:08"]),
        ("22:00..", ["23:59:59"], ["21:59:59", "00:00:00"]),
        ("..06:00", ["00:00:00", "05:59:59"], ["06:00:00"]),
        (">=22:00", ["22:00:00"], ["21:59:59"]),
        (">22:00", ["22:01:00"], ["22:00:59"]),
        ("<=22:00", ["22:00:59"], ["22:01:00"]),
        ("<22:00", ["21:59:59"], ["22:00:00"]),
    ],
)
def test_clock_times_are_the_propertys_past_midnight_too(text: str, inside: list[str], outside: list[str]) -> None:
    range_ = times(value(text), ATHENS)
    assert isinstance(range_, ClockRange)
    assert all(range_.holds(at(text_)) for text_ in inside)
    assert not any(range_.holds(at(text_)) for text_ in outside)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("2026-11-20T22:00..2026-11-20T23:00", ["22:00:00", "22:59:59"], ["23:00:00", "21:59:59"]),
        ("2026-11-20T20:00Z..2026-11-20T21:00Z", ["22:00:00"], ["23:00:00", "20:00:00"]),
        ("2026-11-20T22:00", ["22:00:59"], ["22:01:00"]),
        (">=2026-11-20T22:00", ["22:00:00", "23:00:00"], ["21:59:59"]),
        ("..2026-11-20T22:00", ["21:59:59"], ["22:00:00"]),
        ("2026-11-20T22:00+02:00", ["22:00:00", "22:00:59"], ["22:01:00"]),
        ("2026-11-20T17:00:00-03:00", ["22:00:00"], ["22:00:01", "21:59:59"]),
        (">2026-11-20T22:00", ["22:01:00"], ["22:00:59"]),
        ("<=2026-11-20T22:00", ["22:00:59"], ["22:01:00"]),
        ("<2026-11-20T22:00", ["21:59:59"], ["22:00:00"]),
    ],
)
def test_full_times_are_the_propertys_where_they_name_no_zone(text: str, inside: list[str], outside: list[str]) -> None:
    range_ = times(value(text), ATHENS)
    assert all(range_.holds(at(text_)) for text_ in inside)
    assert not any(range_.holds(at(text_)) for text_ in outside)


@pytest.mark.parametrize(
    "text",
    [
        *("25:00", "22", "22:00..22:00", "2026-11-20", "2026-11-20T25:00", "<00:00", "22:00Z"),
        *("9999-12-31T23:59", "0001-01-01T00:00+14:00", "2026-11-20T22:00+99:00"),
        "2026-11-20T22:00..2026-11-20T22:00",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(Mistake, match=r"Column \d+: "):
        times(value(text), ATHENS)


def test_a_length_of_time_has_its_unit() -> None:
    assert [seconds(length, 1) for length in ("30s", "2m", "1h")] == [30, 120, 3600]
    with pytest.raises(Mistake, match="30s"):
        seconds("30", 1)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}+00:00")


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("2026-10-25T03:40", ["00:40:00", "00:40:59", "01:40:00"], ["00:39:59", "00:41:00", "01:41:00", "02:40:00"]),
        ("2026-10-25T03:40+03:00", ["00:40:00"], ["01:40:00"]),
        ("2026-10-25T03:40+02:00", ["01:40:00"], ["00:40:00"]),
        (
            "2026-10-25T03:30..2026-10-25T03:50",
            ["00:30:00", "00:49:59", "01:45:00"],
            ["00:50:00", "01:00:00", "02:00:00"],
        ),
        ("2026-10-25T02:30..2026-10-25T04:00", ["00:00:00", "01:59:59"], ["02:00:00", "23:29:59"]),
        ("2026-10-25T03:30+02:00..2026-10-25T04:00", ["01:30:00"], ["00:40:00", "02:00:00"]),
        (">=2026-10-25T03:50", ["00:50:00", "01:50:00", "05:00:00"], ["01:40:00", "00:49:59"]),
        ("03:40", ["00:40:00", "01:40:00"], ["02:40:00"]),
    ],
)
def test_an_hour_that_clocks_show_twice_is_found_twice(text: str, inside: list[str], outside: list[str]) -> None:
    range_ = times(value(text), ATHENS)
    assert all(range_.holds(utc(f"2026-10-25T{text_}")) for text_ in inside)
    assert not any(range_.holds(utc(f"2026-10-25T{text_}")) for text_ in outside)


def test_a_time_that_clocks_skip_is_refused_alone_and_nothing_lies_in_it() -> None:
    with pytest.raises(Mistake, match="Column 1: clocks in Europe/Athens skipped 2026-03-29T03:30"):
        times(value("2026-03-29T03:30"), ATHENS)
    range_ = times(value("2026-03-29T02:59..2026-03-29T04:01"), ATHENS)
    assert [range_.holds(utc(f"2026-03-29T{at}")) for at in ("00:58:59", "00:59", "01:00", "01:01")] == [
        *(False, True, True, False)
    ]
    assert times(value("2026-03-29T03:30..2026-03-29T04:30"), ATHENS).holds(utc("2026-03-29T01:00"))


@pytest.mark.parametrize(
    "zone", ["Europe/Athens", "Australia/Lord_Howe", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu"]
)
def test_any_minute_of_a_year_is_found_by_what_its_clock_shows(zone: str) -> None:
    moment = utc("2026-01-01T00:00")
    for _ in range(2_000):
        moment += timedelta(minutes=263)
        shown = moment.astimezone(ZoneInfo(zone))
        assert times(value(shown.strftime("%Y-%m-%dT%H:%M")), zone).holds(moment)
        assert times(value(shown.isoformat()[:16] + shown.isoformat()[-6:]), zone).holds(moment)
