"""The language of each answer: that of its reader, or English for programs."""

import re
from collections.abc import Callable
from typing import Any

from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from backoffice.models import Person
from backoffice.wording.reader_language_choice import ENGLISH, language_for

CHOICE = "language"  # in the session
_MACHINE_FORM = re.compile(r"/(?:api/|healthz|livez|readyz|metrics)|\.(?:csv|json|jsonl|beancount|zip)$")


class ReaderLanguage:
    """Middleware, after sessions: answers in the language of the reader.

    `HttpRequest.LANGUAGE_CODE` is the reader's language, also where the answer itself is a machine form in English: the
    `message` of a problem is for the reader.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        language = language_for(request.session.get(CHOICE, ""), request.headers.get("Accept-Language", ""))
        request.LANGUAGE_CODE = language
        written = ENGLISH if _MACHINE_FORM.search(request.path_info) else language
        with translation.override(written):
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", written)
        patch_vary_headers(response, ("Accept-Language",))
        return response


def choose(request: HttpRequest, language: str) -> None:
    """Keep a person's choice, for this session and for later ones; "" for the property's language."""
    Person.objects.filter(pk=request.user.pk).update(language=language)
    request.session[CHOICE] = language


@receiver(user_logged_in)
def _bring_choice(request: HttpRequest, user: Any, **_: Any) -> None:
    """Store the language of a person who signs in in the session, so that no page has to read it again."""
    request.session[CHOICE] = user.language
