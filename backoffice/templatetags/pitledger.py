"""How figures are written: money, rates, times, links to the log. Signs are said in words, never by colour alone."""

import shlex
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from backoffice import links, writing
from backoffice.queries.matters import Do
from events import clock

register = template.Library()

Context = Mapping[str, Any]


def _currency(context: Context, given: str) -> str:
    """Whose digits an amount has: the currency that stands beside it, or the one of the page's part ("currency")."""
    return given or str(context.get("currency") or "")


def _unknown() -> SafeString:
    return format_html('<span class="none" title="{}">{}</span>', _("not known yet"), writing.NOTHING)


def _data(value: int, text: str, currency: str, fraction: str = "") -> SafeString:
    tail = format_html('<span class="fraction">{}</span>', fraction) if fraction else ""
    unit = format_html(' <span class="cur">{}</span>', currency) if currency else ""
    return format_html('<data class="money" value="{}">{}{}{}</data>', value, text, tail, unit)


@register.simple_tag(takes_context=True)
def money(context: Context, amount_minor: int | None, currency: str = "") -> SafeString:
    """An amount with its currency, "1,234.50 EUR"; without a currency the number alone; None is a dash."""
    if amount_minor is None:
        return _unknown()
    return _data(amount_minor, writing.money(amount_minor, _currency(context, currency)), currency)


@register.simple_tag(takes_context=True)
def micro(context: Context, amount_micro: int | None, currency: str = "") -> SafeString:
    """Millionths of a minor unit, exactly: the whole minor units large, the fraction small."""
    if amount_micro is None:
        return _unknown()
    whole, fraction = writing.parts(amount_micro, _currency(context, currency))
    return _data(amount_micro, whole, currency, fraction)


@register.simple_tag(takes_context=True)
def counted(context: Context, amount: int | None, unit: str = "minor") -> SafeString:
    """What counts in a sum, by its unit: an amount, millionths of a minor unit, or how many."""
    if unit == "count" and amount is not None:
        return _data(amount, writing.number(amount), "")
    return micro(context, amount) if unit == "micro" else money(context, amount)


@register.simple_tag(takes_context=True)
def metered(context: Context, key: str, name: str, meter: str, amount: int, unit: str = "minor") -> SafeString:
    """A figure of a level's meter ("PROGRESSIVE/LEVEL"), with the way to the events that sum to it; 0 has none."""
    if not amount:
        return counted(context, amount, unit)
    url = links.events_url(sum=name, meter=meter)
    return format_html('<a class="fig" id="{}" href="{}">{}</a>', key, url, counted(context, amount, unit))


def _with_word(context: Context, amount_minor: int, currency: str, word: str) -> SafeString:
    number = money(context, abs(amount_minor), currency)
    return format_html(
        '<span class="signed {}">{} <span class="word">{}</span></span>', _kind(amount_minor), number, word
    )


@register.simple_tag(takes_context=True)
def win(context: Context, amount_minor: int | None, currency: str = "") -> SafeString:
    """The house's win: "1,234.50 won" or "1,234.50 lost"."""
    if amount_minor is None:
        return _unknown()
    word = _("won") if amount_minor > 0 else _("lost") if amount_minor else _("even")
    return _with_word(context, amount_minor, currency, word)


@register.simple_tag(takes_context=True)
def difference(context: Context, amount_minor: int | None, currency: str = "") -> SafeString:
    """A difference: "1.00 over" or "1.00 short"."""
    if amount_minor is None:
        return format_html('<span class="word">{}</span>', _("not yet"))
    if amount_minor == 0:
        return money(context, 0, currency)
    return _with_word(context, amount_minor, currency, _("over") if amount_minor > 0 else _("short"))


def _kind(amount_minor: int) -> str:
    return "plus" if amount_minor > 0 else "minus" if amount_minor else "zero"


register.filter("percent", writing.percent)
register.filter("permille", writing.permille)
register.filter("count", writing.number)
register.filter("amount", writing.rounded)
register.filter("exponent", writing.exponent)
register.filter("written", writing.money)


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
        return writing.NOTHING
    return lasting((clock.moment() - moment).total_seconds())


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


@register.simple_tag
def at(moment: datetime | None, form: str = "time") -> SafeString:
    """A moment: its "time", with the day ("short") or the whole date ("full"); all of it in the tooltip."""
    if moment is None:
        return _unknown()
    exact = writing.exact(moment)
    title = f"{exact[:-1].replace('T', ' ')} UTC"
    return format_html('<time datetime="{}" title="{}">{}</time>', exact, title, writing.at(moment, form))


@register.simple_tag
def curl(do: Do, base: str) -> str:
    """The command that sends an action; $BADGE is the sender's."""
    where = f"{base}api/v1/{quote(do.to)}/actions{'?' if do.query else ''}{do.query}"
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


@register.simple_tag(takes_context=True)
def setting(context: Context, value: int | None, unit: str, currency: str) -> SafeString | str:
    """A setting's value by its unit; None is none."""
    if value is None:
        return _("none")
    if unit == "rate":
        return writing.percent(value)
    return micro(context, value) if unit == "micro" else money(context, value, currency)


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
