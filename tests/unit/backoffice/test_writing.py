"""How amounts and numbers are written: every currency of ISO 4217, exact meters, rates."""

import pytest
from iso4217 import Currency

from backoffice import writing


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (0, "EUR", "0.00"),
        (5, "EUR", "0.05"),
        (123_450, "EUR", "1,234.50"),
        (-123_450, "EUR", "−1,234.50"),
        (12_345, "JPY", "12,345"),
        (1_234, "KWD", "1.234"),
        (12_345, "CLF", "1.2345"),
        (10**15, "EUR", "10,000,000,000,000.00"),
        (7, "", "0.07"),
    ],
)
def test_minor_units_are_written_as_money(amount: int, currency: str, text: str) -> None:
    assert writing.money(amount, currency) == text


@pytest.mark.parametrize("currency", list(Currency), ids=str)
def test_every_currency_has_the_digits_of_the_standard(currency: Currency) -> None:
    digits = 2 if currency.exponent is None else currency.exponent
    whole, _, part = writing.money(10**digits, currency.code).partition(".")
    assert (whole, len(part)) == ("1", digits)


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (123_450_000_000, "EUR", "1,234.50"),
        (123_450_500_000, "EUR", "1,234.505"),
        (1, "EUR", "0.00000001"),
        (-1_500_000, "EUR", "−0.015"),
        (12_500_000, "JPY", "12.5"),
        (None, "EUR", "–"),
    ],
)
def test_a_meter_is_written_to_its_last_millionth(amount: int | None, currency: str, text: str) -> None:
    assert writing.micro(amount, currency) == text


def test_rates_and_counts() -> None:
    assert [writing.percent(rate) for rate in (175_000, 0, 1, 1_000_000)] == ["17.5 %", "0 %", "0.0001 %", "100 %"]
    assert [writing.permille(part) for part in (-27, 1_306, None)] == ["−2.7 %", "130.6 %", "–"]
    assert writing.number(1_234_567) == "1,234,567"


def test_the_axis_of_a_chart_leaves_out_zeros() -> None:
    assert [writing.rounded(minor, "EUR") for minor in (10_000, 10_050, -200)] == ["100", "100.50", "−2"]
    assert writing.rounded(10_000, "JPY") == "10,000"
