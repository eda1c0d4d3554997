"""Template tags for the forms of actions: the form itself, its errors, its summary, and a request that waits."""

from typing import Any

from django import template
from django.forms import BoundField
from django.forms.utils import ErrorList
from django.utils.safestring import SafeString

from backoffice.forms.action_form_from_struct import ActionForm, clause_of
from backoffice.forms.approval_requests_and_approvers import OpenRequest, open_requests
from backoffice.forms.request_and_action_wording import SummaryLine
from backoffice.templatetags import pitledger
from backoffice.wording.amounts_in_legacy_sentences import in_currency

register = template.Library()
Context = dict[str, Any]


@register.inclusion_tag("pages/parts/form.html", takes_context=True)
def action_form(context: Context, form: ActionForm, title: str, send: str) -> Context:
    """Return the form of an action under its title, with errors at their fields. `send` is the label of its button."""
    currency = str(context.get("currency") or "")
    form_context = {"hidden": context.get("hidden", {}), "csrf_token": context.get("csrf_token"), "currency": currency}
    form_context |= {name: context.get(name, ()) for name in ("settled", "about", "may_change", "back")}
    return {
        "form": form,
        "title": title,
        "send": send,
        "refusals": _field_errors(form.non_field_errors(), currency),
        **form_context,
    }


@register.filter
def refusals(field: BoundField, currency: str) -> list[tuple[str, str]]:
    """Return the errors of a field, each with the clause of its rule."""
    return _field_errors(field.errors, currency)


def _field_errors(errors: ErrorList, currency: str) -> list[tuple[str, str]]:
    errors_with_text = ((error, text) for error in errors.as_data() for text in error.messages)
    return [(in_currency(text, currency), clause_of(error)) for error, text in errors_with_text]


@register.simple_tag(takes_context=True)
def then(context: Context, line: SummaryLine) -> SafeString | str:
    """Write the new value of a request's line."""
    return pitledger.person(context, line.after) if line.is_person else line.after


@register.simple_tag(takes_context=True)
def was(context: Context, line: SummaryLine) -> SafeString | str:
    """Write the present value of a request's line."""
    return pitledger.person(context, line.before) if line.is_person else line.before


@register.simple_tag(takes_context=True)
def waiting_request(context: Context, action: str, **fields: object) -> OpenRequest | None:
    """Return the waiting request for this action on this page with these fields; None without one."""
    if not any(act.type == action for act in context["page"].acts):
        return None
    request = context["request"]
    if not hasattr(request, "open_requests"):
        request.open_requests = {}
    requests_by_action = request.open_requests
    if action not in requests_by_action:
        requests_by_action[action] = open_requests(action)
    places = [str(value) for name, value in context["places"].items() if name in ("table", "gaming_day")]
    return next((waiting for waiting in requests_by_action[action] if waiting.is_for(places, fields)), None)
