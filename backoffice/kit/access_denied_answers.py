"""Answers to readers without permission: strangers may sign in, people in other roles see the roles that may read.

A form that was sent after a sign-out is shown again after the next sign-in. A refusal of a known reader leaves a line
in the access log; strangers at the API are counted.
"""

from collections.abc import Callable
from typing import Any, Protocol

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from backoffice.kit import response_builders, unsent_forms
from backoffice.kit.reader_and_read_rule_types import Reader, ReadRule
from events.error_codes import coded
from events.errors import Forbidden
from events.streams.problem_details import problem_about, problem_of


class RefusalLog(Protocol):
    """The log of refused readers, which counts strangers."""

    def refused(self, person: str, device: str, what: str, outcome: str) -> None: ...
    def stranger(self, source: str) -> None: ...


def at_a_page(
    request: HttpRequest, reader: Reader, rule: ReadRule, refusals: Callable[[], RefusalLog], context: dict[str, Any]
) -> HttpResponse:
    """Answer a reader without permission: strangers sign in and come back. A part of a page makes the whole page do
    so."""
    if reader.is_nobody:
        if request.headers.get("HX-Request"):
            return HttpResponse(status=401, headers={"HX-Refresh": "true"})
        address = _as_it_was(request) or request.get_full_path()
        is_bare = address == "/"  # a person who comes to the house, and to no page of it, goes where they may read
        return redirect_to_login(reverse(settings.LOGIN_REDIRECT_URL) if is_bare else address, settings.LOGIN_URL)
    _leave_a_line(request, reader, refusals())
    return render(request, "403.html", {**context, "for_whom": rule.words, "reader": reader}, status=403)


def _as_it_was(request: HttpRequest) -> str:
    """Return the address that shows a posted form again after the sign-in; "" for a request without a form."""
    if address := unsent_forms.unsent_form_address(request):
        words = _("You were signed out. Nothing was saved. Sign in to continue with the form.")
        messages.warning(request, words)
    return address


def from_an_old_page(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Refuse a form of a page that was opened before the reader signed in again.

    The action is not done, and the form is shown again to its reader.
    """
    sent_by, now = unsent_forms.whose(request.POST), request.user.pk
    address = unsent_forms.unsent_form_address(request) if now in (None, sent_by) else ""
    if address:
        messages.warning(
            request, _("You signed in again after this form was opened. Nothing was saved yet. Send it again.")
        )
        return redirect(address)
    return render(request, "old_page.html", status=403)


def at_the_interface(
    request: HttpRequest, reader: Reader, rule: ReadRule, refusals: Callable[[], RefusalLog]
) -> HttpResponse:
    """Problem details."""
    if reader.is_nobody:
        refusals().stranger(request.META.get("REMOTE_ADDR", ""))
        response = response_builders.problem(problem_about(401, "Not signed in", coded("badge-needed")))
        response.headers["WWW-Authenticate"] = "Bearer"
        return response
    _leave_a_line(request, reader, refusals())
    return response_builders.problem(problem_of(Forbidden(coded("page-role-needed", roles=[rule.words]))))


def _leave_a_line(request: HttpRequest, reader: Reader, refusals: RefusalLog) -> None:
    who = reader.person or reader.display
    refusals.refused(who, reader.device, f"read {request.path}", "403 not in a role that may")
