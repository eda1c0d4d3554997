"""Both wins of a table's gaming day, and what explains their difference."""

import pytest

from projections.tables.models import TableDay
from projections.tables.table_and_recorded_win_calculation import DifferenceCauses, wins


def day(**figures: int | None) -> TableDay:
    """Opener 100,000, cash 50,000, fill 20,000, credit 5,000; lost 30,000, due 12,000, all paid, closed as expected."""
    usual: dict[str, int | None] = {
        "opener_minor": 100_000,
        "buyins_cash_minor": 50_000,
        "fills_minor": 20_000,
        "credits_minor": 5_000,
        "stakes_minor": 60_000,
        "resolved_minor": 60_000,
        "lost_minor": 30_000,
        "due_minor": 12_000,
        "paid_minor": 12_000,
        "expected_minor": 83_000,
        "closer_minor": 83_000,
        "drop_minor": 50_000,
        "drop_promotional_minor": 0,
    }
    return TableDay(id="athens/tables/R1/2026-11-20", **{**usual, **figures})


def explained(**parts: int) -> DifferenceCauses:
    names = ("mispay", "promotional", "drop", "uncounted", "closer", "rest", "corrections")
    return DifferenceCauses(**{f"{name}_minor": parts.get(name, 0) for name in names})


def test_ny_5315_1_c_inventory_win_is_drop_closer_credits_less_opener_and_fills() -> None:
    win = wins(day())
    assert (win.inventory_win_minor, win.event_win_minor, win.difference_minor) == (18_000, 18_000, 0)
    assert (win.basis, win.explained) == ("counted", explained())


@pytest.mark.parametrize(
    ("figures", "difference", "parts"),
    [
        ({"paid_minor": 12_500, "expected_minor": 82_500, "closer_minor": 82_500}, -500, {"mispay": -500}),
        ({"closer_minor": 82_900}, -100, {"closer": -100}),
        ({"drop_minor": 49_000}, -1_000, {"drop": -1_000}),
        ({"drop_minor": 53_000, "drop_promotional_minor": 3_000}, 0, {}),
        (
            {
                "buyins_promotional_minor": 3_000,
                "drop_minor": 53_000,
                "drop_promotional_minor": 3_000,
                "expected_minor": 80_000,
                "closer_minor": 80_000,
            },
            -3_000,
            {"promotional": -3_000},
        ),
        ({"stakes_minor": 61_000, "closer_minor": 84_000}, 1_000, {"uncounted": 1_000}),
        ({"lost_minor": 29_000}, 1_000, {"rest": 1_000}),
        ({"commission_minor": 50}, -50, {"rest": -50}),
        ({"corrections": 2, "corrected_minor": -700}, 0, {"corrections": -700}),
    ],
)
def test_the_difference_is_split_into_what_explains_it(
    figures: dict[str, int], difference: int, parts: dict[str, int]
) -> None:
    win = wins(day(**figures))
    assert win.difference_minor == difference
    assert win.explained == explained(**parts)


def test_until_the_count_the_buy_ins_stand_for_the_drop() -> None:
    win = wins(day(drop_minor=None, drop_promotional_minor=None, buyins_marker_minor=7_000))
    assert (win.basis, win.inventory_win_minor) == ("estimated", 25_000)


def test_an_open_table_has_no_inventory_win() -> None:
    win = wins(day(closer_minor=None, expected_minor=None))
    assert (win.basis, win.inventory_win_minor, win.explained) == ("open", None, None)
    assert win.event_win_minor == 18_000
