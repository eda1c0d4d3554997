"""GET: the figures of the pages as JSON, the same Structs. Amounts in minor units, "micro" millionths of one.

Every answer says in `Pitledger-Position` up to which position everything is in it. `position?at_least=N` waits until
the read models are that far: so a client reads what it wrote itself.
"""

import threading
from collections.abc import Callable
from functools import wraps

import msgspec
from django.http import HttpRequest, HttpResponse

from backoffice.api import credentials
from backoffice.api.actions import rendered
from backoffice.queries import log
from backoffice.queries.filters import read_filters, whole
from backoffice.queries.floor import floor
from backoffice.queries.freshness import Freshness, freshness
from backoffice.queries.progressives import Summary, progressive, progressives
from backoffice.queries.table import table
from backoffice.readers import reads
from events.errors import Busy, Invalid, PitledgerError, Unknown
from events.problems import Problem, problem_of
from projections.engine.reading import wait_for as wait_until_read
from projections.engine.reading import watermarks
from projections.eventlog.models import EventLog
from projections.registry import PROJECTORS

WAIT_SECONDS_MAX = 5.0
WAITING_MAX = 4  # at a time, of the threads that serve everybody
_waiting = threading.BoundedSemaphore(WAITING_MAX)
View = Callable[..., object]


class Progressives(msgspec.Struct, frozen=True):
    """All progressives."""

    progressives: tuple[Summary, ...]


class Logged(msgspec.Struct, frozen=True):
    """An event with its place in the store, and its own bytes."""

    position: int
    event: msgspec.Raw


class Events(msgspec.Struct, frozen=True):
    """A page of the log, newest first; go on with `before=older` or `after=newer`, null where there is no more."""

    events: tuple[Logged, ...]
    older: int | None
    newer: int | None


class Position(msgspec.Struct, frozen=True):
    """How far the read models are. `reached`: whether that is as far as was asked for."""

    position: int
    reached: bool
    freshness: Freshness


_encode = msgspec.json.Encoder().encode


def _answers(view: View) -> Callable[..., HttpResponse]:
    """The Struct that a view returns as JSON, an error as problem details."""

    @wraps(view)
    def inner(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        before = min(watermarks(list(PROJECTORS)).values())
        try:
            found = view(request, *args, **kwargs)
        except credentials.NotAuthenticated as error:
            return _problem(Problem(401, "Who are you?", str(error)))
        except PitledgerError as error:
            return _problem(problem_of(error))
        headers = {"Pitledger-Position": str(before)}
        return HttpResponse(_encode(found), content_type="application/json", headers=headers)

    return inner


def _problem(problem: Problem) -> HttpResponse:
    found = rendered(problem, problem.status)
    return HttpResponse(found.body, status=found.status, content_type=found.kind, headers=found.headers)


@reads("floor")
@_answers
def tables(request: HttpRequest) -> object:
    """The floor of `?gaming_day=`, or of the latest one."""
    return floor(request.GET.get("gaming_day", "")[:10])


@reads("tables")
@_answers
def one_table(request: HttpRequest, name: str, gaming_day: str) -> object:
    """A table's gaming day."""
    found = table(name, gaming_day, drawn=False)
    if found is None:
        raise Unknown(f"the table {name!r:.40} was not opened on the gaming day {gaming_day!r:.20}")
    return found


@reads("progressives")
@_answers
def all_progressives(request: HttpRequest) -> object:
    """The meters of all progressives."""
    return Progressives(progressives())


@reads("progressives")
@_answers
def one_progressive(request: HttpRequest, name: str) -> object:
    """One progressive, whole."""
    found = progressive(name, drawn=False)
    if found is None:
        raise Unknown(f"there is no progressive {name!r:.40}")
    return found


@reads("events")
@_answers
def events(request: HttpRequest) -> object:
    """A page of the log by the filters of the log's page, `before`, `after` and `limit`."""
    filters, errors = read_filters(request.GET)
    for field, message in errors.items():
        raise Invalid(field, message)
    size = whole(request.GET, "limit") or log.PAGE
    if size > log.PAGE_MAX:
        raise Invalid("limit", f"at most {log.PAGE_MAX} events at a time")
    page = log.page(filters, whole(request.GET, "before"), whole(request.GET, "after"), size)
    positions = [row.position for row in page.rows]
    raw = dict(EventLog.objects.filter(position__in=positions).values_list("position", "raw"))
    found = tuple(Logged(position, msgspec.Raw(bytes(raw[position]))) for position in positions)
    return Events(found, page.older, page.newer)


@reads("events")
@_answers
def position(request: HttpRequest) -> object:
    """How far the read models are; with `?at_least=N` after waiting for that, at most for `within` seconds."""
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
