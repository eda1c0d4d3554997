"""Requests that name a parameter twice are refused, at every address: only one of the two values would count."""

from collections.abc import Callable, Collection

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve

from backoffice.kit import response_builders
from backoffice.wording.error_code_sentences import error_sentence
from events.error_codes import coded
from events.errors import Invalid
from events.streams.problem_details import problem_of

_FOR_PROGRAMS = "/api/"


class UniqueParameters:
    """Middleware, in front of all that read parameters. A view names those that may be repeated in `lists`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        repeated = [name for name, values in request.GET.lists() if len(values) > 1]
        name = next((name for name in repeated if name not in _lists_at(request.path_info)), None)
        if name is None:
            return self.get_response(request)
        return invalid_answer(request, Invalid(name, coded("request-parameter-twice")))


def _lists_at(path: str) -> Collection[str]:
    """Return the parameters that take several values at an address."""
    try:
        lists: Collection[str] = getattr(resolve(path).func, "lists", ())
    except Resolver404:
        return ()
    return lists


def invalid_answer(request: HttpRequest, error: Invalid) -> HttpResponse:
    """Answer a request that is not valid: people with a page, programs with problem details."""
    if request.path_info.startswith(_FOR_PROGRAMS):
        return response_builders.problem(problem_of(error))
    context = {"field": error.field, "reason": error_sentence(error)}
    return render(request, "400.html", context, status=400)
