"""Bodies: of limited size, in limited time, and few of one sender that are still on their way."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from granian._granian import RSGIProtocolClosed

from backoffice.api.actions import MAX_BODY, TooLarge
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
        self._within_s, self._at_once, self._in_all = within_s, at_once, in_all
        self._bodies_by_sender: Counter[str] = Counter()
        self._large_bodies_by_sender: Counter[str] = Counter()

    async def read(self, sender: str, length: str, proto: Any, *, most: int = MAX_BODY) -> bytes:
        """The whole body. Raises Busy, BodyTimeout, BodyAborted and TooLarge; then the connection is closed.

        A body that may be larger than actions are has more time. Few of them are read at once.
        """
        if length.isdigit() and int(length) > most:
            raise TooLarge
        is_large = most > MAX_BODY and not (length.isdigit() and int(length) <= MAX_BODY)
        within_s = LARGE_WITHIN_S if is_large else self._within_s
        with self._counted(sender, is_large=is_large):
            try:
                async with asyncio.timeout(within_s):
                    return await (proto() if length.isdigit() else _in_pieces(proto, most))
            except TimeoutError:
                raise BodyTimeout(f"the body did not come within {within_s:g} s") from None
            except RSGIProtocolClosed:
                raise BodyAborted("the connection was closed before the body had come") from None

    @contextmanager
    def _counted(self, sender: str, *, is_large: bool) -> Iterator[None]:
        reading, at_once, in_all = self._bodies_by_sender, self._at_once, self._in_all
        if is_large:
            reading, at_once, in_all = self._large_bodies_by_sender, LARGE_AT_ONCE, LARGE_IN_ALL
        if reading[sender] >= at_once:
            raise Busy(coded("own-requests-on-their-way", count=at_once))
        if reading.total() >= in_all:
            raise Retry(coded("requests-on-their-way"))
        reading[sender] += 1
        try:
            yield
        finally:
            reading[sender] -= 1
            if not reading[sender]:
                del reading[sender]


async def _in_pieces(proto: Any, most: int) -> bytes:
    """Read a body without a length, up to this many bytes."""
    content = bytearray()
    async for piece in proto:
        content += piece
        if len(content) > most:
            raise TooLarge(len(content))
    return bytes(content)
