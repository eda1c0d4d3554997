"""Every form in yen and dinar, in each way to write money: typed and pasted amounts give the same minor units."""

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from django import forms
from django.core.exceptions import ValidationError

from backoffice.forms.action_form_from_struct import form_of
from backoffice.forms.denomination_fields import Pieces, Tray
from backoffice.forms.fields import Pairs, ScaledNumber
from backoffice.wording import formats
from events import catalogue

CURRENCIES = ("EUR", "JPY", "KWD")
HABITS = ("1,234.50 EUR", "1.234,50 €", "€12,34,567.50", "1 234,50 EUR")
DIGITS = {"EUR": 2, "JPY": 0, "KWD": 3}


@pytest.fixture(params=HABITS)
def habit(request: pytest.FixtureRequest, settings: Any) -> str:
    settings.PITLEDGER_MONEY = request.param
    return str(request.param)


def fields_of(currency: str) -> Iterator[tuple[str, forms.Field]]:
    """Every field of every form, cells of rows too."""
    for name in catalogue.action_types():
        fields = form_of(catalogue.action_types()[name])(currency=currency).fields
        for field_name, field in fields.items():
            yield f"{name} {field_name}", field
            cells = getattr(field, "_cells", None) or {}
            yield from ((f"{name} {field_name} {cell}", of) for cell, of in cells.items())


@cache
def amounts_of(currency: str, habit: str) -> list[tuple[str, ScaledNumber]]:
    amounts = [(name, field) for name, field in fields_of(currency) if isinstance(field, ScaledNumber)]
    return [(name, field) for name, field in amounts if name.endswith("_minor")]


def different(currency: str, habit: str) -> dict[Any, tuple[str, ScaledNumber]]:
    """One field of those with the same decimals and bounds."""
    amounts = amounts_of(currency, habit)
    return {(field.digits, field.min_value, field.max_value): (name, field) for name, field in amounts}


@pytest.mark.parametrize("currency", CURRENCIES)
def test_amounts_have_the_decimals_of_the_currency(currency: str, habit: str) -> None:
    amounts = amounts_of(currency, habit)
    assert len(amounts) > 40
    for name, field in amounts:
        assert field.digits == DIGITS[currency], name
        for text in (formats.money(123_456, currency), field.prepare_value(123_456)):
            assert field.clean(text.replace("\u00a0", " ")) == 123_456, (name, text)
            with pytest.raises(ValidationError):
                field.clean(f"{text}{'5' if field.digits else formats.habit().point + '5'}")


@pytest.mark.parametrize("currency", CURRENCIES)
def test_an_input_sends_what_the_form_reads(currency: str, habit: str) -> None:
    """A number input sends a full stop for any decimal separator that the user sees."""
    for name, field in amounts_of(currency, habit):
        is_number = isinstance(field.widget, forms.NumberInput)
        assert is_number == (formats.habit().point == "."), name
        if is_number:
            assert Decimal(str(field.widget.attrs["step"])) == Decimal(1).scaleb(-DIGITS[currency]), name


FULL_WIDTH, ARABIC = "\uff11\uff12\uff13", "\u0661\u0662\u0663"
PASTED = (FULL_WIDTH, ARABIC, "1_000", "1e3", "+5", "0x10", "NaN", "Infinity", "12 34", "--5", "5-", "€5", "1" * 60)


@pytest.mark.parametrize("currency", CURRENCIES)
def test_a_pasted_text_that_is_no_amount_is_refused(currency: str, habit: str) -> None:
    fields = different(currency, habit).values()
    assert len(fields) > 3
    taken = [(name, text) for name, field in fields for text in PASTED if takes(field, text)]
    assert taken == []


def takes(field: forms.Field, text: str) -> bool:
    try:
        field.clean(text)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("currency", CURRENCIES)
def test_amounts_by_name_are_written_and_read_alike(currency: str, habit: str) -> None:
    field = Pairs(of_numbers=False, digits=DIGITS[currency])
    amounts = {"straight": 1_234_567, "red": 5}
    assert field.clean(field.prepare_value(amounts)) == amounts
    assert field.clean(f"straight: {formats.money(1_234_567, currency)}") == {"straight": 1_234_567}
    for text in PASTED:
        with pytest.raises(ValidationError):
            field.clean(f"straight: {text}")


@pytest.mark.parametrize("currency", CURRENCIES)
def test_the_worth_of_a_piece_is_an_amount(currency: str, habit: str) -> None:
    field = Pieces(digits=DIGITS[currency], currency=currency)
    for minor in (5, 500, 1_234_567):
        for worth in (formats.money(minor, currency), formats.typed_decimal(minor, DIGITS[currency])):
            assert field.clean(sent(field, worth)) == {minor: 3}
    for worth in PASTED:
        with pytest.raises(ValidationError):
            field.clean(sent(field, worth))


def sent(field: forms.Field, worth: str) -> Any:
    """Return the data that a browser sends of a row with three chips of this denomination."""
    data: Any = {"chips-0-worth": worth, "chips-0-number": "3"}
    assert isinstance(field.widget, Tray)
    return field.widget.value_from_datadict(data, {}, "chips")
