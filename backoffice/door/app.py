"""The application behind the house's one address (RSGI, in granian).

A dealer's action is taken here. All else - pages, figures, files - is answered by the process of the pages, from which
it is fetched, and a wait for a position by the live one: whatever they do, and whether they run or not, actions go on.
"""

import asyncio
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings as of_django
from django.http.request import split_domain_port, validate_host

from backoffice import passes
from backoffice.access.log import access_log
from backoffice.api.actions import REFUSALS
from backoffice.api.answer import Response, rendered
from backoffice.api.desk import prepare
from backoffice.credentials import NotAuthenticated
from backoffice.door import health
from backoffice.door.bodies import Bodies
from backoffice.door.forward import Answer, Forward, Pairs, Request
from backoffice.door.health import Health
from backoffice.door.holding import Holding
from backoffice.door.taking import Taking
from backoffice.installation import Installation, installation
from backoffice.rates import Rate
from backoffice.running.pulse import beats
from events import kinds
from events.errors import PitledgerError
from events.kinds import Target
from events.problems import Problem, problem_of

POSITION = "/api/v1/position"
WAITING_MAX = 256
_WAITS = re.compile(r"(?:^|&)within=")
_ACTIONS = re.compile(r"/api/v1/([a-z-]+)(?:/([^/]+))?/actions")
_OF_ACTIONS = ("Authorization", "Pitledger-Device", "Content-Length")
_SAFE = [("x-content-type-options", "nosniff"), ("cache-control", "no-store")]
_NOT_THIS_HOUSE = rendered(Problem(400, "Another host", "this house does not go by this name"), 400)


class Door:
    """The application. The event loop begins it before the first request, and ends it after the last."""

    def __init__(self, house: Installation) -> None:
        given = house.settings
        self._house = house
        self._bodies, self._holding = Bodies(), Holding()
        self._visitors = Rate("from one address", given.limit_address)
        self._live = Forward(
            "the live process", given.live_at, given.port_of_live(), at_once=WAITING_MAX, waiting_max=0
        )
        self._pages = Forward("the process of the pages", given.pages_host, given.port_of_pages())
        self._health = Health(self._pages, _headers)

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        prepare(self._house)
        self._taking = Taking(self._house, loop, self._bodies)
        self._beats = loop.create_task(beats("web"))

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._beats.cancel()
        self._taking.close()
        self._house.close()

    async def __rsgi__(self, scope: Any, proto: Any) -> None:
        source, method = scope.client.rpartition(":")[0], method_of(scope)
        target = target_of(scope.path, scope.query_string) if method == "POST" else None
        if target is None:
            answer = await self._elsewhere(scope, proto, source)
            await self._holding.back(answer.status)
            _send(proto, method, answer.status, answer.headers, answer.body)
            return
        found = _NOT_THIS_HOUSE
        if is_ours(_host(scope)):
            found = await self._taking.respond(target, _told(scope), proto, source)
            await self._holding.back(found.status)
        _send(proto, method, found.status, _headers(found), found.body)

    async def _elsewhere(self, scope: Any, proto: Any, source: str) -> Answer:
        """What another process answers, or why it does not."""
        method, knows_us = method_of(scope), is_ours(_host(scope))
        try:
            if scope.path == health.PATH and method in ("GET", "HEAD") and knows_us:
                return await self._health.now()
            self._visitors.take(source)
            if not knows_us:  # nobody else is troubled with it, or writes it into his log
                return Answer(_NOT_THIS_HOUSE.status, _headers(_NOT_THIS_HOUSE), _NOT_THIS_HOUSE.body)
            if scope.path == POSITION and _WAITS.search(scope.query_string):
                return await self._waited(scope, source)
            body = b""
            if method not in ("GET", "HEAD"):
                body = await self._bodies.read(f"at {source}", scope.headers.get("content-length", ""), proto)
            return await self._pages.pass_on(_request(scope, source, body=body))
        except REFUSALS as error:
            found = _refused(error, source)
            return Answer(found.status, _headers(found), found.body)

    async def _waited(self, scope: Any, source: str) -> Answer:
        """The live process's answer to who waits. Raises NotAuthenticated."""
        who = await self._taking.who(_told(scope), source)
        return await self._live.pass_on(_request(scope, source, (passes.HEADER, passes.issued(who.person))))


def _request(scope: Any, source: str, *more: tuple[str, str], body: bytes = b"") -> Request:
    kept = [pair for pair in scope.headers.items() if pair[0].lower() != passes.HEADER.lower()]
    return Request(method_of(scope), scope.path, scope.query_string, [*kept, *more], body, source)


def method_of(scope: Any) -> str:
    """As the process of the pages reads it: what it takes for a POST is one here, too, and taken here."""
    return str(scope.method).upper()


def target_of(path: str, query: str) -> Target | None:
    """The stream for which a POST to this address has actions; None: the address is no such one."""
    found = _ACTIONS.fullmatch(path)
    kind = kinds.asked().get(found[1]) if found is not None else None
    if found is None or kind is None or kind.is_named != bool(found[2]):
        return None
    return Target(kind.name, found[2] or "", parse_qs(query).get("gaming_day", [None])[0] if query else None)


def is_ours(host: str) -> bool:
    """Whether this house goes by the name of a Host header."""
    return _is_among(host, tuple(of_django.ALLOWED_HOSTS))


@lru_cache(maxsize=256)  # terminals say the same again and again
def _is_among(host: str, names: tuple[str, ...]) -> bool:
    return validate_host(split_domain_port(host)[0], names)


def _host(scope: Any) -> str:
    return scope.headers.get("host") or scope.authority or ""


def _told(scope: Any) -> dict[str, str]:
    return {name: scope.headers.get(name.lower(), "") for name in _OF_ACTIONS}


def _refused(error: Exception, source: str) -> Response:
    if isinstance(error, PitledgerError):
        found = problem_of(error)
    elif isinstance(error, NotAuthenticated):
        installation().part(access_log).stranger(source)
        found = Problem(401, "Who are you?", str(error))
    else:
        found = Problem(413, "Too large", str(error))
    return rendered(found, found.status)


def _headers(found: Response) -> Pairs:
    return [("content-type", found.kind), *_SAFE, *((name.lower(), value) for name, value in found.headers.items())]


def _send(proto: Any, method: str, status: int, headers: Iterable[tuple[str, str]], body: bytes) -> None:
    if method == "HEAD" or status in (204, 304):
        proto.response_empty(status, list(headers))
    else:
        proto.response_bytes(status, list(headers), body)
