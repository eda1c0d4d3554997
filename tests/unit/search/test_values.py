"""What is written as a value: ranges with their ends, amounts, days, and times past midnight."""

from datetime import UTC, datetime

import pytest

from backoffice.queries.search.grammar import Mistake, Value
from backoffice.queries.search.values import Clock, Range, day, minor, ranged, seconds, times, whole

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
    found = ranged(value(text), minor("EUR"))
    assert all(found.holds(one) for one in inside)
    assert not any(found.holds(one) for one in outside)


def test_an_amount_in_quotes_is_read_as_the_property_writes_it() -> None:
    assert ranged(value("1,250.50", quoted=True), minor("EUR", as_written=True)) == Range(125_050, 125_050)
    assert ranged(value("1250"), minor("JPY")) == Range(1250, 1250)


@pytest.mark.parametrize(
    ("text", "column"),
    [("1.250", 1), ("12.5e3", 1), ("5..x", 4), ("10..5", 1), ("..", 1), (">=", 3), ("1e999", 1), ("9" * 30, 1)],
)
def test_what_is_no_amount_is_said_where_it_stands(text: str, column: int) -> None:
    with pytest.raises(Mistake, match=f"column {column}: "):
        ranged(value(text), minor("EUR"))


@pytest.mark.parametrize("text", ["2026-13-01", "20261120", "yesterday", "2026-W47-5"])
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(Mistake, match="no gaming day"):
        ranged(value(text), day)
    with pytest.raises(Mistake, match="whole number"):
        whole("٣", 1)


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
    found = times(value(text), ATHENS)
    assert isinstance(found, Clock)
    assert all(found.holds(at(one)) for one in inside)
    assert not any(found.holds(at(one)) for one in outside)


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
    found = times(value(text), ATHENS)
    assert all(found.holds(at(one)) for one in inside)
    assert not any(found.holds(at(one)) for one in outside)


@pytest.mark.parametrize(
    "text",
    [
        *("25:00", "22", "22:00..22:00", "2026-11-20", "2026-11-20T25:00", "<00:00", "22:00Z"),
        *("9999-12-31T23:59", "0001-01-01T00:00+14:00", "2026-11-20T22:00+99:00"),
        "2026-11-20T22:00..2026-11-20T22:00",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(Mistake, match=r"column \d+: "):
        times(value(text), ATHENS)


def test_a_length_of_time_has_its_unit() -> None:
    assert [seconds(one, 1) for one in ("30s", "2m", "1h")] == [30, 120, 3600]
    with pytest.raises(Mistake, match="30s"):
        seconds("30", 1)
