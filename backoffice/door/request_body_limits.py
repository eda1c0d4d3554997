"""Bodies: of limited size, in limited time, and few of one sender that are still on their way."""

import asyncio
from typing import Any

from granian._granian import RSGIProtocolClosed

from backoffice.api.actions import MAX_BODY, BodyTooLarge
from backoffice.door.equal_time_limits_with_one_timer import EqualTimeLimits
from events.error_codes import coded
from events.errors import Busy, Retry

WITHIN_S = 5.0
LARGE_WITHIN_S = 120.0  # for an attachment of a case
AT_ONCE = 64  # of one sender: a badge, or an address
AT_ONCE_IN_ALL = 1_024
LARGE_AT_ONCE = 2  # attachments of one sender; each takes its whole size of memory
LARGE_IN_ALL = 8


class BodyTimeout(Retry):
    """A body that did not come in time."""


class BodyAborted(Retry):
    """The sender closed the connection in the middle of a body. No answer is sent."""


class Bodies:
    """Reads bodies, and knows how many are being read."""

    def __init__(self, within_s: float = WITHIN_S, at_once: int = AT_ONCE, in_all: int = AT_ONCE_IN_ALL) -> None:
        self._small = _BodiesOnTheirWay(within_s, at_once, in_all)
        self._large = _BodiesOnTheirWay(LARGE_WITHIN_S, LARGE_AT_ONCE, LARGE_IN_ALL)

    async def read(self, sender: str, length: str, proto: Any, *, most: int = MAX_BODY) -> bytes:
        """The whole body. Raises Busy, BodyTimeout, BodyAborted and BodyTooLarge; then the connection is closed.

        A body that may be larger than actions are has more time. Few of them are read at once.
        """
        is_known = length.isdigit()
        if is_known and int(length) > most:
            raise BodyTooLarge
        is_large = most > MAX_BODY and not (is_known and int(length) <= MAX_BODY)
        bodies = self._large if is_large else self._small
        bodies.begin(sender)
        try:
            async with asyncio.Timeout(None) as timeout:
                bodies.limits.begin(timeout)
                try:
                    return await (proto() if is_known else _in_pieces(proto, most))
                finally:
                    bodies.limits.forget(timeout)
        except TimeoutError:
            raise BodyTimeout(f"the body did not come within {bodies.limits.within_s:g} s") from None
        except RSGIProtocolClosed:
            raise BodyAborted("the connection was closed before the body had come") from None
        finally:
            bodies.end_body(sender)


class _BodiesOnTheirWay:
    """How many bodies of one size class are being read, and how long each may take."""

    def __init__(self, within_s: float, at_once: int, in_all: int) -> None:
        self.limits: EqualTimeLimits[asyncio.Timeout] = EqualTimeLimits(within_s, _expire)
        self._at_once, self._in_all = at_once, in_all
        self._count_by_sender: dict[str, int] = {}
        self._count = 0

    def begin(self, sender: str) -> None:
        """Count a body. Raises Busy and Retry where too many are on their way."""
        count = self._count_by_sender.get(sender, 0)
        if count >= self._at_once:
            raise Busy(coded("own-requests-on-their-way", count=self._at_once))
        if self._count >= self._in_all:
            raise Retry(coded("requests-on-their-way"))
        self._count_by_sender[sender] = count + 1
        self._count += 1

    def end_body(self, sender: str) -> None:
        """Count a body no longer."""
        self._count -= 1
        self._count_by_sender[sender] -= 1
        if not self._count_by_sender[sender]:
            del self._count_by_sender[sender]


def _expire(timeout: asyncio.Timeout) -> None:
    """Raise TimeoutError where this is waited for."""
    timeout.reschedule(asyncio.get_running_loop().time())


async def _in_pieces(proto: Any, most: int) -> bytes:
    """Read a body without a length, up to this many bytes."""
    content = bytearray()
    async for piece in proto:
        content += piece
        if len(content) > most:
            raise BodyTooLarge(len(content))
    return bytes(content)
