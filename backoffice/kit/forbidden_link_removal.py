"""Links that the reader of a page may not follow: they are shown as plain words.

A figure links to its source, and a reader without access to it would be refused. Templates do not know their reader.
"""

import re
from collections.abc import Iterable

import msgspec
from django.urls import URLPattern

from backoffice.kit.reader_and_read_rule_types import Reader, ReadRule

_LINK = re.compile(rb'(<a\b[^>]*?) href="(/[^"?#]*)[^"]*"')
_NAMED = re.compile(r"\(\?P<\w+>")


class ClosedLinks:
    """The addresses of a site that are closed to readers of the same roles."""

    def __init__(self, patterns: Iterable[URLPattern]) -> None:
        self._rules = [(pattern.callback.open_to, _text(pattern)) for pattern in patterns]  # type: ignore[attr-defined]  # it has one
        self._closed_by_kind: dict[tuple[frozenset[str], bool, bool, bool], re.Pattern[str] | None] = {}

    def remove_links(self, html: bytes, reader: Reader) -> bytes:
        """The page, with every link that is closed to this reader as plain words."""
        closed = self._closed_to(reader)
        if closed is None:
            return html

        def left(link: re.Match[bytes]) -> bytes:
            return link[1] if closed.fullmatch(link[2].decode()) else link[0]

        return _LINK.sub(left, html)

    def is_open_to(self, path: str, reader: Reader) -> bool:
        """Return whether this reader may open this address."""
        closed = self._closed_to(reader)
        return closed is None or not closed.fullmatch(path)

    def _closed_to(self, reader: Reader) -> re.Pattern[str] | None:
        reader_kind = (reader.roles, bool(reader.person or reader.device), bool(reader.display), reader.is_wall)
        if reader_kind not in self._closed_by_kind:
            texts = [text for rule, text in self._rules if not _might_admit(rule, reader)]
            self._closed_by_kind[reader_kind] = re.compile("|".join(texts)) if texts else None
        return self._closed_by_kind[reader_kind]


def _might_admit(rule: ReadRule, reader: Reader) -> bool:
    """Return whether the rule admits the reader as long as nothing is sealed; the page itself checks that."""
    return msgspec.structs.replace(rule, sealed=None).admits(reader)


def _text(pattern: URLPattern) -> str:
    """Return its address as a regular expression without names, from the first slash to the last character."""
    text = _NAMED.sub("(?:", pattern.pattern.regex.pattern)
    return "/" + text.removeprefix("^").removesuffix(r"\Z")
