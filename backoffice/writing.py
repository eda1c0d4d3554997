"""How amounts, numbers and times are written, everywhere: pages, paper, sheets, terminal.

Digits by ISO 4217, separators by Babel, times in UTC.

Amounts are in minor units, which are hundredths of a euro, but whole yen and thousandths of a dinar.
"""

from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from functools import cache

from babel import Locale
from babel.numbers import NumberPattern, parse_pattern
from iso4217 import Currency

MICRO = 1_000_000
ZONE: tzinfo = UTC
LOCALE = Locale("en")
NOTHING = "–"
MINUS = "−"  # as wide as a plus


@cache
def exponent(currency: str) -> int:
    """How many digits the currency's minor unit stands for: 2 for most, also for what is no currency."""
    try:
        found = Currency(currency).exponent
    except ValueError:
        return 2
    return 2 if found is None else found


@cache
def _pattern(digits: int) -> NumberPattern:
    return parse_pattern("#,##0" + ("." + "0" * digits if digits else ""))


def _apply(value: Decimal, digits: int) -> str:
    text: str = _pattern(digits).apply(abs(value), LOCALE)
    return f"{MINUS}{text}" if value < 0 else text


def number(value: int | None) -> str:
    """A whole number with separators: "12,345"; a dash for what is not known."""
    return NOTHING if value is None else _apply(Decimal(value), 0)


def money(minor: int | None, currency: str) -> str:
    """Minor units as people write them: money(-123450, "EUR") == "−1,234.50", money(12345, "JPY") == "12,345"."""
    if minor is None:
        return NOTHING
    digits = exponent(currency)
    return _apply(Decimal(minor).scaleb(-digits), digits)


def micro(amount: int | None, currency: str) -> str:
    """Millionths of a minor unit, exactly: micro(123450001250, "EUR") == "1,234.5000125"."""
    return NOTHING if amount is None else "".join(parts(amount, currency))


def parts(amount_micro: int, currency: str) -> tuple[str, str]:
    """Millionths of a minor unit as the whole minor units and what is left of one: ("1,234.50", "00125")."""
    whole, rest = divmod(abs(amount_micro), MICRO)
    fraction = f"{rest:06d}".rstrip("0")
    point = "." if fraction and not exponent(currency) else ""
    return (MINUS if amount_micro < 0 else "") + money(whole, currency), point + fraction


def rounded(minor: int, currency: str) -> str:
    """An amount without its fraction where that is zero: for the axes of charts."""
    digits = exponent(currency)
    return money(minor, currency) if minor % 10**digits else _apply(Decimal(minor // 10**digits), 0)


def percent(millionths: int | None) -> str:
    """A rate in millionths as a percentage: "17.5 %"."""
    if millionths is None:
        return NOTHING
    text = f"{Decimal(millionths).scaleb(-4):f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def permille(value: int | None) -> str:
    """Tenths of a percent as a percentage: "−2.7 %"."""
    return NOTHING if value is None else f"{_apply(Decimal(value).scaleb(-1), 1)} %"


_FORMS = {"time": "%H:%M:%S", "short": "%m-%d %H:%M:%S", "full": "%Y-%m-%d %H:%M:%S"}


def at(moment: datetime, form: str) -> str:
    """A moment as people read it: its "time", with the day ("short") or the whole date ("full")."""
    return moment.astimezone(ZONE).strftime(_FORMS[form])


def exact(moment: datetime) -> str:
    """A moment as events write it: UTC, to the millisecond, "Z"."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def stamp(moment: datetime) -> str:
    """A moment on a sheet, with its distance from UTC: "2026-11-20T22:59:07+00:00"."""
    return moment.astimezone(ZONE).isoformat(timespec="seconds")


def plain(text: str) -> str:
    """The same for a terminal, whose programs read a hyphen as a minus and a dash."""
    return text.replace(MINUS, "-").replace(NOTHING, "-")
