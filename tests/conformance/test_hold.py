"""Requirements of regulators for drop, win and hold, clause by clause.

Reports show the figures by day, month and year. The house investigates unusual figures.
"""

from fractions import Fraction
from typing import Any

import pytest

from events.hold.drop_win_hold_handle_sums import Amounts, HoldEntry, to_date
from events.hold.regulatory_hold_limit_findings import KS, MD, OH, findings

DAY = "2026-11-20"


def shift(day: str, win: int, *, table: str = "R1", drop: int = 10_000, name: str = "day") -> HoldEntry:
    amounts = Amounts(drop_minor=drop, win_minor=win)
    return HoldEntry(day=day, shift=name, of={"table": table, "game": "roulette", "pit": "main"}, amounts=amounts)


def month(name: str, win: int) -> HoldEntry:
    """Return a month of the year before, with a drop of 100,000."""
    amounts = Amounts(drop_minor=100_000, win_minor=win)
    return HoldEntry(day=f"{name}-01", shift="", of={"table": "R1"}, amounts=amounts, is_month=True)


LAST_YEAR = [month(f"2025-{number:02}", 20_000 + 1_000 * (-1) ** number) for number in range(1, 13)]


def says(rule: str, entries: list[HoldEntry], day: str = DAY) -> Any:
    (finding,) = (finding for finding in findings("R1", entries, day) if finding.rule == rule)
    return finding


def test_ks_112_108_51_drop_win_and_hold_by_table_and_game_for_day_month_and_year() -> None:
    entries = [
        shift("2026-01-02", 1_000),
        shift("2026-11-02", 3_000),
        shift(DAY, 2_000),
        shift(DAY, -500, name="night"),
        shift(DAY, 700, table="R2"),
        shift("2025-12-31", 9_999),
    ]
    lines = {line.name: line for by in ("table", "game") for line in to_date(entries, by, DAY)}
    for name, day, of_month, year in (
        ("R1", (20_000, 1_500), (30_000, 4_500), (40_000, 5_500)),
        ("R2", (10_000, 700), (10_000, 700), (10_000, 700)),
        ("roulette", (30_000, 2_200), (40_000, 5_200), (50_000, 6_200)),
    ):
        for amounts, (drop, win) in zip(
            (lines[name].day, lines[name].month, lines[name].year), (day, of_month, year), strict=True
        ):
            assert (amounts.drop_minor, amounts.win_minor, amounts.hold) == (drop, win, Fraction(win, drop)), name


@pytest.mark.parametrize(("win", "is_told"), [(2_300, False), (2_301, True), (1_700, False), (1_699, True)])
def test_ks_112_108_51_over_three_per_cent_from_the_base_level_is_told(win: int, is_told: bool) -> None:
    finding = says(KS, [*LAST_YEAR, shift(DAY, win)])
    assert (finding.against, finding.says == "outside") == (Fraction(1, 5), is_told)


@pytest.mark.parametrize(("win", "is_told"), [(2_400, False), (2_490, True)])
def test_oh_3772_10_08_thirty_rolling_days_over_four_per_cent_from_the_lifetime_are_told(
    win: int, is_told: bool
) -> None:
    before = shift("2026-10-21", 18_000, drop=90_000)
    finding = says(OH, [before, shift("2026-10-22", win)])
    assert finding.against == Fraction(18_000 + win, 100_000)
    assert (finding.says == "outside") == is_told


@pytest.mark.parametrize(("win", "is_told"), [(2_200, False), (2_210, True), (1_800, False), (1_790, True)])
def test_md_36_05_03_25_a_month_beyond_the_95_per_cent_interval_of_last_year_is_told(win: int, is_told: bool) -> None:
    """Months of 19 and 21 per cent: a deviation of 1.0445 points, 1.96 of which are 2.047."""
    finding = says(MD, [*LAST_YEAR, shift(DAY, win)])
    assert float(finding.high - finding.against) == pytest.approx(0.0204718, rel=1e-4)
    assert (finding.says == "outside") == is_told
