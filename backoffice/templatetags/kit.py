"""The parts that pages are made of: figures with their way to the events, ledgers, particulars, sections.

Each is one tag, so that it looks and behaves the same on every page, and is changed in one place.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from backoffice.event_log.event_log_address import events_url
from backoffice.kit.form_address_and_permission import form_name
from backoffice.kit.page_declaration import Act
from backoffice.kit.unsent_forms import BACK
from backoffice.templatetags import pitledger as written
from backoffice.wording import formats

register = template.Library()
Context = dict[str, Any]


class PageEnds(Protocol):
    """The positions of the next and the earlier part of a list; None without one."""

    @property
    def before(self) -> int | None: ...
    @property
    def after(self) -> int | None: ...


# --- figures ------------------------------------------------------------------------------------------------------


_SHOWN: dict[str, Callable[[Mapping[str, Any], Any], SafeString | str]] = {
    "money": written.money,
    "micro": written.micro,
    "win": written.win,
    "difference": written.difference,
    "count": lambda _context, value: formats.number(value),
    "counted": lambda context, value: written.counted(context, value, "count"),
}


@register.simple_tag(takes_context=True)
def about(context: Context, *, are_sums: bool = True, **filters: object) -> str:
    """Set the filters of all figures that follow: `{% about table=t gaming_day=d %}`. Shows nothing.

    With `are_sums=False` figures with a `sum` are shown without a link.
    """
    context["about"], context["are_sums"] = filters, are_sums
    return ""


@register.simple_tag(takes_context=True)
def figure(
    context: Context, id_: str, value: int | None, shown: str = "money", *, is_linked: bool = True, **filters: object
) -> SafeString | str:
    """Return a figure with a link to its events: `{% figure "fills" h.fills sum='fills' %}`.

    `shown`: money, micro, win, difference, count or, with its value for programs, counted. Filters are those of the
    log, besides those in `about`; an empty one is left out. An unknown figure has no events. A figure that is not
    `is_linked` is no sum over the events of any filter.
    """
    text = _SHOWN[shown](context, value)
    has_events = is_linked and value is not None and (context.get("are_sums", True) or not filters.get("sum"))
    return _link(context, id_, text, filters) if has_events else text


@register.simple_block_tag(takes_context=True)
def figured(context: Context, content: str, id_: str, **filters: object) -> SafeString:
    """Link any content to its events: `{% figured "voided" type='round.voided.v1' %}3 void{% endfigured %}`."""
    return _link(context, id_, _inner(content), filters)


def _link(context: Context, id_: str, content: str, filters: Mapping[str, object]) -> SafeString:
    values = {**context.get("about", {}), **filters}
    url = events_url(**{name: value for name, value in values.items() if value not in (None, "")})
    return format_html('<a class="fig" id="{}" href="{}">{}</a>', id_, url, content)


def _inner(content: str) -> SafeString:
    """A block's content, which the templates have escaped, without the white space of its lines."""
    return SafeString(content.strip())  # strip() makes plain text of a safe string


# --- navigation ---------------------------------------------------------------------------------------------------


@register.simple_tag(takes_context=True)
def menu_entry(context: Context, name: str, words: str) -> SafeString:
    """A page in the navigation of the account, marked as current there and on the pages below it."""
    url = reverse(name)
    current = SafeString(' aria-current="page"') if context["request"].path.startswith(url) else ""
    return format_html('<li><a href="{}"{}>{}</a></li>', url, current, words)


# --- sections, particulars, ledgers --------------------------------------------------------------------------------


@register.simple_block_tag
def section(content: str, id_: str, title: str, note: str = "") -> SafeString:
    """A part of a page under its heading, with a few words with it."""
    note_html = format_html('<span class="note">{}</span>', note) if note else ""
    return format_html(
        '<section class="section" aria-labelledby="{0}"><header><h2 id="{0}">{1}</h2>{2}</header>\n{3}</section>',
        id_,
        title,
        note_html,
        content,
    )


@register.simple_block_tag
def particular(content: str, name: str) -> SafeString:
    """Return a name and its value, in a list of particulars."""
    return format_html("<div><dt>{}</dt><dd>{}</dd></div>", name, _inner(content))


@register.simple_block_tag
def entry(content: str, name: str, sign: str | None = None) -> SafeString:
    """Return a line of a ledger: its text, with its sign in the total, and the amount."""
    op = "" if sign is None else format_html('<span class="op">{}</span>', sign)
    return format_html('<tr><th scope="row">{}{}</th><td class="r">{}</td></tr>', op, name, _inner(content))


@register.simple_block_tag
def total(content: str, name: str, reason: str = "") -> SafeString:
    """The foot of a ledger."""
    why = format_html('<span class="reason">{}</span>', reason) if reason else ""
    return format_html('<div class="total"><div>{}{}</div><div class="r">{}</div></div>', name, why, _inner(content))


# --- tables -------------------------------------------------------------------------------------------------------


@register.simple_block_tag
def grid(content: str, label: str, kind: str = "") -> SafeString:
    """A table in a card of its own, which scrolls where it is too wide; `label` is the id of its heading."""
    shape = format_html(' class="{}"', kind) if kind else ""
    return format_html(
        '<div class="card scroll" tabindex="0" role="group" aria-labelledby="{}"><table{}>{}</table></div>',
        label,
        shape,
        content,
    )


@register.simple_block_tag
def heads(content: str) -> SafeString:
    """A table's first row."""
    return format_html("<thead><tr>{}</tr></thead>", content)


@register.simple_tag
def head(name: str, kind: str = "") -> SafeString:
    """A column's name; "r": a column of figures."""
    shape = format_html(' class="{}"', kind) if kind else ""
    return format_html('<th scope="col"{}>{}</th>', shape, name)


@register.simple_tag
def nothing(columns: int, words: str) -> SafeString:
    """Return the only row of an empty table. `words` name the content that it has later."""
    return format_html('<tr><td colspan="{}" class="nothing">{}</td></tr>', columns, words)


@register.inclusion_tag("pages/parts/pager.html")
def pager(log: PageEnds, query: str, newest_first: bool) -> Context:
    """The ways on from a page of a long table, towards older and newer positions: however deep, no slower."""
    older, newer = ("before", log.before), ("after", log.after)
    (on_by, on_at), (back_by, back_at) = (older, newer) if newest_first else (newer, older)
    ways = {"on_by": on_by, "on_at": on_at, "back_by": back_by, "back_at": back_at}
    return {**ways, "query": query, "newest_first": newest_first}


@register.inclusion_tag("pages/parts/empty.html")
def empty_state(title: str, text: str, command: str = "", *, begins: bool = False) -> Context:
    """Return an empty page or part. `text` names its later content and the source of it. `begins`: with a button to
    the first steps of the house, for a person who may open them."""
    return {"title": title, "text": text, "command": command, "begins": begins}


# --- states -------------------------------------------------------------------------------------------------------


@register.inclusion_tag("pages/parts/state.html")
def state(colour: str, words: str, reason: str = "") -> Context:
    """Green, amber, red, gold or grey, always with words; the reason on hover."""
    return {"state": colour, "slot": words, "reason": reason}


@register.filter("of")
def filled_pattern(pattern: str, value: object) -> str:
    """A name made for one of many: "round-%s-win"|of:17."""
    return pattern % value


# --- actions --------------------------------------------------------------------------------------------------------


@register.simple_tag(takes_context=True)
def act_url(context: Context, act: Act) -> str:
    """The address of the form of one of the page's actions."""
    return reverse(form_name(context["page"], act), kwargs=dict(context["places"]))


@register.simple_tag(takes_context=True)
def offered(context: Context, action: str, row: str = "", **known_values: object) -> str:
    """Return the address of the page's form of this action, filled in with known values; "" for a person without the
    right.

    `row` is the id of an element of the open page, to which the action leads back.
    """
    for act in context["page"].acts:
        if act.type == action and act.open_to.admits(context["reader"]):
            back = {BACK: f"{context['here']}#{row}"} if row else {}
            query = urlencode({name: value for name, value in known_values.items() if value is not None} | back)
            return f"{act_url(context, act)}?{query}"
    return ""
