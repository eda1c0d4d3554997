"""What is written down of who looks at what: searches, people, exports, certificates (`backoffice/access/looks.py`)."""

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from backoffice.access.looks import EXPORT, EXPORTED, add
from backoffice.kit.readers import Reader
from events.errors import Retry

log = logging.getLogger(__name__)

Found = TypeVar("Found")


class Looks(msgspec.Struct, frozen=True):
    """That a look at it is written down: as what, and how many things an answer holds (None: not counted)."""

    kind: str
    count: Callable[[Any], int | None] = lambda _found: None


AN_EXPORT = Looks(EXPORT)


class Looking:
    """One look, by somebody, at something; `found` is how many things the answer holds, where that is known."""

    def __init__(self, looks: Looks | None, request: HttpRequest, reader: Reader) -> None:
        self._looks = looks
        self._request = request
        self._reader = reader
        self.found: int | None = None

    def at(self, found: Found) -> Found:
        """What was found, counted."""
        if self._looks is not None:
            self.found = self._looks.count(found)
        return found

    def written(self, answer: HttpResponseBase) -> HttpResponseBase:
        """The answer, once it is written down who gets it. A refusal shows nothing. Raises Retry: then nobody does."""
        if self._looks is not None and answer.status_code < 400:
            self._line(self._looks.kind, self.found)
        return answer

    def sent(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """Of a long file each part, and in the end a line that says how many lines of it have gone out."""
        lines = 0
        try:
            for part in parts:
                yield part
                lines += part.count(b"\n")
        finally:
            try:
                self._line(EXPORTED, lines)
            except Retry as error:  # the line that it began is there
                log.warning("how much of an export went out is not written down: %s", error)

    def _line(self, kind: str, found: int | None) -> None:
        source = self._request.META.get("REMOTE_ADDR", "")
        who = {"person": self._reader.person, "device": self._reader.device or self._reader.display}
        add(kind, self._request.get_full_path(), source=source, found=found, **who)
