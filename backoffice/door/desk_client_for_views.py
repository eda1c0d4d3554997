"""The way of Django's views in the door's process to its desk: under the same limits as an action from outside."""

import logging
import time
from urllib.parse import unquote

from backoffice.api.actions import ThreadReceiver, answered, respond
from backoffice.api.json_response import Response
from backoffice.door.action_receiver import ActionLimits, target_of
from backoffice.http.http_client_to_door import DoorAnswer
from backoffice.installation.processes_in_start_order import LOOPBACK
from events.desk.command_and_answer_structs import Command
from events.envelope import Who
from events.runtime import metric_counters
from events.streams.stream_kind_declaration import Target

log = logging.getLogger(__name__)


class LimitedThreadReceiver(ThreadReceiver):
    """Receiver in the thread of a view, which waits for the desk there: no event loop is between them."""

    def __init__(self, limits: ActionLimits) -> None:
        self._limits = limits

    def admit(self, who: Who) -> None:
        """Raise Busy for a badge over its rate limit."""
        self._limits.admit(who)

    async def answer(self, command: Command, body: bytes, *, is_single: bool, accepted: str) -> Response:
        """Return the desk's answer to a request."""
        self._limits.count(command)
        began_ns = time.time_ns()
        replies = await self.decide(command)
        self._limits.count_replies(command, replies, began_ns)
        return answered(command, replies, is_single=is_single, accepted=accepted)

    def refusal(self, error: Exception, who: Who | None, target: Target, source: str, accepted: str) -> Response:
        """Return the answer to a refused request, and count it."""
        metric_counters.count(metric_counters.ACTIONS, "refused")
        return super().refusal(error, who, target, source, accepted)


class InProcessDeskClient:
    """A client of the door for threads of its process."""

    def __init__(self, limits: ActionLimits) -> None:
        self._receiver, self._is_closed = LimitedThreadReceiver(limits), False

    def close(self) -> None:
        """Send nothing more: the desk closes."""
        self._is_closed = True

    def post(self, path: str, *, content: bytes, headers: dict[str, str]) -> DoorAnswer:
        """Send actions. Raises ConnectionError where there is no answer."""
        if self._is_closed:
            raise ConnectionError("the web process ends")
        place, _, query = path.partition("?")
        target = target_of(unquote(place), query)
        if target is None:
            raise ValueError(f"no action is taken at {path}")
        began = time.perf_counter()
        try:
            response = respond(target, headers, lambda _most: content, LOOPBACK, self._receiver)
        except Exception as error:
            log.exception("the desk gave no answer to an entry")
            raise ConnectionError(str(error)) from error
        metric_counters.observe(metric_counters.ACTION, time.perf_counter() - began)
        return DoorAnswer(response.status, response.body)
