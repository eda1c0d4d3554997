"""POST .../actions: one action, or several at once, for one stream of any kind.

`events/streams/stream_kind_declaration.py` declares the kinds. A plain view with msgspec: this is the hot path. The
answer comes after the events are durable.
"""

import logging
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import TimeoutError as Late
from contextlib import contextmanager
from typing import Any, Literal

import msgspec
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from msgspec import UNSET, UnsetType

from backoffice.access.refusal_log_writer import access_log
from backoffice.api.json_response import Response, rendered
from backoffice.api.shared_command_desk import desk
from backoffice.installation.dependency_injection import installation
from backoffice.people import badge_and_key_authentication
from backoffice.wording.error_code_sentences import answered_in
from events.desk.command_and_answer_structs import MAX_ACTIONS, Answer, Command, Reply
from events.envelope import Action, Who
from events.error_codes import coded, text_of
from events.errors import Busy, Invalid, PitledgerError, Retry
from events.streams.problem_details import Problem, problem_about, problem_of
from events.streams.stream_kind_declaration import Target
from events.text.repeated_json_name_refusal import require_unique_names

log = logging.getLogger(__name__)

MAX_BODY = 256 * 1024
MAX_BODIES_READ = 4  # of one person at a time
ANSWER_WITHIN_SECONDS = 20.0
TOO_OFTEN = 429
FORBIDDEN = 403  # of queries, only forbidden ones leave a line: a rule's "no" is their purpose


class ActionBatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Several actions of one stream: "atomic" is all or nothing, "each" lets one fail without the others."""

    mode: Literal["atomic", "each"] = "atomic"
    actions: tuple[Action, ...]


class Peek(msgspec.Struct, frozen=True):
    """The part of a body that shows whether it has one action or several."""

    actions: msgspec.Raw | UnsetType = UNSET


class Answers(msgspec.Struct, frozen=True):
    """A reply for each action, in order; `position` is the last that was written (0: nothing was)."""

    position: int
    answers: list[Reply]


_bodies: Counter[str] = Counter()  # being read, by person
_bodies_lock = threading.Lock()
_peek = msgspec.json.Decoder(Peek)
_decoder = msgspec.json.Decoder(Action)
_several = msgspec.json.Decoder(ActionBatch)


class BodyTooLarge(Exception):
    """The body is larger than a dealer's actions ever are (HTTP 413)."""

    def __str__(self) -> str:
        return f"a body has at most {MAX_BODY} bytes: send fewer actions at a time"


# Refusals with an answer of their own.
REFUSALS = (badge_and_key_authentication.NotAuthenticated, BodyTooLarge, Late, PitledgerError)


@csrf_exempt
@require_POST
def actions(request: HttpRequest, kind: str, name: str = "") -> HttpResponse:
    """The action interface as a Django view; `backoffice.door` answers the same requests at the house's address."""
    source = request.META.get("REMOTE_ADDR", "")
    response = respond(Target(kind, name, request.GET.get("gaming_day")), request.headers, request.read, source)
    return response.django()


class Receiver(ABC):
    """The path of a request to the desk and of its answer: sender, body, command, replies, or a refusal.

    It exists once. The view's steps wait in the thread, those of `backoffice.door` in its event loop. A refused request
    changes nothing and leaves a line in the access log.
    """

    async def respond(self, target: Target, headers: Mapping[str, str], content: Any, source: str) -> Response:
        """Return the answer to one request, in every case.

        `headers` needs Authorization, Pitledger-Device and Content-Length. `content` is read by `body` only. `source`
        is the address of the client.
        """
        who: Who | None = None
        accepted = headers.get("Accept-Language", "")
        try:
            who = await self.sender(headers, source)
            self.admit(who)
            body = await self.body(who, headers, content)
            command, is_single = understood(body, target, who)
            return await self.answer(command, body, is_single=is_single, accepted=accepted)
        except REFUSALS as error:
            return self.refusal(error, who, target, source, accepted)

    @abstractmethod
    async def sender(self, headers: Mapping[str, str], source: str) -> Who:
        """Return the sender. Raises NotAuthenticated."""

    @abstractmethod
    def admit(self, who: Who) -> None:
        """Raise Busy for a person over the rate limit, before the body is read."""

    @abstractmethod
    async def body(self, who: Who, headers: Mapping[str, str], content: Any) -> bytes:
        """Return the body of the request. Raises BodyTooLarge, and Busy for a person with too many bodies underway."""

    @abstractmethod
    async def decide(self, command: Command) -> list[Reply]:
        """Return the desk's replies. Raises TimeoutError without them after ANSWER_WITHIN_SECONDS."""

    async def answer(self, command: Command, body: bytes, *, is_single: bool, accepted: str) -> Response:
        """Return the answer to a request that was understood."""
        return answered(command, await self.decide(command), is_single=is_single, accepted=accepted)

    def refusal(self, error: Exception, who: Who | None, target: Target, source: str, accepted: str) -> Response:
        """Return the answer to a refused request."""
        return refused(error, who, target, source, accepted)


class ThreadReceiver(Receiver):
    """Waits in the thread of the request. `content` reads up to a number of bytes."""

    async def sender(self, headers: Mapping[str, str], source: str) -> Who:
        return badge_and_key_authentication.authenticate_sender(headers)

    def admit(self, who: Who) -> None:
        """Admit everybody: rates are limited at the address of the house."""

    async def body(self, who: Who, headers: Mapping[str, str], content: Any) -> bytes:
        with _reading_for(who.person):
            return small_body(headers, content)

    async def decide(self, command: Command) -> list[Reply]:
        return desk().submit(command).result(ANSWER_WITHIN_SECONDS)


def respond(
    target: Target,
    headers: Mapping[str, str],
    read_body: Callable[[int], bytes],
    source: str = "",
    receiver: ThreadReceiver | None = None,
) -> Response:
    """Return the answer to one request, whose body is read by `read_body` up to a number of bytes."""
    try:
        # No step awaits an event loop.
        (receiver or ThreadReceiver()).respond(target, headers, read_body, source).send(None)
    except StopIteration as end:
        response: Response = end.value
        return response
    raise RuntimeError("a step of the view waited for an event loop")


def refused(error: Exception, who: Who | None, target: Target, source: str, accepted: str = "") -> Response:
    """Return the answer to a refused request, with its line in the access log.

    `error` is one of REFUSALS, `accepted` the request's Accept-Language.
    """
    return problem(answered_in(problem_of_refusal(error), accepted), who, target, source=source)


def problem_of_refusal(error: Exception) -> Problem:
    """Return the problem of one of REFUSALS."""
    match error:
        case badge_and_key_authentication.NotAuthenticated():
            return problem_about(401, "Not signed in", text_of(error))
        case BodyTooLarge():
            return problem_about(413, "Too large", coded("body-too-large", most=MAX_BODY))
        case PitledgerError():
            return problem_of(error)
    return problem_of(Retry(coded("no-answer-in-time")))


@contextmanager
def _reading_for(person: str) -> Iterator[None]:
    """A body that never comes holds its thread until the client hangs up: no one has more than a few of them.

    Bodies that come are read in microseconds, so a person who works never gets near the bound. Raises Busy.
    """
    with _bodies_lock:
        if _bodies[person] >= MAX_BODIES_READ:
            raise Busy(coded("own-requests-on-their-way", count=MAX_BODIES_READ))
        _bodies[person] += 1
    try:
        yield
    finally:
        with _bodies_lock:
            _bodies[person] -= 1
            if not _bodies[person]:
                del _bodies[person]


def small_body(headers: Mapping[str, str], read: Callable[[int], bytes]) -> bytes:
    """Return a body that is read up to a number of bytes. Raises BodyTooLarge."""
    length = headers.get("Content-Length", "")
    if length.isdigit() and int(length) > MAX_BODY:
        raise BodyTooLarge
    body = read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise BodyTooLarge
    return body


def understood(body: bytes, target: Target, who: Who) -> tuple[Command, bool]:
    """The command, and whether it came as a single action."""
    try:
        if _peek.decode(body).actions is not UNSET:
            several = _several.decode(body)
            if not 1 <= len(several.actions) <= MAX_ACTIONS:
                raise Invalid("actions", coded("actions-count", most=MAX_ACTIONS))
            require_unique_names(body)
            return Command(target, several.actions, who, several.mode), False
        single = _decoder.decode(body)
        require_unique_names(body)
        return Command(target, (single,), who), True
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid("body", coded("body-malformed", why=str(error))) from error


def answered(command: Command, replies: list[Reply], *, is_single: bool, accepted: str = "") -> Response:
    """Return the desk's replies for sending; each refusal among them leaves its line. `accepted`: the request's
    Accept-Language.
    """
    if is_single and isinstance(replies[0], Answer):  # as nearly every request
        return rendered(replies[0], 200)
    replies = [answered_in(reply, accepted) if isinstance(reply, Problem) else reply for reply in replies]
    for reply in replies:
        if isinstance(reply, Problem) and (not command.checks or reply.status == FORBIDDEN):
            _log(reply, command.who, command.target, "check" if command.checks else "action")
    first = replies[0]
    if isinstance(first, Problem) and (is_single or command.mode == "atomic"):
        return rendered(first, first.status)
    if is_single:
        return rendered(first, 200)
    position = max((reply.position for reply in replies if isinstance(reply, Answer)), default=0)
    return rendered(Answers(position, replies), 200)


def problem(details: Problem, who: Who | None, target: Target, what: str = "action", source: str = "") -> Response:
    """Return the answer to a refused request, with its line in the access log."""
    _log(details, who, target, what, source)
    return rendered(details, details.status)


def _log(problem: Problem, who: Who | None, target: Target, what: str, source: str = "") -> None:
    """Leave a line in the access log. Strangers, and clients over their rate limit, are only counted."""
    if who is None:
        installation().part(access_log).stranger(source)
        return
    person, device = who.person, who.device or ""
    if problem.status == TOO_OFTEN:
        installation().part(access_log).too_often(person, device, source)
        return
    outcome = f"{problem.status} {problem.clause or ''} {problem.detail}"[:300]
    log.info("refused %s at %s/%s: %s", person, target.kind, target.name, outcome)
    installation().part(access_log).refused(person, device, f"{what} {target.kind}/{target.name}", outcome)
