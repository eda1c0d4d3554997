"""Rules that every request obeys, so that no two layers read one differently: the front door, the live process, the
pages.

A request with two readings is refused with a 400 before any other check. Headers by which a proxy would report the
sender of a request are dropped, because no proxy is named. Names with an underscore are dropped too, since WSGI cannot
distinguish them from names with a hyphen.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import parse_qsl

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from backoffice.http.short_text_cache import cached_for_short_texts
from backoffice.running.database_and_mail_settings import LOOPBACK
from events.error_codes import ErrorText, coded
from events.streams.problem_details import Problem, problem_about

Pairs = list[tuple[str, str]]

# RFC 9110, 5.3: lists, which may come in several lines. Any other header comes once.
_LISTS = frozenset(
    {
        *("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection"),
        *("if-match", "if-none-match", "pragma", "prefer", "te", "trailer", "upgrade", "via", "warning"),
    }
)
# Headers of a proxy about the sender, the host or the original form of a request.
_OF_PROXIES = frozenset(
    {
        *("forwarded", "proxy", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip"),
        *("cf-connecting-ip", "fastly-client-ip", "x-host", "x-original-host", "x-original-url", "x-rewrite-url"),
        *("x-http-method", "x-http-method-override", "x-method-override", "x-url-scheme", "front-end-https"),
    }
)
_FORWARDED = "x-forwarded-"
_CONNECTIONS = frozenset({"close", "keep-alive", "upgrade", "te", "http2-settings", ""})
_LENGTH = re.compile(r"[0-9]{1,18}")
_PLAIN = re.compile(r"/[A-Za-z0-9/_-]*")  # most paths, in which nothing else need be looked for
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f\\\ufffd\ud800-\udfff]")
_DOTS = re.compile(r"(?:^|/)\.{1,2}(?:/|$)")
_CHARSET = re.compile(r"charset(\*?)\s*=\s*\"?([^\";,\s]*)", re.IGNORECASE)
_CHARSETS = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_ONCE = frozenset({"gaming_day", "at_least", "within"})  # parameters that more than one layer reads


class _AcceptedNames(NamedTuple):
    """Names of headers in lower case by their place among those sent, and the places whose values are checked."""

    names: list[tuple[int, str]]
    checks: list[tuple[int, Callable[[str], None]]]
    sent_count: int


class Ambiguous(Exception):
    """Two layers could read this request differently (HTTP 400). `text` is the code of the reason."""

    def __init__(self, text: ErrorText) -> None:
        super().__init__(text)
        self.text = text


def problem(error: Ambiguous) -> Problem:
    """The answer to a request with two readings."""
    return problem_about(HTTPStatus.BAD_REQUEST, "Ambiguous request", error.text)


def accepted_headers(headers: Pairs, dropped: frozenset[str] = frozenset()) -> Pairs:
    """The headers that count, names in lower case, without the dropped ones. Raises Ambiguous for one that contradicts
    itself or another.
    """
    if not headers:
        return []
    sent = "\n".join([name for name, _ in headers])
    accepted = _accepted_names(sent, dropped)
    if accepted.sent_count != len(headers):
        raise ValueError("the name of a header has a line break")
    for place, check in accepted.checks:
        check(headers[place][1])
    return [(name, headers[place][1]) for place, name in accepted.names]


def require_plain_target(path: str, query: str) -> None:
    """Raise Ambiguous for an address that is not read in the same way everywhere."""
    if not path.startswith("/") and path != "*":
        raise Ambiguous(coded("request-address-slash"))
    if not _PLAIN.fullmatch(path) and (_UNREADABLE.search(path) or _DOTS.search(path)):
        raise Ambiguous(coded("request-address-characters"))
    if query and any(name in query for name in _ONCE):
        names = [name for name, _ in parse_qsl(query, keep_blank_values=True) if name in _ONCE]
        if len(set(names)) < len(names):
            raise Ambiguous(coded("request-parameter-twice"))


def require_one_host(host: str, authority: str | None) -> None:
    """Raise Ambiguous where a whole address (`GET http://...`) names another host than the header does."""
    if authority and authority.lower() != host.lower():
        raise Ambiguous(coded("request-two-hosts"))


def is_loopback(host: str) -> bool:
    """Return whether a Host header names this machine itself."""
    return _is_among(host, LOOPBACK)


def is_of_proxies(name: str) -> bool:
    """Return whether a header, by its name in lower case, is one that proxies set."""
    return name in _OF_PROXIES or name.startswith(_FORWARDED) or name == "via"


def is_ours(host: str) -> bool:
    """Return whether this house goes by the name of a Host header."""
    return _is_among(host, tuple(settings.ALLOWED_HOSTS))


@cached_for_short_texts
def _is_among(host: str, names: tuple[str, ...]) -> bool:
    return validate_host(split_domain_port(host)[0], names)


@cached_for_short_texts
def _accepted_names(sent: str, dropped: frozenset[str]) -> _AcceptedNames:
    """Return the names of those lines of headers that count. Raises Ambiguous for one that comes twice."""
    names = [_accepted_name(name) for name in sent.split("\n")]
    once = [name for name in names if name and name not in _LISTS]
    if len(set(once)) < len(once):
        twice = next(name for name in once if once.count(name) > 1)
        raise Ambiguous(coded("request-header-twice", header=twice))
    if {"content-length", "transfer-encoding"} <= set(once):
        raise Ambiguous(coded("request-two-lengths"))
    accepted = [(place, name) for place, name in enumerate(names) if name and name not in dropped]
    checks = [(place, _CHECKS[name]) for place, name in accepted if name in _CHECKS]
    return _AcceptedNames(accepted, checks, len(names))


def _accepted_name(name: str) -> str:
    """Return the name of a header in lower case; "" where the header is dropped."""
    plain = name.lower()
    return "" if "_" in plain or (plain != "via" and is_of_proxies(plain)) else plain


def _check_length(value: str) -> None:
    if not _LENGTH.fullmatch(value):
        raise Ambiguous(coded("request-length-format"))


def _check_transfer(value: str) -> None:
    if value.lower() != "chunked":
        raise Ambiguous(coded("request-transfer-encoding"))


def _check_connection(value: str) -> None:
    for token in value.split(","):
        if token.strip().lower() not in _CONNECTIONS:
            raise Ambiguous(coded("request-connection", option=token.strip()[:40]))


@cached_for_short_texts  # a refused value is checked again
def _check_kind(value: str) -> None:
    for star, charset in _CHARSET.findall(value):
        if star or charset.lower() not in _CHARSETS:
            raise Ambiguous(coded("request-charset"))


_CHECKS: dict[str, Callable[[str], None]] = {
    "content-length": _check_length,
    "transfer-encoding": _check_transfer,
    "connection": _check_connection,
    "content-type": _check_kind,
}
