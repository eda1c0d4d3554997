"""JSON requests of devices: bodies, and refusals as problem details. Nothing of them is kept by a cache."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import msgspec
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from msgspec.structs import replace

from backoffice.access.refusal_log_writer import access_log
from backoffice.installation.dependency_injection import installation
from backoffice.kit import response_builders
from backoffice.people.badge_and_key_authentication import NotAuthenticated
from backoffice.table_screen.pen_of_last_recording_device import PenElsewhere
from backoffice.table_screen.queued_entry_structs_and_chain import ChainBreak
from events.error_codes import coded
from events.errors import Invalid, PitledgerError
from events.streams.problem_details import Problem, problem_about, problem_of

JSON = "application/json"
_OF_SENDER = re.compile(r"unknown field `.*`", re.DOTALL)  # the sender's own text, which may be a badge
T = TypeVar("T")


def body_of(request: HttpRequest, shape: type[T]) -> T:
    """Return the body of a request. Raises Invalid; a form of another site cannot send this content type."""
    if request.content_type != JSON:
        raise Invalid("body", coded("body-kind-wrong", kind=JSON))
    try:
        return msgspec.json.decode(request.body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        why = _OF_SENDER.sub("unknown field", str(error))
        raise Invalid("body", coded("body-malformed", why=why)) from error


def answered(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """A view whose refusals are problem details."""

    @wraps(view)
    def inner(request: HttpRequest, **places: Any) -> HttpResponseBase:
        try:
            response = view(request, **places)
        except NotAuthenticated as error:
            installation().part(access_log).stranger(request.META.get("REMOTE_ADDR", ""))
            response = response_builders.problem(problem_about(401, "Not signed in", error.text))
        except PenElsewhere as error:
            response = response_builders.problem(replace(problem_of(error), params=msgspec.to_builtins(error.pen)))
        except PitledgerError as error:
            response = response_builders.problem(problem_of(error))
        patch_cache_control(response, no_store=True)
        return response

    return inner


def broken(error: ChainBreak) -> Problem:
    """The answer to an entry that is not the next one of the chain."""
    return problem_about(409, "Entry of the queue refused", error.text)
