"""The format of amounts and numbers: every currency of ISO 4217, exact meters, rates."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, get_args

import pytest
from iso4217 import Currency

from backoffice.progressives.parameter_change_notices_page import ParameterChange
from backoffice.wording import formats
from events import fields
from events.settings.settings_from_environment import read
from tools import verify_certificate


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
    ],
)
def test_minor_units_are_written_as_money(amount: int, currency: str, text: str) -> None:
    assert formats.money(amount, currency) == text


@pytest.mark.parametrize("currency", list(Currency), ids=str)
def test_every_currency_has_the_digits_of_the_standard(currency: Currency) -> None:
    digits = 2 if currency.exponent is None else currency.exponent
    whole, _, part = formats.money(10**digits, currency.code).partition(".")
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
    assert formats.micro(amount, currency) == text


def test_rates_and_counts() -> None:
    assert [formats.percent(rate) for rate in (175_000, 0, 1, 1_000_000)] == ["17.5 %", "0 %", "0.0001 %", "100 %"]
    assert [formats.percent(-32_300), formats.percent(None)] == ["−3.23 %", "–"]
    assert [formats.hold(part) for part in (-32_300, 319_000, 0, None)] == ["−3.23 %", "31.90 %", "0.00 %", "–"]
    assert [formats.permille(part) for part in (-27, 1_306, None)] == ["−2.7 %", "130.6 %", "–"]
    assert formats.number(1_234_567) == "1,234,567"


def test_the_axis_of_a_chart_leaves_out_zeros() -> None:
    assert [formats.rounded(minor, "EUR") for minor in (10_000, 10_050, -200)] == ["100", "100.50", "−2"]
    assert formats.rounded(10_000, "JPY") == "10,000"


@pytest.mark.parametrize("currency", get_args(fields.Currency))
def test_the_tool_that_stands_alone_writes_money_as_the_house_does(currency: str) -> None:
    for micro in (0, 1, -1_500_000, 123_450_000_000, 123_450_500_000, -(10**18)):
        assert verify_certificate.money(micro, currency) == formats.ascii_signs(formats.micro(micro, currency))


def test_a_changed_setting_is_written_in_its_currency() -> None:
    assert ParameterChange("seed_minor", "seed", "minor", 12_345, 20_000).words("JPY") == "seed: 12,345 to 20,000"
    assert ParameterChange("cap_minor", "cap", "minor", 12_345, None).words("EUR") == "cap: 123.45 to no cap"
    assert ParameterChange("meter_micro", "meter", "micro", 1_500_000, 2_000_000).words("EUR") == "meter: 0.015 to 0.02"
    assert (
        ParameterChange("feed_millionths", "contribution rate", "rate", 100_000, 92_500).words("EUR")
        == "contribution rate: 10 % to 9.25 %"
    )


HOUR = timedelta(hours=1)
ATHENS = datetime(2026, 11, 21, 1, 30, 5, 250_000, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("zone", "written"),
    [
        ("UTC", ["23:30:05", "11-20 23:30:05", "2026-11-20 23:30:05 UTC", "2026-11-20T23:30:05+00:00"]),
        ("Europe/Athens", ["01:30:05", "11-21 01:30:05", "2026-11-21 01:30:05 EET", "2026-11-21T01:30:05+02:00"]),
    ],
)
def test_moments_are_written_on_the_property_s_clock(zone: str, written: list[str], settings: Any) -> None:
    settings.TIME_ZONE = zone
    assert [
        *(formats.moment_text(ATHENS, form) for form in ("time", "short", "full")),
        formats.stamp(ATHENS),
    ] == written
    assert formats.zone() == zone


def test_an_hour_that_clocks_show_twice_is_told_apart(settings: Any) -> None:
    settings.TIME_ZONE = "Europe/Athens"
    first = datetime(2026, 10, 25, 0, 40, tzinfo=UTC)
    written = [
        [formats.moment_text(moment, form) for form in ("minute", "time", "short", "full")]
        for moment in (first, first + HOUR)
    ]
    assert written == [
        ["03:40+03:00", "03:40:00+03:00", "10-25 03:40:00+03:00", "2026-10-25 03:40:00+03:00 EEST"],
        ["03:40+02:00", "03:40:00+02:00", "10-25 03:40:00+02:00", "2026-10-25 03:40:00+02:00 EET"],
    ]
    assert [formats.moment_text(first + n * HOUR, "minute") for n in (-1, 2)] == ["02:40", "04:40"]
    assert formats.moment_text(datetime(2026, 3, 29, 1, 0, tzinfo=UTC), "time") == "04:00:00"


def test_what_events_say_stays_in_utc() -> None:
    athens = ATHENS
    assert formats.exact(athens) == "2026-11-20T23:30:05.250Z"
    assert formats.stamp(athens) == "2026-11-20T23:30:05+00:00"
    assert formats.stamp(datetime(2026, 11, 20, tzinfo=UTC)) == "2026-11-20T00:00:00+00:00"


HABITS = [
    ("1,234.50 EUR", "−1,234.50 EUR", "12,345 JPY", "17.5 %", "1,234.505"),
    ("1.234,50 €", "−1.234,50 €", "12.345 ¥", "17,5 %", "1.234,505"),
    ("€1,234.50", "€−1,234.50", "¥12,345", "17.5 %", "1,234.505"),
    ("1 234,50 EUR", "−1 234,50 EUR", "12 345 JPY", "17,5 %", "1 234,505"),
    ("1234,50€", "−1234,50€", "12345¥", "17,5 %", "1234,505"),
    ("€12,34,567.50", "€−1,234.50", "¥12,345", "17.5 %", "1,234.505"),
    ("1,234,567.50 EUR", "−1,234.50 EUR", "12,345 JPY", "17.5 %", "1,234.505"),
    ("123,4567.50 EUR", "−1234.50 EUR", "1,2345 JPY", "17.5 %", "1234.505"),
    ("1'234'567,50 EUR", "−1'234,50 EUR", "12'345 JPY", "17,5 %", "1'234,505"),
]

GROUPED = {
    "€12,34,567.50": ("0.05", "999.00", "1,000.00", "99,999.00", "1,00,000.00", "12,34,56,789.00"),
    "12.34.567,50 EUR": ("0,05", "999,00", "1.000,00", "99.999,00", "1.00.000,00", "12.34.56.789,00"),
    "123,4567.50 EUR": ("0.05", "999.00", "1000.00", "9,9999.00", "10,0000.00", "1,2345,6789.00"),
    "1 234 567,50 EUR": ("0,05", "999,00", "1 000,00", "99 999,00", "100 000,00", "123 456 789,00"),
    "1234.50 EUR": ("0.05", "999.00", "1000.00", "99999.00", "100000.00", "123456789.00"),
}


@pytest.mark.parametrize("example", GROUPED)
def test_groups_have_the_length_of_the_example_and_are_read_back(example: str, settings: Any) -> None:
    settings.PITLEDGER_MONEY = read({"PITLEDGER_MONEY": example}).money
    amounts = [5, 99_900, 100_000, 9_999_900, 10_000_000, 12_345_678_900]
    written = [formats.money(minor, "INR").replace("\u00a0", " ") for minor in amounts]
    assert tuple(written) == GROUPED[example]
    for minor in range(0, 10**12, 7_654_321_987):
        for currency, digits in (("INR", 2), ("JPY", 0), ("KWD", 3)):
            for text in (formats.money(minor, currency), formats.typed_decimal(minor, digits)):
                assert formats.read(text) == Decimal(minor).scaleb(-digits), text


def test_an_amount_in_other_groups_is_not_read(settings: Any) -> None:
    settings.PITLEDGER_MONEY = "€12,34,567.50"
    for text in ("1,234,567.00", "12,345,67.00", "1,2,345.00", "1,23", "12,34.00", "1,0000"):
        assert formats.read(text) is None, text
    settings.PITLEDGER_MONEY = "1,234.50 EUR"
    assert formats.read("12,34,567.00") is None


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit[0])
def test_money_is_written_as_the_property_writes_it(habit: tuple[str, ...], settings: Any) -> None:
    settings.PITLEDGER_MONEY = habit[0]
    amounts = [formats.amount(-123_450, "EUR"), formats.amount(12_345, "JPY"), formats.percent(175_000)]
    amounts.append(formats.micro(123_450_500_000, "EUR"))
    assert [amount.replace("\u00a0", " ") for amount in amounts] == list(habit[1:])


READ = {
    "1,234.50 EUR": {
        "1,250.50": "1250.50",
        "1250.5": "1250.5",
        "12,50": None,
        "1.250,00": None,
        "-3": "-3",
        ".5": ".5",
    },
    "1.234,50 €": {"1.250,50": "1250.50", "12,50": "12.50", "1.25": None, "1,250.00": None, "1.250": "1250"},
    "1 234,50 EUR": {"1 250,50": "1250.50", "1250,5": "1250.5", "12 50": None, "zwölf": None, "": None},
}


@pytest.mark.parametrize("habit", READ)
def test_an_amount_that_may_mean_another_is_not_read(habit: str, settings: Any) -> None:
    settings.PITLEDGER_MONEY = habit
    for typed, meant in READ[habit].items():
        assert formats.read(typed) == (None if meant is None else Decimal(meant)), typed
    assert formats.read(formats.typed_decimal(123_450, 2)) == Decimal("1234.50")
