"""How the books look in a terminal."""

import pytest

from projections.books_text import grid, micro, money


@pytest.mark.parametrize(
    ("minor", "text"), [(0, "0.00"), (5, "0.05"), (-5, "-0.05"), (123_456_789, "1,234,567.89"), (None, "-")]
)
def test_money_is_written_with_two_decimals(minor: int | None, text: str) -> None:
    assert money(minor) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "0.00"), (1, "0.00000001"), (12_345_500_000, "123.455"), (-1_500_000, "-0.015"), (None, "-")],
)
def test_micro_amounts_lose_nothing(amount: int | None, text: str) -> None:
    assert micro(amount) == text


def test_words_stand_left_and_numbers_right() -> None:
    assert list(grid(["table", "win"], [["R1", "1.00"], ["R10", "-100.00"]])) == [
        "table      win",
        "-----  -------",
        "R1        1.00",
        "R10    -100.00",
    ]
