"""The report of the bench: the goals reached, and its table in a page."""

from datetime import date
from pathlib import Path

import msgspec
import pytest

from tools.bench.benchmark_report_formats import BEGIN, END, BenchmarkReport, Line, write_into
from tools.bench.turns_medians_and_percentiles import Options, in_turn, percentile


def report(*lines: Line, **failed: str) -> BenchmarkReport:
    return BenchmarkReport(
        machine="2 cores", command="./manage.py bench", day=date(2026, 11, 21), lines=lines, failed=failed
    )


@pytest.mark.parametrize(
    ("line", "ratio", "reached"),
    [
        (Line(work="a", ours=1_200, unit="events/s", peer=100, goal=12), 12.0, True),
        (Line(work="a", ours=1_199, unit="events/s", peer=100, goal=12), 11.99, False),
        (Line(work="a", ours=15_000, unit="events/s", goal=15_000, of="amount"), None, True),
        (Line(work="a", ours=50.1, unit="ms", goal=50, of="amount"), None, False),
        (Line(work="a", ours=50.0, unit="ms", peer=100, goal=50, of="amount"), 0.5, True),
        (Line(work="a", ours=1, unit="ms"), None, None),
    ],
)
def test_a_goal_is_a_ratio_or_an_amount_and_of_milliseconds_less_is_better(
    line: Line, ratio: float | None, reached: bool | None
) -> None:
    assert (line.ratio, line.reached) == (ratio, reached)


def test_the_table_takes_the_place_of_the_last_one_and_leaves_the_page_alone(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    page.write_text(f"# Page\n\n{BEGIN}\nold\n{END}\n\nThe end.\n")
    line = Line(work="append", ours=2_000, unit="events/s", peer=1_000, against="a | b", goal=12)
    write_into(page, report(line, http="no web"))
    write_into(page, report(line, http="no web"))
    text = page.read_text()
    assert text.startswith(f"# Page\n\n{BEGIN}\n")
    assert text.endswith(f"\n{END}\n\nThe end.\n")
    assert "old" not in text
    assert text.count("| append | 2,000 events/s | 1,000 events/s a \\| b | 2.00 | 12 x | no |") == 1
    assert "- http was not measured: no web" in text


def test_a_missing_page_is_created(tmp_path: Path) -> None:
    page = tmp_path / "figures.md"
    write_into(page, report(Line(work="append", ours=2_000, unit="events/s")))
    assert page.read_text().startswith(f"{BEGIN}\n")
    assert "| append | 2,000 events/s |" in page.read_text()


def test_a_page_without_the_marks_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    page.write_text("# Page\n")
    with pytest.raises(ValueError, match="no lines"):
        write_into(page, report())
    assert page.read_text() == "# Page\n"


def test_programs_get_ratios_and_goals_too() -> None:
    line = Line(work="append", ours=2_000, unit="events/s", peer=1_000, goal=1)
    content = msgspec.json.decode(report(line).json())
    assert content["lines"][0]["ratio"] == 2.0
    assert content["lines"][0]["reached"] is True
    assert content["day"] == "2026-11-21"


def test_sides_take_turns_and_their_medians_count() -> None:
    order: list[str] = []
    rates = {"a": iter([1.0, 9.0, 5.0]), "b": iter([2.0, 4.0, 3.0])}

    def side(name: str) -> float:
        order.append(name)
        return next(rates[name])

    options = Options(seconds=0, turns=3, tell=lambda text: None)
    medians = in_turn(options, {"a": lambda seconds: side("a"), "b": lambda seconds: side("b")})
    assert order == ["a", "b"] * 3
    assert medians == {"a": 5.0, "b": 3.0}


@pytest.mark.parametrize(("percent", "value"), [(0, 1), (1, 1), (50, 50), (99, 99), (99.5, 100), (100, 100)])
def test_percentiles(percent: float, value: int) -> None:
    assert percentile(range(100, 0, -1), percent) == value


def test_nothing_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="nothing"):
        percentile([], 50)
