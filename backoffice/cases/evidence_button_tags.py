"""Buttons that open a case about the subject of a page, add it to a case, or bookmark its recording."""

from typing import Any
from urllib.parse import urlencode

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from backoffice.cases.case_list_and_detail_content import cases_with
from backoffice.cases.video_bookmarks import expired_and_expiring_recordings
from backoffice.cases.video_bookmarks.new_video_bookmark_page import last_case
from backoffice.kit.form_address_and_permission import may_send
from events.cases.decrypted_case import EvidenceKind

register = template.Library()


@register.simple_tag(takes_context=True)
def case_buttons(context: Context, **known_values: object) -> SafeString:
    """Return "Open case" and "Add to case", with links to forms filled in with events, alerts, rounds or people."""
    reader = context.get("reader")
    if reader is None or not may_send(reader, "cases", "case.open"):
        return SafeString("")
    query = urlencode({name: str(value) for name, value in known_values.items() if value})
    return format_html(
        '<span class="acts no-print"><a class="button" href="{}?{}">{}</a><a class="button" href="{}?{}">{}</a></span>',
        reverse("cases-case.open"),
        query,
        _("Open case"),
        reverse("cases"),
        query,
        _("Add to case"),
    )


@register.inclusion_tag("pages/case/of_evidence.html", takes_context=True)
def cases_of_evidence(context: Context, kind: EvidenceKind, ref: str) -> dict[str, Any]:
    """The cases in which an event, alert or round is evidence, as far as the reader may see them; else nothing."""
    reader = context.get("reader")
    cases = () if reader is None else cases_with(reader, kind, ref)
    return {"cases": cases, "reader": reader, "request": context.get("request")}


@register.inclusion_tag("pages/bookmark/control.html", takes_context=True)
def bookmark_control(context: Context, back: str, event: str = "", alert: str = "") -> dict[str, Any]:
    """The button that bookmarks the recording: at once in the case that was used last, else by a form."""
    reader, request = context.get("reader"), context.get("request")
    if reader is None or request is None or not may_send(reader, "cases", "case.bookmark"):
        return {}
    about = {"event": event, "alert": alert, "back": back}
    return {
        "about": about,
        "query": urlencode({name: value for name, value in about.items() if value}),
        "case": last_case(request.session, reader),
        "csrf_token": context.get("csrf_token"),
    }


register.filter("recording_state", expired_and_expiring_recordings.state_of)
