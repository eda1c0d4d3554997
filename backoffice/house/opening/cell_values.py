"""Values of cells: an amount, a number, a rate, a day, an id. Raises CellError with a code and its parameters.

Amounts have the forms of Greek, Turkish, Russian and English spreadsheets: `1234,50`, `1.234,50`, `1 234,50` and
`1,234.50`. One separator with three digits after it may be either sign, so it is refused rather than guessed.
"""

import re
from datetime import date

from events.error_codes import ErrorText, coded
from events.fields import MONEY_MAX
from events.money.single_currency_rule import minor_digits

_SPACES = str.maketrans("", "", " \u00a0\u202f\u2009'\u2019")
_SIGNS = str.maketrans("\u2212\u2013", "--")
_NUMBER = re.compile(r"(-?)([0-9][0-9.,]*)")
_DAY = re.compile(r"([12][0-9]{3})-([0-9]{1,2})-([0-9]{1,2})")
_LOCAL_DAY = re.compile(r"([0-9]{1,2})[./]([0-9]{1,2})[./]([12][0-9]{3})")
_MONTH = re.compile(r"([12][0-9]{3})-([0-9]{1,2})")
_LOCAL_MONTH = re.compile(r"([0-9]{1,2})[./]([12][0-9]{3})")
RATE = 1_000_000
PIECES_MAX = 1_000_000  # chips of one denomination


class CellError(ValueError):
    """A cell has no such value. `text` is the code of the fault with its parameters."""

    def __init__(self, text: ErrorText) -> None:
        super().__init__(text)
        self.text = text


def amount(text: str, currency: str) -> int:
    """Return minor units of the currency; below zero with a minus. Raises CellError."""
    places = minor_digits(currency)
    sign, whole, part = _number_parts(text, currency, places)
    part = part.rstrip("0")
    if len(part) > places:
        raise CellError(coded("amount-decimals", text=text, decimals=len(part), currency=currency, places=places))
    minor = int(f"{sign}{whole}{part.ljust(places, '0')}")
    if abs(minor) > MONEY_MAX:
        most = str(MONEY_MAX // 10**places)
        raise CellError(coded("amount-too-high", text=text, most=most, currency=currency))
    return minor


def positive(text: str, currency: str) -> int:
    """Return an amount over zero, in minor units. Raises CellError."""
    if (minor := amount(text, currency)) <= 0:
        raise CellError(coded("import-amount-not-positive", text=text))
    return minor


def not_below_zero(text: str, currency: str) -> int:
    """Return an amount of zero or more, in minor units. Raises CellError."""
    if (minor := amount(text, currency)) < 0:
        raise CellError(coded("import-amount-negative", text=text))
    return minor


def chip_count(text: str) -> int:
    """Return a number of chips. Raises CellError."""
    sign, whole, part = _number_parts(text, "", 0)
    if sign or part.rstrip("0"):
        raise CellError(coded("not-a-whole-number", text=text))
    if int(whole) > PIECES_MAX:
        raise CellError(coded("import-pieces-most", text=text, most=PIECES_MAX))
    return int(whole)


def rate(text: str) -> int:
    """Return millionths of a stake, from per cent. Raises CellError."""
    number = text.translate(_SPACES).removesuffix("%").replace(",", ".")
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,4})?", number):
        raise CellError(coded("import-rate", text=text))
    whole, _, part = number.partition(".")
    millionths = int(whole) * 10_000 + int(part.ljust(4, "0") or "0")
    if millionths > RATE:
        raise CellError(coded("import-rate-most", text=text))
    return millionths


def day(text: str) -> str:
    """Return a calendar day as 2026-12-01; 01.12.2026 and 01/12/2026 are the same day. Raises CellError."""
    if match := _DAY.fullmatch(text):
        year, month, number = map(int, match.groups())
    elif match := _LOCAL_DAY.fullmatch(text):
        number, month, year = map(int, match.groups())
        if "/" in text and number <= 12 and number != month:
            raise CellError(coded("import-day-ambiguous", text=text))
    else:
        raise CellError(coded("import-day", text=text))
    try:
        return date(year, month, number).isoformat()
    except ValueError:
        raise CellError(coded("import-day", text=text)) from None


def month(text: str) -> str:
    """Return a month as 2025-11; 11.2025 and 11/2025 are the same month. Raises CellError."""
    if match := _MONTH.fullmatch(text):
        year, number = map(int, match.groups())
    elif match := _LOCAL_MONTH.fullmatch(text):
        number, year = map(int, match.groups())
    else:
        raise CellError(coded("month-format", month=text))
    if not 1 <= number <= 12:
        raise CellError(coded("month-format", month=text))
    return f"{year}-{number:02d}"


def _number_parts(text: str, currency: str, places: int) -> tuple[str, str, str]:
    """Sign, digits before and digits behind the decimal sign."""
    plain = text.translate(_SPACES).translate(_SIGNS)
    plain = plain.removeprefix(currency).removesuffix(currency) if currency else plain
    if (match := _NUMBER.fullmatch(plain)) is None:
        raise CellError(coded("amount-format", text=text, example=_example(places)))
    sign, number = match.groups()
    decimal = _decimal_sign(text, number, places)
    whole, _, part = number.partition(decimal) if decimal else (number, "", "")
    groups = re.split(r"[.,]", whole)
    is_mixed = len(set(whole) & {".", ","}) > 1
    if is_mixed or (len(groups) > 1 and (len(groups[0]) > 3 or any(len(group) != 3 for group in groups[1:]))):
        raise CellError(coded("amount-format", text=text, example=_example(places)))
    digits = "".join(groups)
    if not digits or not digits.isascii() or len(digits) > 18 or not (part.isdecimal() or not part):
        raise CellError(coded("amount-format", text=text, example=_example(places)))
    return sign, digits, part


def _decimal_sign(text: str, number: str, places: int) -> str:
    """The decimal sign of a number; "" where it does not have one. Raises CellError where it may be either."""
    last = max(number.rfind("."), number.rfind(","))
    if last < 0:
        return ""
    sign = number[last]
    head = number[:last]
    if sign in head:  # it groups thousands
        return ""
    if any(mark in head for mark in ".,"):
        return sign
    if len(number) - last - 1 == 3 and places != 3 and len(head) <= 3 and head != "0":
        raise CellError(coded("import-amount-ambiguous", text=text, plain=f"{head}{number[last + 1 :]}"))
    return sign


def _example(places: int) -> str:
    return "1234" if not places else f"1234.{'5'.ljust(places, '0')}"
