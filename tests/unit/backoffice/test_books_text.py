"""The format of the books in a terminal."""

import pytest

from backoffice.days.books_as_terminal_tables import render
from backoffice.wording.terminal_tables import grid, micro, money


@pytest.mark.parametrize(
    ("minor", "text"), [(0, "0.00"), (5, "0.05"), (-5, "-0.05"), (123_456_789, "1,234,567.89"), (None, "-")]
)
def test_money_is_written_with_two_decimals(minor: int | None, text: str) -> None:
    assert money(minor, "EUR") == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "0.00"), (1, "0.00000001"), (12_345_500_000, "123.455"), (-1_500_000, "-0.015"), (None, "-")],
)
def test_micro_amounts_lose_nothing(amount: int | None, text: str) -> None:
    assert micro(amount, "EUR") == text


def test_words_stand_left_and_numbers_right() -> None:
    assert list(grid(["table", "win"], [["R1", "1.00"], ["R10", "-100.00"]])) == [
        "table      win",
        "-----  -------",
        "R1        1.00",
        "R10    -100.00",
    ]


def test_every_row_has_the_digits_of_its_currency() -> None:
    envy = {"hit": "h", "level": "minor", "table": "BJ1", "player": "g-1", "amount_minor": 12_345, "slip": 1}
    nothing: dict[str, list[object]] = {name: [] for name in ("tables", "totals", "wagers", "hits", "locks")}
    kinds = ("requests", "readings", "variances", "notices", "misfits")
    progressives = [
        {"progressive": name, "currency": currency, "policy": "split", "levels": []}
        for name, currency in (("sakura", "JPY"), ("blazing", "EUR"))
    ]
    rows = [{**envy, "progressive": "sakura"}, {**envy, "progressive": "blazing"}]
    matters: dict[str, list[object]] = {name: [] for name in kinds}
    figures = {**nothing, "progressives": progressives, "envy": rows, "matters": matters}
    written = [line.split()[-2] for line in render(figures) if line.startswith("h ")]
    assert written == ["12,345", "123.45"]
