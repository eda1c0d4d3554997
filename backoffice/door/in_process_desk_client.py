"""The way of Django's views in the door's process to its desk: through the same checks as an action from outside."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any

from backoffice.api.json_response import Response
from backoffice.http.requests_to_door import DoorAnswer
from backoffice.people.action_submission import WITHIN_S

Taking = Callable[[str, dict[str, str], bytes], Coroutine[Any, Any, Response]]


class InProcessDeskClient:
    """A client of the door for threads of its process; `taking` answers a POST in the event loop."""

    def __init__(self, taking: Taking, loop: asyncio.AbstractEventLoop) -> None:
        self._taking, self._loop = taking, loop
        self._asked: set[Future[Response]] = set()
        self._lock, self._is_closed = threading.Lock(), False

    def post(self, path: str, *, content: bytes, headers: dict[str, str]) -> DoorAnswer:
        """Send a request. Raises TimeoutError, and ConnectionError while the process ends."""
        with self._lock:
            if self._is_closed:
                raise ConnectionError("the process ends")
            future = asyncio.run_coroutine_threadsafe(self._taking(path, headers, content), self._loop)
            self._asked.add(future)
        try:
            response = future.result(WITHIN_S)
        except CancelledError as error:
            raise ConnectionError("the process ends") from error
        finally:
            with self._lock:
                self._asked.discard(future)
        return DoorAnswer(response.status, response.body)

    def close(self) -> None:
        """Let go of the threads that wait: the loop will not answer them any more."""
        with self._lock:
            self._is_closed, waiting = True, list(self._asked)
        for future in waiting:
            future.cancel()
