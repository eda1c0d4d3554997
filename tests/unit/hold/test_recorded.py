"""The three rules on the actual hold of a casino's tables: Missouri, a year and a half of one house, month by month.

The figures are drop and win of Ameristar Casino Kansas City, in dollars. They come from the monthly statistics of the
Missouri Gaming Commission (public records; collected in kphilander/USA-Casino-Model, MIT, research/data/mo_feb22.xlsx
to mo_dec22.xls).
"""

from fractions import Fraction
from statistics import stdev
from typing import Any

import pytest

from events.hold.drop_win_hold_handle_sums import Amounts, HoldEntry
from events.hold.regulatory_hold_limit_findings import KS, MD, OH, findings

RECORDED = {
    "2021-07": (10_188_404, 1_960_105),
    "2021-08": (8_876_957, 2_275_188.5),
    "2021-09": (8_784_096, 937_001),
    "2021-10": (9_422_231, 1_775_955),
    "2021-11": (10_195_584, 2_249_032.5),
    "2021-12": (10_434_949, 1_877_718),
    "2022-01": (9_421_097, 1_684_861.5),
    "2022-02": (9_395_663, 1_881_049),
    "2022-03": (10_215_030, 2_361_969),
    "2022-04": (9_944_486, 1_614_348),
    "2022-05": (9_193_659, 1_740_049.5),
    "2022-06": (9_367_079, 2_051_468),
    "2022-07": (10_366_880, 2_290_229.5),
    "2022-08": (9_734_457, 2_099_615),
    "2022-09": (9_237_427, 1_892_853.5),
    "2022-10": (10_140_690, 1_720_920),
    "2022-11": (9_461_662, 1_878_662),
    "2022-12": (9_800_152.3, 2_169_033.8),
}
HOLDS = {month: win / drop for month, (drop, win) in RECORDED.items()}


def entry(month: str) -> HoldEntry:
    """Return a month's figures, as if all boxes were counted on the 28th."""
    drop, win = (round(100 * dollars) for dollars in RECORDED[month])
    return HoldEntry(
        day=f"{month}-28", shift="day", of={"table": "KC"}, amounts=Amounts(drop_minor=drop, win_minor=win)
    )


def findings_by_rule(month: str) -> dict[str, Any]:
    return {finding.rule: finding for finding in findings("KC", [*map(entry, RECORDED)], f"{month}-28")}


def outside(rule: str) -> set[str]:
    return {month for month in RECORDED if findings_by_rule(month)[rule].says == "outside"}


def test_three_points_from_last_year_s_hold_leave_two_months_outside() -> None:
    base = sum(RECORDED[f"2021-{number:02}"][1] for number in range(7, 13))
    dropped = sum(RECORDED[f"2021-{number:02}"][0] for number in range(7, 13))
    assert outside(KS) == {"2022-03", "2022-12"}
    last = findings_by_rule("2022-12")[KS]
    assert float(last.against) == pytest.approx(base / dropped)
    assert last.hold - last.against > Fraction(3, 100), "by six thousandths of a point"
    assert float(last.hold - last.against) < 0.0301


def test_the_spread_of_half_a_year_of_such_months_lets_all_of_them_pass() -> None:
    assert outside(MD) == set()
    finding = findings_by_rule("2022-04")[MD]
    months = [HOLDS[f"2021-{number:02}"] for number in range(7, 13)]
    assert float(finding.high - finding.against) == pytest.approx(1.96 * stdev(months), rel=1e-5)


def test_four_points_from_the_lifetime_find_the_month_of_ten_per_cent() -> None:
    expected, dropped, won = set(), 0.0, 0.0
    for month, (drop, win) in RECORDED.items():
        dropped, won = dropped + drop, won + win
        expected |= {month} if abs(HOLDS[month] - won / dropped) > 0.04 else set()
    assert outside(OH) == expected == {"2021-09"}
