"""POST .../actions: one action, or several at once, for a table, a progressive, the floor or the people.

A plain view with msgspec: this is the hot path. The answer comes after the events are durable.
"""

import logging
from concurrent.futures import TimeoutError as Late
from typing import Literal

import msgspec
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from msgspec import UNSET, UnsetType

from backoffice.api import credentials
from backoffice.api.desk import desk
from backoffice.models import Access
from events.desk import MAX_ACTIONS, Answer, Command, Reply
from events.envelope import Action, Who
from events.errors import Invalid, PitledgerError, Retry
from events.problems import Problem, problem_of
from events.streams import Target

log = logging.getLogger(__name__)

MAX_BODY = 256 * 1024
ANSWER_WITHIN_SECONDS = 20.0
Kind = Literal["tables", "progressives", "floor", "people"]


class Several(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Several actions of one stream: "atomic" is all or nothing, "each" lets one fail without the others."""

    mode: Literal["atomic", "each"] = "atomic"
    actions: tuple[Action, ...]


class Peek(msgspec.Struct, frozen=True):
    """Just enough of a body to tell one action from several."""

    actions: msgspec.Raw | UnsetType = UNSET


class Answers(msgspec.Struct, frozen=True):
    """A reply for each action, in order; `position` is the last that was written (0: nothing was)."""

    position: int
    answers: list[Reply]


_peek = msgspec.json.Decoder(Peek)
_one = msgspec.json.Decoder(Action)
_several = msgspec.json.Decoder(Several)
_encode = msgspec.json.Encoder().encode


@csrf_exempt
@require_POST
def actions(request: HttpRequest, kind: Kind, name: str = "") -> HttpResponse:
    """Authenticate, decode, decide, answer. What is refused changes nothing and leaves a line in the access log."""
    who: Who | None = None
    try:
        who = credentials.who(request.headers)
        body = _body(request)
        command, single = _command(body, Target(kind, name, request.GET.get("gaming_day")), who)
        replies = desk().submit(command).result(ANSWER_WITHIN_SECONDS)
    except credentials.NotAuthenticated as error:
        return _problem(Problem(401, "Who are you?", str(error)), who, kind, name)
    except TooLarge as error:
        return _problem(Problem(413, "Too large", str(error)), who, kind, name)
    except Late:
        return _problem(problem_of(Retry("no answer in time: send it again, with the same keys")), who, kind, name)
    except PitledgerError as error:
        return _problem(problem_of(error), who, kind, name)
    return _answer(command, replies, single=single)


class TooLarge(Exception):
    """The body is larger than a dealer's actions ever are (HTTP 413)."""


def _body(request: HttpRequest) -> bytes:
    length = request.headers.get("Content-Length", "")
    if length.isdigit() and int(length) > MAX_BODY:
        raise TooLarge(f"a body has at most {MAX_BODY} bytes: send fewer actions at a time")
    body = request.read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise TooLarge(f"a body has at most {MAX_BODY} bytes: send fewer actions at a time")
    return body


def _command(body: bytes, target: Target, who: Who) -> tuple[Command, bool]:
    """The command, and whether it came as a single action."""
    try:
        if _peek.decode(body).actions is not UNSET:
            several = _several.decode(body)
            if not 1 <= len(several.actions) <= MAX_ACTIONS:
                raise Invalid("actions", f"1 to {MAX_ACTIONS} actions at a time")
            return Command(target, several.actions, who, several.mode), False
        return Command(target, (_one.decode(body),), who), True
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid("body", str(error)) from error


def _answer(command: Command, replies: list[Reply], *, single: bool) -> HttpResponse:
    for reply in replies:
        if isinstance(reply, Problem):
            _log(reply, command.who, command.target.kind, command.target.name)
    first = replies[0]
    if isinstance(first, Problem) and (single or command.mode == "atomic"):
        return _render(first, first.status)
    if single:
        return _render(first, 200)
    position = max((reply.position for reply in replies if isinstance(reply, Answer)), default=0)
    return _render(Answers(position, replies), 200)


def _problem(problem: Problem, who: Who | None, kind: str, name: str) -> HttpResponse:
    _log(problem, who, kind, name)
    return _render(problem, problem.status)


def _render(body: object, status: int) -> HttpResponse:
    kind = "application/problem+json" if isinstance(body, Problem) else "application/json"
    response = HttpResponse(_encode(body), content_type=kind, status=status)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    if status in (429, 503):
        response["Retry-After"] = "1"
    return response


def _log(problem: Problem, who: Who | None, kind: str, name: str) -> None:
    """A refusal leaves a line in the access log, and nothing else."""
    person, device = (who.person, who.device or "") if who else ("", "")
    outcome = f"{problem.status} {problem.clause or ''} {problem.detail}"[:300]
    log.info("refused %s at %s/%s: %s", person or "somebody", kind, name, outcome)
    Access.objects.create(person=person, device=device, what=f"action {kind}/{name}"[:200], outcome=outcome)
