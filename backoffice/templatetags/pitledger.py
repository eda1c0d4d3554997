"""Template tags for figures: money, rates, times, links to the log. Signs are written in words, never by colour
alone."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from backoffice.event_log.event_log_address import events_url
from backoffice.kit.due_action_and_link_structs import DueAction
from backoffice.kit.form_address_and_permission import ActionForms, may_send
from backoffice.people import staff_list_and_name_lookup
from backoffice.wording import amounts_in_legacy_sentences, code_to_word_translation, formats
from backoffice.wording.svg_chart_geometry import Spot
from events.rules import loading_and_pinning_rulesets
from events.runtime import clock

register = template.Library()
register.filter("status", code_to_word_translation.status)

Context = Mapping[str, Any]


def _currency(context: Context, currency: str) -> str:
    """Return the currency of an amount: the given one, or the one of the page's part ("currency")."""
    return currency or str(context.get("currency") or "")


def _unknown() -> SafeString:
    return format_html('<span class="none" title="{}">{}</span>', _("not available yet"), formats.NOTHING)


def _data(value: int, text: str, currency: str, fraction: str = "") -> SafeString:
    tail = format_html('<span class="fraction">{}</span>', fraction) if fraction else ""
    before, after = (_unit(part) for part in (formats.currency_affixes(currency) if currency else ("", "")))
    return format_html('<data class="money" value="{}">{}{}{}{}</data>', value, before, text, tail, after)


def _unit(unit: str) -> SafeString | str:
    """A currency beside its amount, in small. Spaces stay outside: no amount is broken over lines."""
    sign = unit.strip()
    return format_html(unit.replace(sign, '<span class="cur">{}</span>').replace("\u00a0", " "), sign) if sign else ""


def _sign_word(amount: int) -> str:
    """Return the word beside the house's win."""
    if not amount:
        return pgettext("win of the house", "even")
    return pgettext("win of the house", "won") if amount > 0 else pgettext("win of the house", "lost")


@register.simple_tag(takes_context=True)
def money(context: Context, amount_minor: int | None, currency: str = "") -> SafeString:
    """An amount with its currency, "1,234.50 EUR"; without a currency the number alone; None is a dash."""
    if amount_minor is None:
        return _unknown()
    return _data(amount_minor, formats.money(amount_minor, _currency(context, currency)), currency)


@register.simple_tag(takes_context=True)
def micro(context: Context, amount_micro: int | None, currency: str = "") -> SafeString:
    """Millionths of a minor unit, exactly: the whole minor units large, the fraction small."""
    if amount_micro is None:
        return _unknown()
    whole, fraction = formats.split_micro_amount(amount_micro, _currency(context, currency))
    return _data(amount_micro, whole, currency, fraction)


@register.simple_tag(takes_context=True)
def counted(context: Context, amount: int | None, unit: str = "minor") -> SafeString:
    """Write a term of a total by its unit: an amount, millionths of a minor unit, or a number."""
    if unit == "count" and amount is not None:
        return _data(amount, formats.number(amount), "")
    return micro(context, amount) if unit == "micro" else money(context, amount)


@register.simple_tag(takes_context=True)
def metered(context: Context, key: str, name: str, meter: str, amount: int, unit: str = "minor") -> SafeString:
    """A figure of a level's meter ("PROGRESSIVE/LEVEL"), with the way to the events that sum to it; 0 does not have
    one."""
    if not amount:
        return counted(context, amount, unit)
    url = events_url(sum=name, meter=meter)
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
    word = _sign_word(amount_minor)
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


register.filter("percent", formats.percent)
register.filter("hold", formats.hold)
register.filter("permille", formats.permille)
register.filter("count", formats.number)
register.filter("amount", formats.rounded)
register.filter("in_currency", amounts_in_legacy_sentences.in_currency)
register.filter("written", formats.money)


@register.filter
def slip_status(word: str) -> str:
    """Return the status of a slip in words."""
    return {"open": pgettext("not settled", "open"), "received": _("received"), "void": _("void")}.get(word, word)


@register.filter
def hit_state(word: str) -> str:
    """The colour of a hit's status."""
    return {"pending": "amber", "locked": "gold", "authorised": "gold", "paid": "green", "refused": "red"}.get(
        word, "grey"
    )


@register.filter
def age(moment: datetime | None) -> str:
    """Return the time since then: "3 s", "5 min", "2 h", "4 d"."""
    if moment is None:
        return formats.NOTHING
    return lasting((clock.moment() - moment).total_seconds())


@register.filter
def has_age(moment: datetime | None) -> bool:
    """Return whether the page can show the time since then. A demo house has a simulated clock, which may run
    faster than the browser's."""
    return moment is not None and clock.house_clock() is clock.machine


@register.filter
def seconds(moment: datetime) -> int:
    """Return the seconds since then by the house's clock; the page counts on by itself."""
    return max(0, int((clock.moment() - moment).total_seconds()))


@register.filter
def apart(time_s: int) -> str:
    """Return the difference of two clocks: "4:15", "1:04:15"."""
    minutes, seconds_left = divmod(abs(time_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds_left:02d}" if hours else f"{minutes}:{seconds_left:02d}"


@register.filter
def lasting(time_s: float) -> str:
    """A span of time, in its largest unit."""
    whole = max(0, int(time_s))
    if whole < 60:
        return _("%d s") % whole
    if whole < 3600:
        return _("%d min") % (whole // 60)
    if whole < 2 * 86400:
        return _("%d h") % (whole // 3600)
    return _("%d d") % (whole // 86400)


@register.simple_tag
def habit(currency: str) -> SafeString:
    """Return the format of amounts in this currency for scripts, as attributes of an element."""
    own = formats.habit()
    words = 'data-exponent="{}" data-group="{}" data-point="{}" data-last="{}" data-others="{}"'
    return format_html(words, formats.exponent(currency), own.group, own.point, own.last, own.others)


register.simple_tag(formats.zone)


@register.simple_tag
def at(moment: datetime | str | None, form: str = "time") -> SafeString:
    """A moment on the property's clock: its "time", with the day ("short"), the whole date and the zone ("full").

    All of it is in the tooltip, in UTC.
    """
    if isinstance(moment, str):  # as events write it
        moment = datetime.fromisoformat(moment) if moment else None
    if moment is None:
        return _unknown()
    exact = formats.exact(moment)
    title = f"{exact[:-1].replace('T', ' ')} UTC"
    return format_html('<time datetime="{}" title="{}">{}</time>', exact, title, formats.moment_text(moment, form))


@register.simple_tag
def spot(value: Spot, currency: str, as_win: object = "") -> str:
    """Return a value of a chart in words: time, cause and amount (`as_win`: won or lost)."""
    amount = formats.money(abs(value.value) if as_win else value.value, currency)
    word = _sign_word(value.value) if as_win else ""
    return f"{formats.moment_text(value.time, 'time')}, {value.label}: {amount} {word}".rstrip()


@register.simple_tag
def spots(values: Sequence[Spot], currency: str, as_win: object = "") -> SafeString:
    """List all values of a chart, each with its link. A chart has hundreds: a template would take five times as
    long."""
    each = ((value.x, value.url, spot(value, currency, as_win)) for value in values)
    return format_html_join("\n", '<li><a data-x="{}" href="{}">{}</a></li>', each)


@register.simple_tag
def curl(do: DueAction, base: str) -> str:
    """The command that sends an action; $BADGE is the sender's."""
    where = f"{base}api/v1/{quote(do.to)}/actions{'?' if do.query else ''}{do.query}"
    return f'curl -s {shlex.quote(where)} -H "Authorization: Bearer $BADGE" \\\n  -d {shlex.quote(do.body)}'


@register.simple_tag(takes_context=True)
def person(context: Context, id_: str) -> SafeString | str:
    """Write a person: the name for readers who may know it, with the id in the tooltip; else the id."""
    name = _names(context).get(id_)
    return format_html('<span class="person" title="{}">{}</span>', id_, name) if name else id_


@register.simple_tag
def device(devices: Iterable[Any], id_: str) -> SafeString | str:
    """Write a device: its name among these, with the id in the tooltip; else the id."""
    name = next((row.name for row in devices if row.device == id_), "")
    return format_html('<span title="{}">{}</span>', id_, name) if name else id_


def _names(context: Context) -> Mapping[str, str]:
    """Return people's names by id, for this reader. One query for each page."""
    if (reader := context.get("reader")) is None:
        return {}
    cache: dict[str, Any] = context["request"].__dict__
    if "names" not in cache:
        cache["names"] = staff_list_and_name_lookup.names_for(reader)
    names: Mapping[str, str] = cache["names"]
    return names


@register.simple_tag
def ruleset(stamp: str) -> SafeString | str:
    """Return a ruleset's title with name@version in the tooltip; its stamp if it has no title here."""
    title = loading_and_pinning_rulesets.title_of(stamp)
    return format_html('<span class="rules" title="{}">{}</span>', stamp, _(title)) if title else stamp


@register.simple_tag(takes_context=True)
def form_url(context: Context, do: DueAction) -> str:
    """Return the form of a due action, filled in with known values; "" for a person who may not send it."""
    reader = context.get("reader")
    if reader is None or not may_send(reader, do.kind, do.type) or not has_form(context, do):
        return ""
    forms: ActionForms = context["action_forms"]
    return forms.url(do, back=reverse(context["page"].name, kwargs=dict(context["places"])))


@register.simple_tag(takes_context=True)
def has_form(context: Context, do: DueAction) -> bool:
    """Return whether people can send the action from a page."""
    forms: ActionForms = context["action_forms"]
    return forms.has_form(do)


@register.simple_tag
def events(**filters: object) -> str:
    """Return the address of the log, filtered. Empty filters are left out."""
    return events_url(**{name: value for name, value in filters.items() if value not in (None, "")})


@register.filter
def table_url(table: str, gaming_day: str) -> str:
    """Return the address of a table's gaming day."""
    return f"/tables/{quote(table, safe='')}/{quote(gaming_day, safe='')}"


register.filter("word", code_to_word_translation.word)
register.filter("words", code_to_word_translation.code_words)


@register.simple_tag
def wager(code: str, stamp: str) -> SafeString:
    """A kind of bet as the table's game calls it, its code in the tooltip."""
    return format_html(
        '<span class="wager" title="{}">{}</span>', code, code_to_word_translation.word(code, "wager", stamp)
    )


@register.simple_tag(takes_context=True)
def setting(context: Context, value: int | None, unit: str, currency: str) -> SafeString | str:
    """Return a setting's value by its unit, with a word for no cap."""
    if value is None:
        return _("no cap")
    if unit == "rate":
        return formats.percent(value)
    return micro(context, value) if unit == "micro" else money(context, value, currency)


@register.filter
def place(stream: str) -> str:
    """A stream without its property: "progressives/blazing"; with the number of a round where one is named."""
    stream, _round, number = stream.partition(" round ")
    where = stream.partition("/")[2] or stream
    return _("%(where)s, round %(number)s") % {"where": where, "number": number} if number else where


@register.filter
def piles(chips: dict[int, int]) -> list[tuple[int, int, int]]:
    """Return a float by denomination: (value of a chip, number, total value), highest first."""
    return [(value, chips[value], value * chips[value]) for value in sorted(chips, reverse=True)]


@register.filter
def is_red(card: str) -> bool:
    """Return whether a card is a heart or a diamond."""
    return card[-1:] in "♥♦"
