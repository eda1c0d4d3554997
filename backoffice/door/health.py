"""Whether the house serves, for supervisors and load balancers: asked as often as anybody likes, looked at seldom."""

import asyncio
import time
from collections.abc import Callable

from backoffice.api.answer import Response, rendered
from backoffice.door.forward import Answer, Forward, Request
from backoffice.request_rules import Pairs
from events.errors import Busy, PitledgerError

PATH = "/healthz"
OLD_S = 1.0
_ASKED = Request("GET", PATH, "", [("host", "localhost")], b"", "127.0.0.1")


class Health:
    """The word of the pages, as of a second ago at most: one request of ours, however many want to know.

    So it needs no limit, and whoever floods it takes no page's place. In the event loop's thread.
    """

    def __init__(
        self, pages: Forward, headers: Callable[[Response], Pairs], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._pages, self._headers, self._clock = pages, headers, clock
        self._looking: asyncio.Task[Answer] | None = None
        self._as_of = float("-inf")

    async def now(self) -> Answer:
        """What there is to say."""
        if self._looking is None or (self._looking.done() and self._clock() - self._as_of > OLD_S):
            self._looking, self._as_of = asyncio.create_task(self._look()), self._clock()
        return await asyncio.shield(self._looking)

    async def _look(self) -> Answer:
        try:
            return await self._pages.pass_on(_ASKED)
        except (Busy, PitledgerError) as error:
            found = _without_pages(error)
            return Answer(found.status, self._headers(found), found.body)


def _without_pages(error: Exception) -> Response:
    """Actions are taken all the same."""
    return rendered({"status": "degraded", "down": {"pages": str(error)}}, 200)
