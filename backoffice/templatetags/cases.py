"""Buttons by which people open a case about what a page shows, or add it to one."""

from urllib.parse import urlencode

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from backoffice.kit.form_addresses import may_send

register = template.Library()


@register.simple_tag(takes_context=True)
def case_buttons(context: Context, **known: object) -> SafeString:
    """Return "Open case" and "Add to case", with links to forms filled in with events, alerts, rounds or people."""
    reader = context.get("reader")
    if reader is None or not may_send(reader, "cases", "case.open"):
        return SafeString("")
    query = urlencode({name: str(value) for name, value in known.items() if value})
    return format_html(
        '<span class="no-print"><a class="button" href="{}?{}">{}</a> <a class="button" href="{}?{}">{}</a></span>',
        reverse("cases-case.open"),
        query,
        _("Open case"),
        reverse("cases"),
        query,
        _("Add to case"),
    )
