"""How figures are written: money, rates, times, links to the log. Signs are said in words, never by colour alone."""

import shlex
from datetime import UTC, datetime
from urllib.parse import quote

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from backoffice.pages import links
from backoffice.pages.queries.matters import Do

register = template.Library()

MICRO = 1_000_000
# Currencies whose minor unit is not a hundredth (ISO 4217).
EXPONENTS = {"BHD": 3, "IQD": 3, "ISK": 0, "JOD": 3, "JPY": 0, "KRW": 0, "KWD": 3, "OMR": 3, "TND": 3, "VND": 0}
MINUS = "−"


def written(amount_minor: int, currency: str = "EUR") -> str:
    """Minor units as people write them: written(-123450) == "−1,234.50"."""
    exponent = EXPONENTS.get(currency, 2)
    whole, part = divmod(abs(amount_minor), 10**exponent)
    sign = MINUS if amount_minor < 0 else ""
    return f"{sign}{whole:,}.{part:0{exponent}d}" if exponent else f"{sign}{whole:,}"


@register.simple_tag
def money(amount_minor: int | None, currency: str = "") -> SafeString:
    """An amount with its currency, "1,234.50 EUR"; without a currency the number alone; None is a dash."""
    if amount_minor is None:
        return format_html('<span class="none" title="{}">–</span>', _("not known yet"))
    text = written(amount_minor, currency or "EUR")
    unit = format_html(' <span class="cur">{}</span>', currency) if currency else ""
    return format_html('<data class="money" value="{}">{}{}</data>', amount_minor, text, unit)


@register.simple_tag
def micro(amount_micro: int | None, currency: str = "") -> SafeString:
    """Millionths of a minor unit, exactly: the whole minor units large, the fraction small."""
    if amount_micro is None:
        return money(None)
    whole, rest = divmod(abs(amount_micro), MICRO)
    sign = MINUS if amount_micro < 0 else ""
    fraction = f"{rest:06d}".rstrip("0")
    unit = format_html(' <span class="cur">{}</span>', currency) if currency else ""
    tail = format_html('<span class="fraction">{}</span>', fraction) if fraction else ""
    text = sign + written(whole, currency or "EUR")
    return format_html('<data class="money" value="{}">{}{}{}</data>', amount_micro, text, tail, unit)


@register.simple_tag
def counted(amount: int | None, unit: str = "minor") -> SafeString:
    """What counts in a sum, by its unit: an amount, millionths of a minor unit, or how many."""
    if unit == "count" and amount is not None:
        return format_html('<data class="money" value="{}">{}</data>', amount, f"{amount:,}")
    return micro(amount) if unit == "micro" else money(amount)


@register.simple_tag
def metered(key: str, name: str, meter: str, amount: int, unit: str = "minor") -> SafeString:
    """A figure of a level's meter ("PROGRESSIVE/LEVEL"), with the way to the events that sum to it; 0 has none."""
    if not amount:
        return counted(amount, unit)
    url = links.events_url(sum=name, meter=meter)
    return format_html('<a class="fig" id="{}" href="{}">{}</a>', key, url, counted(amount, unit))


def _with_word(amount_minor: int, currency: str, word: str, kind: str) -> SafeString:
    number = money(abs(amount_minor), currency)
    return format_html('<span class="signed {}">{} <span class="word">{}</span></span>', kind, number, word)


@register.simple_tag
def win(amount_minor: int | None, currency: str = "") -> SafeString:
    """The house's win: "1,234.50 won" or "1,234.50 lost"."""
    if amount_minor is None:
        return money(None)
    if amount_minor == 0:
        return _with_word(0, currency, _("even"), "zero")
    return _with_word(amount_minor, currency, _("won") if amount_minor > 0 else _("lost"), _kind(amount_minor))


@register.simple_tag
def difference(amount_minor: int | None, currency: str = "") -> SafeString:
    """A difference: "1.00 over" or "1.00 short"."""
    if amount_minor is None:
        return format_html('<span class="word">{}</span>', _("not yet"))
    if amount_minor == 0:
        return money(0, currency)
    return _with_word(amount_minor, currency, _("over") if amount_minor > 0 else _("short"), _kind(amount_minor))


def _kind(amount_minor: int) -> str:
    return "plus" if amount_minor > 0 else "minus"


@register.filter
def percent(millionths: int | None) -> str:
    """A rate in millionths as a percentage: "17.5 %"."""
    if millionths is None:
        return "–"
    text = f"{millionths / 10_000:.4f}".rstrip("0").rstrip(".")
    return f"{text} %"


@register.filter
def permille(value: int | None) -> str:
    """Tenths of a percent as a percentage: "−2.7 %"."""
    return "–" if value is None else f"{MINUS if value < 0 else ''}{abs(value) // 10}.{abs(value) % 10} %"


@register.filter
def count(value: int | None) -> str:
    """A whole number with separators."""
    return "–" if value is None else f"{value:,}"


@register.filter
def amount(amount_minor: int, currency: str) -> str:
    """An amount as plain text, without fractions where they are all zero: for the axes of charts."""
    text = written(amount_minor, currency or "EUR")
    return text.removesuffix(".00")


@register.filter
def exponent(currency: str) -> int:
    """How many digits the currency's minor unit stands for: 2 for most."""
    return EXPONENTS.get(currency, 2)


register.filter("written", written)


@register.filter
def status(word: str) -> str:
    """The status of a table or a hit, as people say it."""
    return {
        "new": _("new"),
        "open": _("open"),
        "closed": _("closed"),
        "counted": _("counted"),
        "pending": _("pending"),
        "locked": _("locked"),
        "authorised": _("authorised"),
        "paid": _("paid"),
        "void": _("void"),
        "refused": _("refused"),
    }.get(word, word)


@register.filter
def hit_state(word: str) -> str:
    """The colour of a hit's status."""
    return {"pending": "amber", "locked": "gold", "authorised": "gold", "paid": "green", "refused": "red"}.get(
        word, "grey"
    )


@register.filter
def age(moment: datetime | None) -> str:
    """How long ago: "3 s", "5 min", "2 h", "4 d"."""
    if moment is None:
        return "–"
    return lasting((datetime.now(UTC) - moment).total_seconds())


@register.filter
def lasting(time_s: float) -> str:
    """A span of time, in its largest unit."""
    seconds = max(0, int(time_s))
    if seconds < 60:
        return _("%d s") % seconds
    if seconds < 3600:
        return _("%d min") % (seconds // 60)
    if seconds < 2 * 86400:
        return _("%d h") % (seconds // 3600)
    return _("%d d") % (seconds // 86400)


_FORMS = {"time": "%H:%M:%S", "short": "%m-%d %H:%M:%S", "full": "%Y-%m-%d %H:%M:%S"}


@register.simple_tag
def at(moment: datetime | None, form: str = "time") -> SafeString:
    """A moment in UTC: its "time", with the day ("short") or the whole date ("full"); all of it in the tooltip."""
    if moment is None:
        return money(None)
    utc = moment.astimezone(UTC)
    text = utc.strftime(_FORMS[form])
    exact = utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return format_html('<time datetime="{}" title="{} UTC">{}</time>', exact, exact[:-1].replace("T", " "), text)


@register.simple_tag
def curl(do: Do, base: str) -> str:
    """The command that sends an action; $BADGE is the sender's."""
    where = f"{base}api/v1/{quote(do.to)}/actions"
    return f'curl -s {shlex.quote(where)} -H "Authorization: Bearer $BADGE" \\\n  -d {shlex.quote(do.body)}'


@register.simple_tag
def events(**given: object) -> str:
    """The address of the log, filtered. What is empty is left out."""
    return links.events_url(**{name: value for name, value in given.items() if value not in (None, "")})


@register.filter
def table_url(table: str, gaming_day: str) -> str:
    """The address of a table's gaming day."""
    return links.table_url(table, gaming_day)


@register.filter
def plain(event_type: str) -> str:
    """An event's type in words, without its version: "bet placed"."""
    return event_type.rpartition(".v")[0].replace(".", " ").replace("_", " ") or event_type


@register.filter
def plain_action(action: str) -> str:
    """An action's type in words: "change parameters"."""
    thing, _dot, deed = action.partition(".")
    return f"{deed} {thing}".replace("_", " ")


@register.filter
def reading(kind: str) -> str:
    """What accounting does at a sign, as people say it."""
    return {"reading": _("reading"), "test": _("increment test")}.get(kind, kind)


@register.simple_tag
def setting(value: int | None, unit: str, currency: str) -> SafeString | str:
    """A setting's value by its unit; None is none."""
    if value is None:
        return _("none")
    return percent(value) if unit == "rate" else micro(value) if unit == "micro" else money(value, currency)


@register.filter
def place(stream: str) -> str:
    """A stream without its property: "progressives/blazing"."""
    return stream.partition("/")[2] or stream


@register.filter
def piles(chips: dict[int, int]) -> list[tuple[int, int, int]]:
    """A float by denomination: (value of a chip, how many, what they are worth), highest first."""
    return [(value, chips[value], value * chips[value]) for value in sorted(chips, reverse=True)]


@register.filter
def is_red(card: str) -> bool:
    """Whether a card is a heart or a diamond."""
    return card[-1:] in "♥♦"
