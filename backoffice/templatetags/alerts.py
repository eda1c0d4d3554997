"""How an alert is written: the title of its rule, and what is said of it, each thing as its kind wants it."""

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from backoffice.queries.alerts import OF_MONEY
from backoffice.queries.labels import label
from backoffice.queries.words import word
from backoffice.templatetags import pitledger as written
from events.alert_rules import RULES

register = template.Library()
PEOPLE = ("person", "dealer", "partner")


@register.filter
def alert_title(name: str) -> str:
    """What people call the alerts of this rule."""
    return gettext(RULES[name].title) if name in RULES else name


@register.filter
def alert_means(name: str) -> str:
    """When they are raised."""
    return gettext(RULES[name].means) if name in RULES else ""


@register.simple_tag(takes_context=True)
def fact(context: Any, name: str, value: Any, currency: str) -> SafeString:
    """Something that is said of an alert: what it is called, and what it is."""
    return format_html("<div><dt>{}</dt><dd>{}</dd></div>", label(name), _value(context, name, value, currency))


def _value(context: Any, name: str, value: Any, currency: str) -> SafeString | str:
    if name in OF_MONEY:
        return written.money(context, value, currency)
    if name in PEOPLE:
        return written.person(context, value)
    return word(value) if isinstance(value, str) else f"{value:,}"
