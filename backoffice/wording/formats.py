"""Formats of amounts, numbers and times, everywhere: pages, paper, CSV, terminal.

Digits by ISO 4217, separators and the currency's place by the property's example (`PITLEDGER_MONEY`), times on the
property's clock (`PITLEDGER_TIME_ZONE`).

Amounts are in minor units, which are hundredths of a euro, but whole yen and thousandths of a dinar.
"""

import re
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache

import msgspec
from babel import Locale
from babel.numbers import get_currency_symbol
from django.conf import settings
from django.utils import timezone

MICRO = 1_000_000
SYMBOLS = Locale("en")  # "€", "US$": one sign a currency, whatever the language
NOTHING = "–"
MINUS = "−"  # as wide as a plus
_CLOSE = "\u00a0"  # a space at which no amount is broken over lines


class MoneyFormat(msgspec.Struct, frozen=True):
    """The property's format of money: the separators of groups and of the fraction, and the text around the number.

    `last`: the digits of the group before the fraction; `others`: of the groups before it.
    """

    group: str
    point: str
    before: str
    after: str
    last: int = 3
    others: int = 3

    def grouped(self, digits: str) -> str:
        """Return the digits of a whole number in groups."""
        head, groups = digits[: -self.last], [digits[-self.last :]]
        while head:
            head, part = head[: -self.others], head[-self.others :]
            groups.insert(0, part)
        return self.group.join(groups)

    @property
    def whole(self) -> str:
        """Return the pattern of a whole number, with or without groups."""
        sign = re.escape(self.group) or "(?!)"
        return rf"(?:\d+|\d{{1,{self.others}}}(?:{sign}\d{{{self.others}}})*{sign}\d{{{self.last}}})"


@cache
def read_habit(example: str) -> MoneyFormat:
    """Return the format by an example: "1,234.50 EUR" is the default, "€1.234,50" and "€12,34,567.50" are others."""
    match = re.search(r"1[\d,.'’\u00a0]*?(\D?)(\d+)(\D)50", example.replace(" ", _CLOSE))
    if match is None:
        raise ValueError(f"no example of an amount: {example!r}")
    group, last, point = match.groups()
    before, after = match.string[: match.start()], match.string[match.end() :]
    if not group:
        return MoneyFormat("", point, before, after)
    groups = match[0].removesuffix(f"{point}50").split(group)
    return MoneyFormat(group, point, before, after, len(last), len(groups[-2]) if len(groups) > 2 else len(last))


def habit() -> MoneyFormat:
    """Return the format of this house."""
    return read_habit(settings.PITLEDGER_MONEY)


@cache
def exponent(currency: str) -> int:
    """Return how many digits the minor unit of a currency has, by ISO 4217; 2 for a code that is withdrawn.

    Raises ValueError where no currency is named: an amount without one is neither written nor read.
    """
    if not currency:
        raise ValueError("an amount has no currency: name the one that it is in")
    from iso4217 import Currency  # here: it parses the whole standard, which JSON and counts do not need

    try:
        digits = Currency(currency).exponent
    except ValueError:
        return 2
    return 2 if digits is None else digits


def _apply(value: Decimal, digits: int) -> str:
    own = habit()
    whole, _, fraction = f"{abs(value):.{digits}f}".partition(".")
    text = own.grouped(whole) + (own.point + fraction if fraction else "")
    return f"{MINUS}{text}" if value < 0 else text


def number(value: int | None) -> str:
    """Return a whole number with separators: "12,345"; a dash for an unknown one."""
    return NOTHING if value is None else _apply(Decimal(value), 0)


def decimal(value: float, digits: int) -> str:
    """Return a number with so many decimals: "1,234.5"."""
    return _apply(Decimal(str(round(value, digits))), digits)


def money(minor: int | None, currency: str) -> str:
    """Minor units as people write them: money(-123450, "EUR") == "−1,234.50", money(12345, "JPY") == "12,345"."""
    if minor is None:
        return NOTHING
    digits = exponent(currency)
    return _apply(Decimal(minor).scaleb(-digits), digits)


def currency_affixes(currency: str) -> tuple[str, str]:
    """Return the text before and after an amount of this currency: its code or its sign, on one of the two sides."""
    exponent(currency)  # the total of an empty list is 0
    own = habit()
    return _unit(own.before, currency), _unit(own.after, currency)


@cache
def _unit(place: str, currency: str) -> str:
    code = place.strip()
    return place.replace(code, currency if code == "EUR" else get_currency_symbol(currency, SYMBOLS)) if code else ""


def amount(minor: int | None, currency: str) -> str:
    """Money with its currency, "1,234.50 EUR": for sentences."""
    return with_currency(money(minor, currency), currency)


def with_currency(text: str, currency: str) -> str:
    """An amount that is written already, with its currency."""
    before, after = currency_affixes(currency)
    return f"{before}{text}{after}"


def micro(amount: int | None, currency: str) -> str:
    """Millionths of a minor unit, exactly: micro(123450001250, "EUR") == "1,234.5000125"."""
    return NOTHING if amount is None else "".join(split_micro_amount(amount, currency))


def split_micro_amount(amount_micro: int, currency: str) -> tuple[str, str]:
    """Return millionths of a minor unit as whole minor units and the remainder: ("1,234.50", "00125")."""
    whole, remainder = divmod(abs(amount_micro), MICRO)
    fraction = f"{remainder:06d}".rstrip("0")
    point = habit().point if fraction and not exponent(currency) else ""
    return (MINUS if amount_micro < 0 else "") + money(whole, currency), point + fraction


def typed_decimal(whole: int, digits: int) -> str:
    """A number with so many decimals as a person types it: without separators of thousands."""
    return f"{Decimal(whole).scaleb(-digits):f}".replace(".", habit().point)


def read(text: str) -> Decimal | None:
    """Parse a number that a person typed, "1,250.50" or "1250.50" where the property writes so; None if it is
    ambiguous."""
    own, trimmed = habit(), text.strip().replace(MINUS, "-").replace(" ", _CLOSE)
    if not re.fullmatch(
        rf"-?(?:{own.whole}(?:{re.escape(own.point)}\d*)?|{re.escape(own.point)}\d+)", trimmed, re.ASCII
    ):
        return None
    return Decimal((trimmed.replace(own.group, "") if own.group else trimmed).replace(own.point, "."))


def rounded(minor: int, currency: str) -> str:
    """An amount without its fraction where that is zero: for the axes of charts."""
    digits = exponent(currency)
    return money(minor, currency) if minor % 10**digits else _apply(Decimal(minor // 10**digits), 0)


def percent(millionths: int | None) -> str:
    """A rate in millionths as a percentage: "17.5 %"."""
    if millionths is None:
        return NOTHING
    text = f"{Decimal(millionths).scaleb(-4):f}"
    trimmed = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{trimmed} %".replace(".", habit().point).replace("-", MINUS)


def hold(millionths: int | None) -> str:
    """A share in millionths as a percentage in two digits, so that those below each other line up: "−3.20 %"."""
    return NOTHING if millionths is None else f"{_apply(Decimal(millionths).scaleb(-4), 2)} %"


def permille(value: int | None) -> str:
    """Tenths of a percent as a percentage: "−2.7 %"."""
    return NOTHING if value is None else f"{_apply(Decimal(value).scaleb(-1), 1)} %"


_FORMS = {
    "minute": "%H:%M{}",
    "day": "%m-%d",
    "time": "%H:%M:%S{}",
    "short": "%m-%d %H:%M:%S{}",
    "full": "%Y-%m-%d %H:%M:%S{} %Z",
}


def zone() -> str:
    """The property's time zone: "Europe/Athens", "UTC"."""
    return timezone.get_default_timezone_name()


def ahead_s(moment: datetime) -> float:
    """Return by how many seconds the property's clock is ahead of UTC at this moment."""
    ahead = moment.astimezone(timezone.get_default_timezone()).utcoffset()
    return ahead.total_seconds() if ahead else 0.0


def moment_text(moment: datetime, form: str) -> str:
    """A moment as people read it: its "time", with the day ("short"), or the whole date and the zone ("full").

    Where clocks show the same twice, as they are set back, it has its distance from UTC: "03:40:00+03:00".
    """
    local = moment.astimezone(timezone.get_default_timezone())
    return local.strftime(_FORMS[form]).format(offset(local) if is_repeated(local) else "")


def is_repeated(local: datetime) -> bool:
    """Return whether clocks in its zone show this time twice."""
    return local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()


def offset(local: datetime) -> str:
    """Its distance from UTC: "+03:00"."""
    return local.isoformat(timespec="seconds")[19:]


def exact(moment: datetime) -> str:
    """A moment as events write it: UTC, to the millisecond, "Z"."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def stamp(moment: datetime) -> str:
    """A moment on a sheet, with its distance from UTC: "2026-11-20T22:59:07+00:00"."""
    return moment.astimezone(timezone.get_default_timezone()).isoformat(timespec="seconds")


def ascii_signs(text: str) -> str:
    """The same for a terminal, whose programs read a hyphen as a minus and a dash, and know one space."""
    return text.replace(MINUS, "-").replace(NOTHING, "-").replace(_CLOSE, " ")
