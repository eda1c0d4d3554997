"""Rules of pages for the access log of personal data: searches, people, exports, certificates."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from http import HTTPStatus
from typing import Any, Protocol, TypeVar
from urllib.parse import quote, unquote

import msgspec
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from msgspec.structs import replace

from backoffice.kit.reader_and_read_rule_types import Reader
from events.errors import Retry

logger = logging.getLogger(__name__)

Result = TypeVar("Result")


class ViewLog(Protocol):
    """The access log of personal data, with its kinds of lines for files."""

    EXPORT: str
    EXPORT_ASKED: str
    EXPORTED: str

    def add(
        self, kind: str, what: str, *, person: str = "", device: str = "", source: str = "", count: int | None = None
    ) -> int: ...
    def has_looked(self, kind: str, what: str, *, person: str, device: str, any_query: bool = False) -> bool: ...
    def last_look(self, kind: str, *, person: str, device: str, within: timedelta) -> str: ...


class AccessLogRule(msgspec.Struct, frozen=True):
    """Rule by which an answer is recorded in the access log: its kind, and the number of its entries (None: not
    counted).

    `when`: only for these requests. `is_part`: the answer is loaded into the page one step above it. It needs no line
    of its own if that page has one with the same query; `of_path`: with any query. `shown`: the ids that an answer
    lists. An answer without new ids, as while the user types on, needs no line.
    """

    kind: str
    count: Callable[[Any], int | None] = lambda _result: None
    when: Callable[[HttpRequest], bool] = lambda _request: True
    is_part: bool = False
    of_path: bool = False
    shown: Callable[[Any], Sequence[str]] | None = None


def part_of(looks: AccessLogRule | None) -> AccessLogRule | None:
    """Return the rule for a part of a page that is recorded by this rule."""
    return None if looks is None else replace(looks, is_part=True)


SHOWN = "shown="  # behind an address: the ids that its answer listed
TYPING = timedelta(minutes=10)  # time for which a repeated list needs no line of its own
_ENCODED_DELIMITERS = re.compile("%(?:23|25|26|3F)", re.IGNORECASE)  # characters that would change the address


def readable(address: str) -> str:
    """Return an address without percent signs, except those that separate its parts, or stand for invisible
    characters.
    """
    parts = re.split(f"({_ENCODED_DELIMITERS.pattern})", address, flags=re.IGNORECASE)
    text = "".join(part if _ENCODED_DELIMITERS.fullmatch(part) else unquote(part) for part in parts)
    return "".join(character if character.isprintable() else quote(character) for character in text)


def readable_query(part: str) -> str:
    """Return a part of a query string likewise; a plus is a blank there."""
    return readable(part.replace("+", " ").replace("%2B", "+").replace("%2b", "+"))


class AccessLogEntry:
    """The access log entry of one request; `entry_count` is the number of entries in the answer, if known."""

    def __init__(self, log: ViewLog, looks: AccessLogRule | None, request: HttpRequest, reader: Reader) -> None:
        self._log = log
        self._looks = looks
        self._request = request
        self._reader = reader
        self.entry_count: int | None = None
        self._shown: Sequence[str] = ()

    def at(self, result: Result) -> Result:
        """Count a result and return it."""
        if self._looks is not None:
            self.entry_count = self._looks.count(result)
            if self._looks.shown is not None:
                self._shown = self._looks.shown(result)
                self.entry_count = len(self._shown)
        return result

    def asks_for_file(self) -> None:
        """Record the request for a file; this answer does not contain the file yet."""
        self._looks = AccessLogRule(self._log.EXPORT_ASKED)

    def skip(self) -> None:
        """Write no line: the answer shows nothing of it yet."""
        self._looks = None

    def log_answer(self, answer: HttpResponseBase) -> HttpResponseBase:
        """The answer, once it is written down who gets it. A refusal shows nothing. Raises Retry: then no one
        does."""
        looks, shows = self._looks, answer.status_code < 400 and answer.status_code != HTTPStatus.NO_CONTENT
        if looks is not None and shows and looks.when(self._request) and not self._is_known(looks):
            self._log_line(looks.kind, self.entry_count)
        return answer

    def _is_known(self, looks: AccessLogRule) -> bool:
        """Return whether a line for this answer exists: for the page that it is a part of, or for the same request."""
        if looks.shown is not None:
            last = self._log.last_look(looks.kind, within=TYPING, **self._person_fields)
            return not {*self._shown} - {*last.rpartition(SHOWN)[2].split(",")}
        if not looks.is_part:
            return False
        address, mark, query = self._address.partition("?")
        query_string = "" if looks.of_path else f"{mark}{query}"
        earlier = (f"{path}{query_string}" for path in (address.rpartition("/")[0], address))
        return any(
            self._log.has_looked(looks.kind, target, any_query=looks.of_path, **self._person_fields)
            for target in earlier
        )

    def log_sent_parts(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the parts of a long file, and at the end record how many lines were sent."""
        lines = 0
        try:
            for part in parts:
                yield part
                lines += part.count(b"\n")
        finally:
            try:
                self._log_line(self._log.EXPORTED, lines)
            except Retry as error:  # the line that it began is there
                logger.warning("how much of an export went out is not written down: %s", error)

    def _log_line(self, kind: str, count: int | None) -> None:
        source, target = self._request.META.get("REMOTE_ADDR", ""), self._address
        if self._shown:
            target = f"{target}{'&' if '?' in target else '?'}{SHOWN}{','.join(self._shown)}"
        self._log.add(kind, target, source=source, count=count, **self._person_fields)

    @property
    def _address(self) -> str:
        """Return the address of the page as people read it, without the parameter `seen`."""
        address, _mark, query = self._request.get_full_path().partition("?")
        shown_query = "&".join(
            readable_query(part) for part in query.split("&") if part and not part.startswith("seen=")
        )
        return f"{readable(address)}?{shown_query}" if shown_query else readable(address)

    @property
    def _person_fields(self) -> dict[str, str]:
        return {"person": self._reader.person, "device": self._reader.device or self._reader.display}
