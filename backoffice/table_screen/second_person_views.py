"""Requests for a second person: from the screen, and the page on the phone of the person who agrees."""

from http import HTTPStatus
from typing import Any

import msgspec
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from backoffice.kit import response_builders
from backoffice.models import SecondRequest, TableDevice
from backoffice.people.signed_in_person_action_sender import is_fresh
from backoffice.table_screen import badge_sessions, device_authentication, second_person_requests_by_code
from backoffice.table_screen.json_bodies_and_refusals import answered, body_of
from backoffice.table_screen.second_person_requests_by_code import OneTimeCode, SecondQuestion
from backoffice.wording.error_code_sentences import error_sentence, in_active_language
from events.error_codes import coded
from events.errors import PitledgerError, Unknown


class SecondShown(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request for a second person. `code`: shown once; `url`: its page on a phone; `reply`: the desk's."""

    id: str
    state: str
    code: str = ""
    url: str = ""
    ends_at: str = ""
    by: str = ""
    reply: dict[str, Any] | None = None


@require_POST
@answered
def ask(request: HttpRequest, name: str) -> HttpResponse:
    """Take an action for a second person."""
    device = device_authentication.device_of(request, name)
    device_authentication.require_active(device)
    question = body_of(request, SecondQuestion)
    session = badge_sessions.of_id(badge_sessions.present(request, device), question.session)
    second_request, code = second_person_requests_by_code.ask(device, session, question)
    url = request.build_absolute_uri(reverse("table-confirm", args=[code]))
    return response_builders.json(
        SecondShown(
            id=second_request.pk, state="waiting", code=code, url=url, ends_at=second_request.ends_at.isoformat()
        )
    )


@require_http_methods(["GET", "POST"])
@answered
def answer(request: HttpRequest, name: str, second: str) -> HttpResponse:
    """Answer how far a request is; or take the one-time code of a person at the screen."""
    device = device_authentication.device_of(request, name)
    second_request = _of_device(device, second)
    if request.method == "POST":
        device_authentication.require_active(device)
        second_person_requests_by_code.confirm_by_code(second_request, body_of(request, OneTimeCode))
        second_request.refresh_from_db()
    return response_builders.json(_request_shown(second_request))


def _of_device(device: TableDevice, second: str) -> SecondRequest:
    second_request = SecondRequest.objects.filter(pk=second, device=device).select_related("device").first()
    if second_request is None:
        raise Unknown(coded("second-request-unknown"))
    return second_request


def _request_shown(second_request: SecondRequest) -> SecondShown:
    reply = in_active_language(msgspec.json.decode(second_request.answer)) if second_request.answer else None
    state = "waiting" if reply is None else "refused" if "status" in reply else "done"
    return SecondShown(id=second_request.pk, state=state, by=second_request.answered_by, reply=reply)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def confirm(request: HttpRequest, code: str) -> HttpResponse:
    """Show the exact content to the second person, and carry it out as their act."""
    try:
        second_request = second_person_requests_by_code.of_code(code)
        content = second_person_requests_by_code.content_of(second_request)
    except Unknown as error:
        raise Http404(error_sentence(error)) from error
    context: dict[str, Any] = {"second_request": second_request, "content": content}
    if request.method == "POST":
        if not is_fresh(request):
            return redirect(f"{reverse('mfa_reauthenticate')}?{urlencode({'next': request.path})}")
        try:
            context["reply"] = in_active_language(second_person_requests_by_code.confirm(request, second_request))
        except PitledgerError as error:
            context["reply"] = {"status": HTTPStatus.CONFLICT, "message": error_sentence(error)}
    return render(request, "table_screen/confirm.html", context)
