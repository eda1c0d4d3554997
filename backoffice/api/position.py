"""GET .../position: how far the read models are, so that a client reads what it wrote itself. For programs only."""

import threading

import msgspec
from django.http import HttpRequest, HttpResponse

from backoffice.api import credentials
from backoffice.api.actions import rendered
from backoffice.kit import answers
from backoffice.kit.page import Read, everybody
from backoffice.queries.filters import whole
from backoffice.queries.freshness import Freshness, freshness
from events.errors import Busy, PitledgerError
from events.problems import Problem, problem_of
from projections.engine.reading import wait_for as wait_until_read
from projections.registry import PROJECTORS

WAIT_SECONDS_MAX = 5.0
WAITING_MAX = 4  # at a time, of the threads that serve everybody
_waiting = threading.BoundedSemaphore(WAITING_MAX)


class Position(msgspec.Struct, frozen=True):
    """How far the read models are. `reached`: whether that is as far as was asked for."""

    position: int
    reached: bool
    freshness: Freshness


def position(request: HttpRequest) -> HttpResponse:
    """How far the read models are; with `?at_least=N` after waiting for that, at most for `within` seconds."""
    try:
        return answers.json(_found(request))
    except credentials.NotAuthenticated as error:
        return _problem(Problem(401, "Who are you?", str(error)))
    except PitledgerError as error:
        return _problem(problem_of(error))


def _problem(problem: Problem) -> HttpResponse:
    found = rendered(problem, problem.status)
    return HttpResponse(found.body, status=found.status, content_type=found.kind, headers=found.headers)


def _found(request: HttpRequest) -> Position:
    wanted = whole(request.GET, "at_least") or 0
    seconds = min(float(whole(request.GET, "within") or 0), WAIT_SECONDS_MAX)
    reached = wait_until_read(wanted, 0.0, PROJECTORS) if wanted else True
    if not reached and seconds:
        reached = _waited(request, wanted, seconds)
    now = freshness()
    return Position(now.position, reached, now)


def _waited(request: HttpRequest, wanted: int, seconds: float) -> bool:
    """Wait in this thread, of which the dealers need most: few do at a time, and nobody without a badge.

    Raises NotAuthenticated, Busy.
    """
    credentials.who(request.headers)
    if not _waiting.acquire(blocking=False):
        raise Busy(f"{WAITING_MAX} are waiting already: come again in a moment")
    try:
        return wait_until_read(wanted, seconds, PROJECTORS)
    finally:
        _waiting.release()


_WHOLE = {"type": "integer", "minimum": 0}
POSITION = Read(
    name="position",
    path="position",
    answer=Position,
    meaning="How far the read models are; with `?at_least=N` after waiting for that, at most for `within` seconds.",
    view=position,
    parameters={
        "at_least": _WHOLE | {"description": "Wait until the read models are as far as this position"},
        "within": _WHOLE | {"default": 0, "description": "So many seconds, 5 at most"},
    },
    readers=everybody,
)
