"""The live process's ASGI application: `GET /live/progressives/NAME` as server-sent events, and `/healthz`.

A message is an event "progressive" with the whole state (`Live`, and `now_ms`, the house's clock), so that
who comes back after an interruption has missed nothing; its id begins with the position. Every two seconds "beat"
says how fresh the figures are.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import unquote, urlsplit

import msgspec
from django.conf import settings
from django.db import Error

from backoffice.live.hub import BEAT_S, Full, Hub, Told
from backoffice.queries.live import PATH, Live
from events import clock
from events.settings import settings as house_settings

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers: TypeAlias = Iterable[tuple[str, str]]

RETRY_MS = 1_000  # a browser comes back after this time
COME_AGAIN_S = 5


class Message(msgspec.Struct, frozen=True):
    """What a stream sends: the state, and when by the house's clock."""

    now_ms: int
    live: Live


class LiveStreams:
    """The application. A page of another origin gets nothing, and neither does another host's name."""

    def __init__(self, hub: Hub | None = None) -> None:
        self.hub = hub or Hub()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"{scope['type']} is not served here")
        told = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        origin = told.get("origin")
        if not _is_ours(told.get("host", ""), origin):
            await _answer(send, 403, "this is no page of this house")
        elif scope["method"] != "GET":
            await _answer(send, 405, "GET only", [("allow", "GET")])
        elif scope["path"] == "/healthz":
            await _answer(send, 200, '{"status": "ok"}', [("content-type", "application/json")])
        elif scope["path"].startswith(PATH):
            shared = [("vary", "origin"), *([("access-control-allow-origin", origin)] if origin else [])]
            await self._serve(unquote(scope["path"][len(PATH) :]), told.get("last-event-id"), receive, send, shared)
        else:
            await _answer(send, 404, "there is nothing at this address")

    async def _serve(self, name: str, seen: str | None, receive: Receive, send: Send, headers: Headers) -> None:
        try:
            with self.hub.listening(name):
                if await self.hub.begin(name) is None:
                    await _answer(send, 404, "there is no progressive of this name", headers)
                    return
                await _begin(send, 200, "text/event-stream; charset=utf-8", headers)
                await _unless_gone(receive, self._stream(name, seen, send))
        except Full:
            more = [("retry-after", str(COME_AGAIN_S)), *headers]
            await _answer(send, 429, "as many listen as this process serves", more)
        except Error:
            await _answer(send, 503, "the read models do not answer", headers)

    async def _stream(self, name: str, seen: str | None, send: Send) -> None:
        async for text in self.messages(name, seen):
            await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def messages(self, name: str, seen: str | None) -> AsyncIterator[str]:
        """The stream's text, until the hub closes: what `seen` (the id of the last message) has not told yet."""
        yield f"retry: {RETRY_MS}\n\n{self._beat()}"
        beat_at = time.monotonic() + BEAT_S
        while not self.hub.is_closed:
            news = self.hub.news
            told = self.hub.told(name)
            if told is not None and told.id != seen:
                seen = told.id
                yield _message(told)
            elif (left := beat_at - time.monotonic()) <= 0:
                beat_at = time.monotonic() + BEAT_S
                yield self._beat()
            else:
                await _wait(news, left)

    def _beat(self) -> str:
        return f"event: beat\ndata: {msgspec.json.encode(self.hub.beat).decode()}\n\n"


def _message(told: Told) -> str:
    data = msgspec.json.encode(Message(int(clock.moment().timestamp() * 1000), told.live)).decode()
    return f"id: {told.id}\nevent: progressive\ndata: {data}\n\n"


async def _wait(news: asyncio.Event, at_most_s: float) -> None:
    try:
        async with asyncio.timeout(at_most_s):
            await news.wait()
    except TimeoutError:
        pass


async def _unless_gone(receive: Receive, work: Any) -> None:
    """Do the work until it ends or the listener hangs up."""
    working, gone = asyncio.ensure_future(work), asyncio.ensure_future(_until_gone(receive))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()  # raises what it raised
    finally:
        for task in (working, gone):
            task.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _is_ours(host: str, origin: str | None) -> bool:
    """Whether the host is this house's, and the page that asks (if a page does) comes from its web process."""
    name = urlsplit(f"//{host}").hostname or ""
    if name not in {allowed.strip("[]") for allowed in settings.ALLOWED_HOSTS}:
        return False
    if origin is None:
        return True
    page = urlsplit(origin)
    return page.scheme == "http" and page.hostname == name and page.port == house_settings().web_port


async def _begin(send: Send, status: int, kind: str, headers: Headers) -> None:
    sent = {"content-type": kind, "cache-control": "no-store", "x-content-type-options": "nosniff", **dict(headers)}
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in sent.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})


async def _answer(send: Send, status: int, text: str, headers: Headers = ()) -> None:
    await _begin(send, status, "text/plain; charset=utf-8", headers)
    await send({"type": "http.response.body", "body": text.encode(), "more_body": False})
