"""Template tags for alerts: the title of the rule, and each detail by its kind."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext, pgettext

from backoffice.days.discrepancies_in_words import figure_words
from backoffice.surveillance.people_barred_from_alert_decision import AssignmentChoices
from backoffice.surveillance.person_results.period_totals import role_of
from backoffice.surveillance.raised_alert_queries import OF_MONEY, Alert
from backoffice.templatetags import pitledger as written
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.field_labels import label
from events.house.alert_rules import RULES
from events.text.translation_marker import translatable as _

register = template.Library()
PEOPLE = ("person", "dealer", "partner")
OF_COUNTERS = ("expected", "found")
CASH = {"warning": _("near the reporting threshold"), "report": _("over the reporting threshold")}

# Words of their own: "high" is a bet at roulette.
SEVERITIES = {"high": _("high severity"), "medium": _("medium severity"), "low": _("low severity")}
FACTS = {
    "given": _("cash in"),
    "got": _("cash out"),
    "sum": _("amount"),
    "found": _("counted"),
    "expected": _("expected"),
    "partner": _("approver"),
    "approvals": _("approved requests"),
    "together": _("approved by this person"),
    "reason": _("details"),
    "due": _("due"),
}
STATES = {"assigned": _("assigned"), "cleared": _("closed")}


@register.filter
def alert_severity(severity: str) -> str:
    """Return the severity of an alert in words."""
    return gettext(SEVERITIES[severity]) if severity in SEVERITIES else severity


@register.filter
def alert_state(status: str) -> str:
    """Return the status of an alert in words."""
    if status == "open":
        return pgettext("not settled", "open")
    return gettext(STATES[status]) if status in STATES else status


register.filter("choices_for", AssignmentChoices.investigators)


@register.filter
def is_own_of(alert: str, choices: AssignmentChoices) -> bool:
    """Return whether the alert is about the reader."""
    return choices.is_own(alert)


@register.filter
def alert_title(name: str) -> str:
    """Return the title of the rule, with a capital letter."""
    return capfirst(gettext(RULES[name].title) if name in RULES else name)


@register.filter
def alert_meaning(name: str) -> str:
    """Return the meaning of the rule."""
    return gettext(RULES[name].means) if name in RULES else ""


@register.simple_tag(takes_context=True)
def alert_sentence(context: Any, alert: Alert) -> SafeString | str:
    """Return the alert in a line: due against paid, found against expected."""
    data = alert.data
    amounts = {name: written.money(context, data[name]) for name in OF_MONEY if name in data}
    if "due" in data and "paid" in data:
        return format_html(gettext("{wager}: due {due}, paid {paid}"), **amounts, wager=word(data["wager"], "wager"))
    if data.get("kind") == "counters":
        return format_html("{}: {expected}, {}: {found}", *figure_words("counters"), **amounts)
    if "expected" in data and "found" in data:
        return format_html(
            gettext("{kind}: counted {found}, expected {expected}"), **amounts, kind=word(data["kind"], "kind")
        )
    if data.get("level") in CASH:
        return format_html(gettext("cash {sum}, {level}"), **amounts, level=gettext(CASH[data["level"]]))
    return format_html("{} {}", word(alert.words), amounts.get("sum", ""))


@register.simple_tag(takes_context=True)
def fact(context: Any, name: str, value: Any, currency: str) -> SafeString:
    """Return a detail of an alert: its name and its value."""
    if name == "level" and value in CASH:
        return _fact(gettext("status"), gettext(CASH[value]))
    if name in OF_COUNTERS and context["looked"].alert.data.get("kind") == "counters":
        return _fact(str(figure_words("counters")[OF_COUNTERS.index(name)]), _value(context, name, value, currency))
    return _fact(gettext(FACTS[name]) if name in FACTS else label(name), _value(context, name, value, currency))


def _fact(name: str, value: str) -> SafeString:
    return format_html("<div><dt>{}</dt><dd>{}</dd></div>", capfirst(name), value)


def _value(context: Any, name: str, value: Any, currency: str) -> SafeString | str:
    if name in OF_MONEY:
        return written.money(context, value, currency)
    if name in PEOPLE:
        return _person(context, str(value))
    return word(value) if isinstance(value, str) else f"{value:,}"


def _person(context: Any, person: str) -> SafeString | str:
    """Return a person, with a link to the results of a dealer or player."""
    text, role = written.person(context, person), role_of(person)
    return format_html('<a href="{}">{}</a>', reverse(f"{role}-results", args=[person]), text) if role else text
