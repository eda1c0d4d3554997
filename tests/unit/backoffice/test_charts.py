"""Charts: steps, thinning, round ticks, marks."""

from datetime import UTC, datetime
from typing import Any

import pytest

from backoffice.wording.svg_chart_geometry import POINTS_MAX, WIDTH, Frame, Point, hours, step_chart, thin_out_points


def test_nothing_is_drawn_of_less_than_two_values() -> None:
    assert step_chart([]) is None
    assert step_chart([Point(1, 5)]) is None


def test_an_axis_of_one_moment_has_no_hours() -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()
    assert list(hours(Frame(WIDTH, 100, 0, 100, noon, noon, 0, 1))) == []


def test_a_value_holds_until_the_next_one() -> None:
    chart = step_chart([Point(0, 0), Point(1, 100), Point(2, 50)], height=120)
    assert chart is not None
    assert chart.line == "M0 110H360V10H720V60"
    assert [(tick.value, tick.at) for tick in chart.ticks] == [(0, "110"), (50, "60"), (100, "10")]
    assert (chart.first, chart.last, chart.lowest, chart.highest) == (0, 50, 0, 100)


def test_zero_is_in_sight_where_it_is_asked_for() -> None:
    chart = step_chart([Point(0, -900), Point(1, -400)], with_zero=True)
    assert chart is not None
    assert chart.ticks[-1].value == 0


def test_values_that_never_change_make_a_level_line() -> None:
    chart = step_chart([Point(0, 7), Point(5, 7)])
    assert chart is not None
    assert chart.lowest == chart.highest == 7


@pytest.mark.parametrize("size", [2, POINTS_MAX, POINTS_MAX + 1, 5_000])
def test_thinning_keeps_ends_and_extremes(size: int) -> None:
    points = [Point(x, (x * 7919) % 1_000) for x in range(size)]
    thinned = thin_out_points(points)
    assert len(thinned) <= POINTS_MAX + 2
    assert (thinned[0], thinned[-1]) == (points[0], points[-1])
    assert {min(p.y for p in thinned), max(p.y for p in thinned)} == {
        min(p.y for p in points),
        max(p.y for p in points),
    }
    assert [p.x for p in thinned] == sorted(p.x for p in thinned)


def test_a_mark_lies_on_the_drawing_even_where_its_value_does_not() -> None:
    chart = step_chart([Point(0, 0), Point(10, 100)], height=120, marks=[(5, 10_000, "hit", "/events/5")])
    assert chart is not None
    assert (chart.marks[0].x, chart.marks[0].y, chart.width) == ("360", "10", WIDTH)


EVENING = datetime(2026, 11, 20, 18, 3, tzinfo=UTC).timestamp()


def test_the_axis_shows_round_times_of_the_property_s_clock(settings: Any) -> None:
    chart = step_chart([Point(EVENING, 0), Point(EVENING + 4 * 3_600, 5)])
    assert chart is not None
    assert [hour.label for hour in chart.hours] == ["19:00", "20:00", "21:00"]  # 22:00 stands too near to the end
    settings.TIME_ZONE = "Asia/Kolkata"
    chart = step_chart([Point(EVENING, 0), Point(EVENING + 4 * 3_600, 5)])
    assert chart is not None
    assert [hour.label for hour in chart.hours] == ["00:00", "01:00", "02:00", "03:00"]


def test_an_axis_of_days_shows_days_and_one_without_length_nothing() -> None:
    days = step_chart([Point(EVENING, 0), Point(EVENING + 5 * 86_400, 5)])
    still = step_chart([Point(EVENING, 0), Point(EVENING, 5)])
    assert days is not None
    assert still is not None
    assert [hour.label for hour in days.hours] == ["11-21", "11-22", "11-23", "11-24", "11-25"]
    assert still.hours == ()
    assert still.line == "M0 180H720V38.3", "what was told at one moment stands side by side"


def test_what_made_a_value_stands_beside_it() -> None:
    chart = step_chart([Point(EVENING, 0), Point(EVENING + 60, 5, "round 1", "/events?round=1")])
    assert chart is not None
    [spot] = chart.spots
    assert (spot.x, spot.value, spot.label, spot.time.timestamp()) == ("720", 5, "round 1", EVENING + 60)
