"""The health of the house for people and monitoring, and the readiness of this process for orchestrators.

Both answers are cached for a second. A house without Kafka, pages or live process still takes actions: its `/healthz`
answers "degraded", and its `/readyz` answers ready.
"""

import asyncio
import time
from collections.abc import Callable
from http import HTTPStatus

import msgspec
from eventsourcing.persistence import PersistenceError
from msgspec.structs import replace

from backoffice.api.json_response import Response, rendered
from backoffice.door.http_request_forwarding import ForwardedRequest, Upstream, UpstreamAnswer
from backoffice.house.problem_remedies import Problem, do_for
from backoffice.http import probe_paths
from backoffice.http.shared_request_ambiguity_checks import Pairs
from events.errors import Busy, PitledgerError
from events.store import EventStore

PATH = "/healthz"
PATHS = frozenset({PATH, probe_paths.LIVE, probe_paths.READY})
OLD_S = 1.0
ANSWER_S = 3.0  # of the event store; a person who takes longer is away
_OBSERVING_REQUEST = ForwardedRequest("GET", PATH, "", [("host", "localhost")], b"", "127.0.0.1", may_observe=True)


class Health:
    """The health report of the pages, at most a second old: one request to them, for any number of clients.

    So it needs no limit, and a flood of requests takes no page's place. In the event loop's thread.
    """

    def __init__(
        self, pages: Upstream, headers: Callable[[Response], Pairs], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._pages, self._headers, self._clock = pages, headers, clock
        self._health_task: asyncio.Task[UpstreamAnswer] | None = None
        self._as_of = float("-inf")

    async def now(self, *, is_detailed: bool = True) -> UpstreamAnswer:
        """The state of the house; details only for those who may read them (`backoffice/http/monitoring_access.py`)."""
        answer = await self._latest_answer()
        return answer if is_detailed else _without_details(answer)

    async def _latest_answer(self) -> UpstreamAnswer:
        if self._health_task is None or (self._health_task.done() and self._clock() - self._as_of > OLD_S):
            self._health_task, self._as_of = asyncio.create_task(self._look()), self._clock()
        return await asyncio.shield(self._health_task)

    async def _look(self) -> UpstreamAnswer:
        try:
            return await self._pages.pass_on(_OBSERVING_REQUEST)
        except (Busy, PitledgerError) as error:
            response = _without_pages(error)
            return UpstreamAnswer(response.status, self._headers(response), response.body)


def _without_details(answer: UpstreamAnswer) -> UpstreamAnswer:
    """The state in one word, with the same status."""
    try:
        state = str(msgspec.json.decode(answer.body)["status"])
    except (msgspec.DecodeError, KeyError, TypeError):
        state = "down"
    return replace(answer, body=msgspec.json.encode({"status": state}))


def _without_pages(error: Exception) -> Response:
    """Actions are taken all the same."""
    problem = Problem("pages", "silent", str(error), do_for("pages", "silent"))
    return rendered({"status": "degraded", "problems": [problem], "down": {"pages": problem.why}}, 200)


class Readiness:
    """Readiness of this process: the event store answers. Cached for a second. In the event loop's thread."""

    def __init__(self, store: Callable[[], EventStore], clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._readiness_task: asyncio.Task[str] | None = None
        self._as_of = float("-inf")

    async def now(self) -> Response:
        """200 where actions can be taken, 503 with the reason where they cannot."""
        if self._readiness_task is None or (self._readiness_task.done() and self._clock() - self._as_of > OLD_S):
            self._readiness_task, self._as_of = asyncio.create_task(self._ask()), self._clock()
        if why := await asyncio.shield(self._readiness_task):
            return rendered({"status": "down", "why": why}, HTTPStatus.SERVICE_UNAVAILABLE)
        return rendered({"status": "ok"}, HTTPStatus.OK)

    async def _ask(self) -> str:
        """Return why the store does not answer; "" where it does."""
        try:
            async with asyncio.timeout(ANSWER_S):
                await asyncio.to_thread(lambda: self._store().position())
        except (TimeoutError, PitledgerError, PersistenceError, OSError):
            return "the event store does not answer"
        return ""
