"""Dealers' actions, taken in an event loop: authentication, rate limit, body, desk, answer.

No waiting client blocks another: no thread is used, and a request refused for its sender or rate costs no query and no
body. The desk has one writer, for which a refusal costs as much as an action. So a person who is refused repeatedly, or
repeats the same key, is answered here.
"""

import asyncio
import hashlib
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import parse_qs

from backoffice.api.actions import ANSWER_WITHIN_SECONDS, Receiver, answered
from backoffice.api.json_response import Response, rendered
from backoffice.api.shared_command_desk import built
from backoffice.door.all_credentials_in_memory import Roster
from backoffice.door.desk_answers_to_event_loop import AnswerDelivery
from backoffice.door.request_body_limits import Bodies, BodyAborted
from backoffice.http.rate_limits import Rate
from backoffice.installation.dependency_injection import Installation
from backoffice.people import badge_and_key_authentication
from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.envelope import Who
from events.error_codes import coded
from events.errors import Busy
from events.runtime import metric_counters, tracing
from events.settings.setting_declarations import Settings
from events.streams import stream_kind_declaration
from events.streams.problem_details import Problem, problem_of
from events.streams.stream_kind_declaration import Target

REFUSED_PART = 10  # the tenth part of a badge's, or an address's, limit may be refused requests
REFUSED_LEAST = 10  # a second, of a badge
NAMELESS_LEAST = 1  # a second, of an address
STRANGERS_A_SECOND = 10  # unknown badges from one address for which the directory is queried
ASKING = 2  # threads for questions, which the desk's writer has no part in
ASKED_MAX = 64

_REFUSED = "refused"  # a value of the label `outcome`
_SERIES: dict[str, metric_counters.Series] = {
    outcome: (metric_counters.ACTIONS.name, (outcome,), "") for outcome in ("accepted", "repeated", "checked", _REFUSED)
}
_ACTIONS = re.compile(r"/api/v1/([a-z-]+)(?:/([^/]+))?/actions")

T = TypeVar("T")


class ActionLimits:
    """Rate limits of the actions of people and devices, and the counts of their answers. Any thread may count."""

    def __init__(self, settings: Settings) -> None:
        self.badges = Rate("from one badge", settings.limit_badge)
        self._devices = Rate("from one device", settings.limit_device)
        refused = max(settings.limit_badge / REFUSED_PART, REFUSED_LEAST)
        self._refusals = Rate("of what one badge is refused", refused)

    def admit(self, who: Who) -> None:
        """Raise Busy for a badge over its rate limit."""
        self.badges.require_balance(who.person)
        self._refusals.require_balance(who.person)

    def count(self, command: Command) -> None:
        """Raise Busy for a badge, or a device, with more actions than a person can do."""
        self.badges.take(command.who.person, len(command.actions))
        if command.who.device:
            self._devices.take(command.who.device, len(command.actions))

    def count_replies(self, command: Command, replies: list[Reply], began_ns: int) -> None:
        """Delay the next request after too many refusals. A refused query is not counted, since refusals are its
        purpose.
        """
        if tracing.is_on():
            _trace(command, replies, began_ns)
        outcomes = [_outcome(reply) for reply in replies]
        refused = outcomes.count(_REFUSED)
        if refused and not command.checks:
            with suppress(Busy):  # this one has its answer
                self._refusals.take(command.who.person, refused)
        metric_counters.add([(_SERIES[outcome], 1) for outcome in outcomes])


class ActionReceiver(Receiver):
    """Receiver with rate limits and a cache of answers. In the event loop's thread."""

    def __init__(self, house: Installation, loop: asyncio.AbstractEventLoop, bodies: Bodies) -> None:
        self._desk = house.part(built)
        self._loop, self._bodies = loop, bodies
        self._answers = AnswerDelivery(loop, ANSWER_WITHIN_SECONDS)
        self._roster = Roster()
        self.limits = ActionLimits(house.settings)
        self._repeated_answers = RepeatedAnswers()
        self._strangers = Rate("from one address without a valid badge", STRANGERS_A_SECOND)
        nameless = max(house.settings.limit_address / REFUSED_PART, NAMELESS_LEAST)
        self._nameless = Rate("from one address without any badge", nameless)
        self._check_threads, self._checks_running = ThreadPoolExecutor(ASKING, "questions"), 0

    def close(self) -> None:
        """Let go of the threads."""
        self._check_threads.shutdown(wait=False, cancel_futures=True)
        self._roster.close()

    async def sender(self, headers: Mapping[str, str], source: str) -> Who:
        """Return the sender, without counting the request. Raises NotAuthenticated, and Busy for an address with many
        strangers.

        An unknown badge makes the roster read the directory again, at a limited rate for each address.
        """
        try:
            scheme, secret = badge_and_key_authentication.credential(headers)
        except badge_and_key_authentication.NotAuthenticated:
            self._nameless.take(source)
            raise
        if self._roster.is_old():
            await self._roster.be_fresh()
        try:
            return badge_and_key_authentication.holder_of(scheme, secret, headers, self._roster.find)
        except badge_and_key_authentication.NoPass:
            raise  # signed by no one here: the directory would not know more
        except badge_and_key_authentication.NotAuthenticated:
            self._strangers.take(source)
            await self._roster.look()  # the badge may be a moment old
            return badge_and_key_authentication.holder_of(scheme, secret, headers, self._roster.find)

    def admit(self, who: Who) -> None:
        """Raise Busy for a badge over its rate limit."""
        self.limits.admit(who)

    async def body(self, who: Who, headers: Mapping[str, str], content: Any) -> bytes:
        """Return the body of the request. `content` is the server's protocol."""
        return await self._bodies.read(who.person, headers["Content-Length"], content)

    async def answer(self, command: Command, body: bytes, *, is_single: bool, accepted: str) -> Response:
        """Return the desk's answer to a request, or the cached answer to the same request."""
        self.limits.count(command)
        if (before := self._repeated_answers.find(command, body)) is not None:
            metric_counters.count(metric_counters.ACTIONS, "repeated", amount=len(command.actions))
            return before
        began_ns = time.time_ns()
        replies = await self.decide(command)
        response = answered(command, replies, is_single=is_single, accepted=accepted)
        self._repeated_answers.remember_answer(command, body, replies, response)
        self.limits.count_replies(command, replies, began_ns)
        return response

    def refusal(self, error: Exception, who: Who | None, target: Target, source: str, accepted: str) -> Response:
        """Return the answer to a refused request. No one reads the answer to an aborted body, which is no refusal."""
        if isinstance(error, BodyAborted):
            details = problem_of(error)
            return rendered(details, details.status)
        metric_counters.count(metric_counters.ACTIONS, _REFUSED)
        return super().refusal(error, who, target, source, accepted)

    async def find_sender(self, headers: Mapping[str, str], source: str) -> Who:
        """Return the sender. Raises NotAuthenticated, and Busy for a badge over its rate limit."""
        sender = await self.sender(headers, source)
        self.limits.badges.require_balance(sender.person)
        return sender

    async def decide(self, command: Command) -> list[Reply]:
        """Return the desk's replies. A check is decided beside the desk's writer."""
        if command.checks:
            return await self._run_in_check_thread(self._desk.do, command)
        if stream_kind_declaration.kind_by_name(command.target.kind).routing.look_up is None:
            submitted = self._desk.submit(command)
        else:  # it asks a database, for which the event loop does not wait
            submitted = await self._run_in_check_thread(self._desk.submit, command)
        return await self._answers.result(submitted)

    async def _run_in_check_thread(self, work: Callable[[Command], T], command: Command) -> T:
        """The result of work in a thread of its own."""
        if self._checks_running >= ASKED_MAX:
            raise Busy(coded("checks-waiting", count=ASKED_MAX))
        self._checks_running += 1
        try:
            return await self._loop.run_in_executor(self._check_threads, work, command)
        finally:
            self._checks_running -= 1


def target_of(path: str, query: str) -> Target | None:
    """The stream for which a POST to this address has actions; None: the address is no such one."""
    match = _ACTIONS.fullmatch(path)
    if match is None:
        return None
    kind_name, name = match.groups("")
    kind = stream_kind_declaration.kinds_with_actions().get(kind_name)
    if kind is None or kind.is_named != bool(name):
        return None
    return Target(kind_name, name, parse_qs(query).get("gaming_day", [None])[0] if query else None)


def _trace(command: Command, replies: list[Reply], began_ns: int) -> None:
    """Add a span of the request to the trace of its append. A refused or repeated request appends nothing."""
    written = [reply for reply in replies if isinstance(reply, Answer) and reply.events and not reply.repeated]
    if written:
        raw, first = bytes(written[0].events[0].event), tracing.request_span(command.actions[0].key)
        span = tracing.SpanPlace(tracing.place("append", raw).trace, first)
        tracing.emit("request", span, began_ns, kind=command.target.kind, actions=len(command.actions))


def _outcome(reply: Reply) -> str:
    """A value of the label `outcome`."""
    if isinstance(reply, Problem):
        return _REFUSED
    if isinstance(reply, Answer):
        return "repeated" if reply.repeated else "accepted"
    return "checked"


# Answers to repeated keys: for one second, the answer to the first repeat serves all repeats.
# The first answer to a key is its permanent answer, so the desk would read the same events and answer the same. The
# desk is still asked once a second: a restored store may no longer hold the events of an answer.
OLD_S = 1.0
MAX_KEPT = 256
MAX_BODY = 65_536  # of an answer

Question = tuple[object, ...]


class RepeatedAnswers:
    """Cache of answers to repeated requests, by sender and content. In the event loop's thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._repeats: dict[Question, tuple[float, Response]] = {}  # the oldest first

    def find(self, command: Command, body: bytes) -> Response | None:
        """The answer, if it was given less than a second ago."""
        if not self._repeats:
            return None
        entry = self._repeats.get(_question_of(command, body))
        return entry[1] if entry is not None and self._clock() - entry[0] < OLD_S else None

    def remember_answer(self, command: Command, body: bytes, replies: list[Reply], response: Response) -> None:
        """Remember an answer in which everything is a repeat. Others may differ the next time."""
        for reply in replies:
            if not isinstance(reply, Answer) or not reply.repeated:
                return
        if len(response.body) > MAX_BODY:
            return
        question = _question_of(command, body)
        self._repeats.pop(question, None)
        if len(self._repeats) >= MAX_KEPT:
            del self._repeats[next(iter(self._repeats))]
        self._repeats[question] = (self._clock(), response)


def _question_of(command: Command, body: bytes) -> Question:
    """Return the same key for the same sender, content and address."""
    return command.target, command.who.person, command.who.device, command.who.table, hashlib.sha256(body).digest()
