"""Answers to keys that come repeatedly: for a second the first repeat's answer is everybody's.

The first answer to a key is its answer permanently, so the desk would read the same events and say the same. It is
asked once a second all the same: what a store put back from a backup no longer holds is no one's answer for
longer.
"""

import hashlib
import time
from collections.abc import Callable

from backoffice.api.answer import Response
from events.desk.commands import Answer, Command, Reply

OLD_S = 1.0
MAX_KEPT = 256
MAX_BODY = 65_536  # of an answer

Question = tuple[object, ...]


class RepeatedAnswers:
    """Cache of answers to repeated requests, by sender and content. In the event loop's thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[Question, tuple[float, Response]] = {}  # the oldest first

    def find(self, question: Question) -> Response | None:
        """The answer, if it was given less than a second ago."""
        entry = self._kept.get(question)
        return entry[1] if entry is not None and self._clock() - entry[0] < OLD_S else None

    def keep(self, question: Question, replies: list[Reply], response: Response) -> None:
        """Remember an answer in which everything is a repeat. Others may differ the next time."""
        if len(response.body) > MAX_BODY or not all(isinstance(reply, Answer) and reply.repeated for reply in replies):
            return
        self._kept.pop(question, None)
        if len(self._kept) >= MAX_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[question] = (self._clock(), response)


def asked_of(command: Command, body: bytes) -> Question:
    """The same for who sends the same to the same place."""
    return command.target, command.who.person, command.who.device, command.who.table, hashlib.sha256(body).digest()
