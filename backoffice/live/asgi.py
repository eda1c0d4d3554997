"""The live process's ASGI application.

It serves `GET /live/progressives/NAME` and `GET /live/alerts` as server-sent events, `/healthz`, and the probes. It
also waits for a position, for the web process and people whose badge that has checked.

A message is an event "progressive" with the whole state (`LiveContent`, and `now_ms`, the house's clock). So a client
that comes back after an interruption has missed nothing. Its id begins with the position. Every two seconds "beat"
gives the age of the figures.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from functools import cache
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import msgspec
from django.db import Error
from django.http import HttpResponse, QueryDict

from backoffice.access.database_error_classification import failure_of
from backoffice.freshness import wait_for_read_model_position
from backoffice.house.healthz_answer import HouseHealth
from backoffice.http import (
    live_stream_addresses,
    monitoring_access,
    probe_paths,
    shared_request_ambiguity_checks,
    signed_person_passes,
)
from backoffice.http.rate_limits import Rate
from backoffice.http.shared_request_ambiguity_checks import Ambiguous
from backoffice.kit import response_builders
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.live.listener_places_with_eviction import ListenerPlaces
from backoffice.live.open_alert_change_signals import AlertMarks
from backoffice.live.progressive_live_state_hub import BEAT_S, Hub, LiveStreamState
from backoffice.live.read_model_position_waits import PositionWaits
from backoffice.live.table_event_positions import TablePositions
from backoffice.people.house_address_of_request import address_of
from backoffice.people.request_identity import listener
from backoffice.people.roles_allowed_per_page import SIGNS, WALLS
from backoffice.progressives.live_stream_message_content import LiveContent
from backoffice.table_screen import device_authentication
from events.error_codes import coded
from events.errors import Busy, PitledgerError, Retry
from events.runtime import clock
from events.settings.settings_from_environment import settings
from events.streams.problem_details import problem_of

log = logging.getLogger(__name__)

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers: TypeAlias = Iterable[tuple[str, str]]

RETRY_MS = 1_000  # a browser comes back after this time
COME_AGAIN_S = 5
LISTENERS_MAX = 400
ASK_AGAIN_S = 10  # whether who listens still may
COMERS_A_SECOND = 20  # from one address
WAIT = "/api/v1/position"
VERSIONS = ("1.0", "1.1")
_PASS = signed_person_passes.HEADER.lower()
_UNBUFFERED = ("x-accel-buffering", "no")  # nginx would collect a stream before it passes it on


class LiveMessage(msgspec.Struct, frozen=True):
    """A message of a stream: the state, and the time by the house's clock."""

    now_ms: int
    live: LiveContent


class ListenRequest(msgspec.Struct, frozen=True):
    """A request to listen: the progressive, the id of the last message seen, and the listener.

    The listener is the cookies of a login or display at a host, or the machine and its token.
    """

    name: str
    seen: str | None
    cookies: str
    host: str = "localhost"
    source: str = ""
    authorization: str = ""


class LiveStreams:
    """The application. Pages of another origin, and requests for another host's name, get no answer.

    A reader who may see a sign may listen to it, for as long as that right lasts.
    """

    def __init__(
        self,
        hub: Hub | None = None,
        *,
        listeners_max: int = LISTENERS_MAX,
        reader: Callable[[str, str], Reader] = listener,
    ) -> None:
        self._reader = reader
        self.hub = hub or Hub()
        self._places = ListenerPlaces(listeners_max)
        self._comers = Rate("from one address", COMERS_A_SECOND)
        self._waits = PositionWaits(lambda: self.hub.in_thread(wait_for_read_model_position.read_up_to))
        self.tables = TablePositions(self.hub.in_thread)
        self.alerts = AlertMarks(self.hub.in_thread)
        self.health = HouseHealth(self.hub.in_thread)

    def close(self) -> None:
        """Let every stream end."""
        self.tables.close()
        self.alerts.close()
        self.hub.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"{scope['type']} is not served here")
        try:
            headers = _headers(scope)
        except Ambiguous as error:
            await _answer(send, 400, str(error))
            return
        origin = headers.get("origin")
        if scope["http_version"] not in VERSIONS:
            await _answer(send, 505, "Use HTTP/1.1.")
        elif scope["path"] in (probe_paths.LIVE, probe_paths.READY) and scope["method"] == "GET":
            await _answer(send, 200, probe_paths.IS_LIVE.decode(), [("content-type", "application/json")])
        elif not _is_ours(host := headers.get("host", ""), origin):
            await _answer(send, 403, "This page is not of this house.")
        elif scope["method"] != "GET":
            await _answer(send, 405, "GET only", [("allow", "GET")])
        elif scope["path"] == "/healthz":
            await self._tell_health(scope, headers, send)
        elif scope["path"] == WAIT:
            await _send_response(
                send,
                await self._answer_after_wait(scope["query_string"].decode(errors="replace"), headers.get(_PASS, "")),
            )
        elif scope["path"].startswith(live_stream_addresses.PROGRESSIVES):
            request = _listen_request(scope, headers, live_stream_addresses.PROGRESSIVES)
            await self._serve(request, receive, send, _shared(origin, host))
        elif scope["path"] == live_stream_addresses.ALERTS:
            await self._serve_alerts(_listen_request(scope, headers, live_stream_addresses.ALERTS), receive, send)
        elif scope["path"].startswith(live_stream_addresses.TABLES):
            await self._serve_table(_listen_request(scope, headers, live_stream_addresses.TABLES), receive, send)
        else:
            await _answer(send, 404, "There is no stream at this address.")

    async def _tell_health(self, scope: Scope, headers: Mapping[str, str], send: Send) -> None:
        source, host = _source(scope, headers), headers.get("host", "")
        is_local = monitoring_access.is_local(source, host, headers)
        may_observe = monitoring_access.admits(source, headers.get("authorization", ""), is_local=is_local)
        try:
            state, status = await self.health.now(is_detailed=may_observe)
        except (Error, Retry):
            state, status = {"status": "degraded"}, 200
        await _answer(send, status, msgspec.json.encode(state).decode(), [("content-type", "application/json")])

    async def _answer_after_wait(self, query: str, authorization: str) -> HttpResponse:
        """Answer with the position of the read models, after waiting for the requested one."""
        try:
            person = signed_person_passes.holder(authorization)
            wanted, seconds = wait_for_read_model_position.requested_position(QueryDict(query).dict())
            await self._waits.wait_for_position(wanted, seconds, person)
            return response_builders.json(
                await self.hub.in_thread(lambda: wait_for_read_model_position.position(wanted))
            )
        except PitledgerError as error:
            return response_builders.problem(problem_of(error))
        except Error as error:
            return response_builders.problem(problem_of(failure_of(error, coded("figures-not-read"), "PITLEDGER_READ")))

    async def _serve(self, request: ListenRequest, receive: Receive, send: Send, headers: Headers) -> None:
        stopped = asyncio.Event()
        try:
            self._comers.take(request.source)
            if not await self._may(request):
                await _answer(send, 401, "Sign in, or use a display of the house.", headers)
                return
            with self._places.take_place(request.source, stopped.set), self.hub.listening(request.name):
                if await self.hub.begin(request.name) is None:
                    await _answer(send, 404, "There is no progressive with this name.", headers)
                    return
                await _begin(send, 200, "text/event-stream; charset=utf-8", [*headers, _UNBUFFERED])
                messages = self.messages(request.name, request.seen)
                await _unless_gone(
                    receive, stopped, _sent_text(messages, send), self._while_may(lambda: self._may(request))
                )
        except Busy as error:
            await _answer(send, 429, str(error), [("retry-after", str(COME_AGAIN_S)), *headers])
        except (Error, Retry):
            await _answer(send, 503, "The read models do not answer.", headers)

    async def _serve_table(self, request: ListenRequest, receive: Receive, send: Send) -> None:
        """Tell the screen of a paired device when something has happened at its table."""
        stopped = asyncio.Event()
        try:
            self._comers.take(request.source)
            if not await self._may_at_table(request):
                await _answer(send, 401, "This device is not paired with the table.")
                return
            with self._places.take_place(request.source, stopped.set), self.tables.listening():
                await _begin(send, 200, "text/event-stream; charset=utf-8", [_UNBUFFERED])
                messages = self.tables.messages(request.name)
                await _unless_gone(
                    receive, stopped, _sent_text(messages, send), self._while_may(lambda: self._may_at_table(request))
                )
        except Busy as error:
            await _answer(send, 429, str(error), [("retry-after", str(COME_AGAIN_S))])
        except (Error, Retry):
            await _answer(send, 503, "The house does not answer.")

    async def _serve_alerts(self, request: ListenRequest, receive: Receive, send: Send) -> None:
        """Tell a wall display when the open alerts have changed."""
        stopped = asyncio.Event()
        try:
            self._comers.take(request.source)
            if not await self._may_watch(request):
                await _answer(send, 401, "sign in as a person of surveillance")
                return
            with self._places.take_place(request.source, stopped.set), self.alerts.listening():
                await _begin(send, 200, "text/event-stream; charset=utf-8", [_UNBUFFERED])
                await _unless_gone(
                    receive,
                    stopped,
                    _sent_text(self.alerts.messages(), send),
                    self._while_may(lambda: self._may_watch(request)),
                )
        except Busy as error:
            await _answer(send, 429, str(error), [("retry-after", str(COME_AGAIN_S))])
        except (Error, Retry):
            await _answer(send, 503, "the read models do not answer")

    async def _may_watch(self, request: ListenRequest) -> bool:
        return WALLS.admits(await self.hub.in_thread(lambda: self._reader(request.cookies, request.host)))

    async def _may_at_table(self, request: ListenRequest) -> bool:
        return await self.hub.in_thread(
            lambda: device_authentication.may_listen(request.name, request.cookies, request.host)
        )

    async def _may(self, request: ListenRequest) -> bool:
        if monitoring_access.is_named(request.source, request.authorization):
            return True
        return SIGNS.admits(await self.hub.in_thread(lambda: self._reader(request.cookies, request.host)))

    async def _while_may(self, may_listen: Callable[[], Awaitable[bool]]) -> None:
        """Return once the listener may no longer listen: signed out, idle, revoked, or without a role."""
        may = True
        while may:
            await asyncio.sleep(ASK_AGAIN_S)
            try:
                may = not self.hub.is_closed and await may_listen()
            except Error:  # the beat reports an unknown age
                log.warning("who listens could not be looked up")

    async def messages(self, name: str, seen_id: str | None) -> AsyncIterator[str]:
        """Yield the stream's text, until the hub closes: the messages after `seen_id` (the id of the last message)."""
        yield f"retry: {RETRY_MS}\n\n{self._beat_text()}"
        beat_at = time.monotonic() + BEAT_S
        while not self.hub.is_closed:
            news = self.hub.news
            state = self.hub.latest_state(name)
            if state is not None and state.id != seen_id:
                seen_id = state.id
                yield _message(state)
            elif (left := beat_at - time.monotonic()) <= 0:
                beat_at = time.monotonic() + BEAT_S
                yield self._beat_text()
            else:
                with suppress(TimeoutError):  # `wait_for` would lose a cancellation at the moment of the news
                    async with asyncio.timeout(left):
                        await news.wait()

    def _beat_text(self) -> str:
        return f"event: beat\ndata: {msgspec.json.encode(self.hub.beat).decode()}\n\n"


def _listen_request(scope: Scope, headers: Mapping[str, str], path: str) -> ListenRequest:
    name, seen, cookies = scope["path"][len(path) :], headers.get("last-event-id"), headers.get("cookie", "")
    host, authorization = headers.get("host", ""), headers.get("authorization", "")
    return ListenRequest(name, seen, cookies, host, _source(scope, headers), authorization)


async def _sent_text(messages: AsyncIterator[str], send: Send) -> None:
    async for text in messages:
        await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _message(state: LiveStreamState) -> str:
    data = msgspec.json.encode(LiveMessage(int(clock.moment().timestamp() * 1000), state.live)).decode()
    return f"id: {state.id}\nevent: progressive\ndata: {data}\n\n"


async def _unless_gone(receive: Receive, stopped: asyncio.Event, *work: Any) -> None:
    """Do the work until some of it ends, the listener hangs up, or another person needs the place."""
    tasks = [asyncio.ensure_future(awaitable) for awaitable in (*work, _until_gone(receive), stopped.wait())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()  # raises its original error
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _headers(scope: Scope) -> dict[str, str]:
    """Return the headers by name in lower case. Raises Ambiguous for a request that another layer could read
    differently."""
    pairs = shared_request_ambiguity_checks.accepted_headers(
        [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
    )
    shared_request_ambiguity_checks.require_plain_target(
        scope["path"], scope.get("query_string", b"").decode(errors="replace")
    )
    return dict(pairs)


def _source(scope: Scope, headers: Mapping[str, str]) -> str:
    """Return the address of the client: as the door reports it, or the peer of the connection."""
    by_the_door = signed_person_passes.source(headers.get(signed_person_passes.SOURCE.lower(), ""))
    return by_the_door[0] if by_the_door is not None else str((scope.get("client") or ("",))[0])


def _is_ours(host: str, origin: str | None) -> bool:
    """Return whether the host is this house's, and the origin (if any) is one of its pages."""
    try:
        return shared_request_ambiguity_checks.is_ours(host) and (
            origin is None or _is_same_origin(origin, host) or _is_of_web_port(origin, host)
        )
    except ValueError:  # half an address, or an invalid port
        return False


def _is_same_origin(origin: str, host: str) -> bool:
    address = address_of(host)
    return address is not None and origin == (address.origin if address.is_secure else f"{address.scheme}://{host}")


def _is_of_web_port(origin: str, host: str) -> bool:
    """Return whether the page dates from before streams moved to the pages' address. Until the next version it may
    listen."""
    page, name = urlsplit(origin), urlsplit(f"//{host}").hostname
    return page.scheme == "http" and page.hostname == name and page.port == settings().web_port


@cache
def _warn() -> None:
    log.warning(
        "a page listens at the live port itself, which ends with the next version: reload pages that were opened "
        "before the upgrade"
    )


def _shared(origin: str | None, host: str) -> Headers:
    """Return the headers for a page of another origin that was opened before an upgrade."""
    if origin is None or _is_same_origin(origin, host):
        return []
    _warn()
    return [
        ("vary", "origin"),
        ("access-control-allow-origin", origin),
        ("access-control-allow-credentials", "true"),
    ]


async def _begin(send: Send, status: int, kind: str, headers: Headers) -> None:
    sent = {"content-type": kind, "cache-control": "no-store", "x-content-type-options": "nosniff", **dict(headers)}
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in sent.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})


async def _answer(send: Send, status: int, text: str, headers: Headers = ()) -> None:
    await _begin(send, status, "text/plain; charset=utf-8", headers)
    await send({"type": "http.response.body", "body": text.encode(), "more_body": False})


async def _send_response(send: Send, made: HttpResponse) -> None:
    """Send a response of Django."""
    retry = [("retry-after", "1")] if made.status_code in (429, 503) else []
    await _begin(send, made.status_code, made.headers["Content-Type"], retry)
    await send({"type": "http.response.body", "body": made.content, "more_body": False})
