"""Template tags for the figures of a gaming day: unknown, sealed and changed figures."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from backoffice.days.figure_names import figure_name
from backoffice.days.figure_rows_by_shift import Cell, FigureRow, box_count_types, joined_types, tray_count_types
from backoffice.days.gaming_day_page_content import SlipShown
from backoffice.days.table_and_recorded_win_lines import WinLine
from backoffice.kit.due_action_and_link_structs import PageLink
from backoffice.templatetags import kit
from backoffice.templatetags import pitledger as written
from backoffice.wording import code_to_word_translation
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.moved_amount_declarations import CHIPS_BOUGHT, FLOAT, type_names

register = template.Library()
Context = dict[str, Any]
_SLIPS = {"open": "amber", "received": "green", "void": "grey"}


@register.simple_tag
def way_url(way: PageLink) -> str:
    """Return the address of the page that settles the matter."""
    return reverse(way.page, kwargs=way.places) + way.beyond


@register.simple_tag(takes_context=True)
def of_line(context: Context, line: WinLine, name: str, shown: str = "money", sum_: str = "") -> SafeString | str:
    """A figure of a line, with the way to the events that sum to it; where it is not known, why not."""
    value: int | None = getattr(line, f"{name}_minor")
    if value is None:
        return _why_not(line)
    if line.level == "game":  # no event names its game
        return _WRITTEN[shown](context, value)
    if sum_:
        return kit.figure(context, f"{sum_}-{line.key}", value, shown, sum=sum_, **line.about)
    types = _types().get(name)
    if types is None or line.level == "pit":  # the count room's events name no pit
        return _WRITTEN[shown](context, value)
    return kit.figure(context, f"{name}-{line.key}", value, shown, type=types, **line.about)


@cached_until_forgotten
def _types() -> Mapping[str, str]:
    """Return by figure the events that it is calculated from, where it is no plain sum of amounts."""
    trays, drop = tray_count_types(), box_count_types() | type_names(CHIPS_BOUGHT)
    types = {
        "drop": drop,
        "drop_part": drop,
        "inventory": trays,
        "inventory_win": trays | drop | type_names(FLOAT),
    }
    return {name: joined_types(of_figure) for name, of_figure in types.items()}


def _why_not(line: WinLine) -> SafeString:
    if line.is_sealed:
        return _word(_("hidden"))
    return _word(_("not available yet") if line.recorded else _("not recorded"))


_WRITTEN = {"money": written.money, "win": written.win, "difference": written.difference}


@register.simple_tag(takes_context=True)
def rest(context: Context, value: int | None) -> SafeString | str:
    """Show the unexplained amount: zero, or an alarm."""
    if value is None:
        return _word(_("not available yet"))
    if not value:
        return written.money(context, 0)
    alarm = kit.state("red", str(written.difference(context, value)))
    return SafeString(render_to_string("pages/parts/state.html", alarm))


@register.simple_tag(takes_context=True)
def figure_of_shift(context: Context, row: FigureRow, cell: Cell) -> SafeString | str:
    """A figure of a shift, and the way to its events, where some are those and no others."""
    if cell.value is None:
        return _word(_("hidden") if cell.is_sealed else _("not available yet"))
    if not row.sum and not row.type:
        return _WRITTEN[row.shown](context, cell.value)
    about: dict[str, Any] = {"sum": row.sum, "type": row.type, "shift": cell.shift}
    return kit.figure(context, f"{row.key}-{cell.shift or 'day'}", cell.value, row.shown, **about)


@register.simple_tag(takes_context=True)
def changed(context: Context, value: object, is_money: bool) -> SafeString | str:
    """A figure of a report before or after an event."""
    if value is None or (is_money and isinstance(value, int)):
        return written.money(context, value)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return code_to_word_translation.value("kind", str(value))


register.filter("figure_place", figure_name)


@register.filter
def day_status(status: str) -> str:
    """Return the status of a gaming day's report in words."""
    return {"open": _("open"), "closed": _("closed"), "restated": _("restated")}.get(status, status)


@register.filter
def joined(first: object, second: object) -> SafeString:
    """Two words beside each other."""
    return format_html("{} {}", first, second)


@register.filter
def slip_state(slip: SlipShown) -> str:
    """Return the colour of a slip: amber too where less or more was received than issued."""
    return "amber" if slip.received_minor not in {None, slip.issued_minor} else _SLIPS.get(slip.status, "grey")


register.filter("slip_status", written.slip_status)


def _word(words: str) -> SafeString:
    return format_html('<span class="word">{}</span>', words)
