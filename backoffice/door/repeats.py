"""Answers to repeated keys: for one second, the answer to the first repeat serves all repeats.

The first answer to a key is its permanent answer, so the desk would read the same events and answer the same. The desk
is still asked once a second: a restored store may no longer hold the events of an answer.
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
