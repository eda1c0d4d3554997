"""How figures are written: money, exact meters, signs in words, rates, ages."""

from datetime import UTC, datetime, timedelta

import pytest

from backoffice.templatetags import pitledger as write


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (0, "EUR", "0.00"),
        (5, "EUR", "0.05"),
        (123_450, "EUR", "1,234.50"),
        (-123_450, "EUR", "−1,234.50"),
        (1_234_567, "JPY", "1,234,567"),
        (1_234, "KWD", "1.234"),
        (10**15, "EUR", "10,000,000,000,000.00"),
    ],
)
def test_minor_units_are_written_as_money(amount: int, currency: str, text: str) -> None:
    assert write.written(amount, currency) == text


def test_money_carries_its_value_for_programs() -> None:
    assert 'value="-5"' in write.money(-5, "EUR")
    assert ">–<" in write.money(None)


def test_a_sign_is_a_word() -> None:
    assert "12.00" in write.win(-1_200)
    assert "lost" in write.win(-1_200)
    assert "won" in write.win(1_200)
    assert "even" in write.win(0)
    assert "short" in write.difference(-1)
    assert "over" in write.difference(1)
    assert "−" not in write.win(-1_200) + write.difference(-1)


@pytest.mark.parametrize(
    ("micro", "text"),
    [(123_450_000_000, "1,234.50<"), (123_450_500_000, ">5<"), (1, ">000001<"), (-1_500_000, "−0.01<")],
)
def test_a_meter_is_written_to_its_last_millionth(micro: int, text: str) -> None:
    assert text in write.micro(micro)


def test_rates_and_counts() -> None:
    assert (write.percent(175_000), write.percent(0), write.percent(1)) == ("17.5 %", "0 %", "0.0001 %")
    assert (write.permille(-27), write.permille(1_306), write.permille(None)) == ("−2.7 %", "130.6 %", "–")
    assert write.count(1_234_567) == "1,234,567"


def test_ages_are_short() -> None:
    now = datetime.now(UTC)
    ages = [write.age(now - timedelta(**ago)) for ago in ({"seconds": 3}, {"minutes": 5}, {"hours": 30}, {"days": 4})]
    assert ages == ["3 s", "5 min", "30 h", "4 d"]


def test_text_from_events_is_escaped_in_addresses_and_words() -> None:
    assert write.events(table="<b>&x") == "/events?table=%3Cb%3E%26x"
    assert write.table_url("a/b c", "2026-11-20") == "/tables/a%2Fb%20c/2026-11-20"
    assert write.plain("spin.called_off.v1") == "spin called off"
