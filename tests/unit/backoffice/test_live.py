"""The live process's hub and application, without a server: bounded, shared, and quiet when nothing changes."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, MutableMapping
from typing import Any

import pytest
from django.db import OperationalError

from backoffice.live.app import LiveStreams
from backoffice.live.hub import Full, Hub
from backoffice.queries.freshness import Freshness
from backoffice.queries.live import Live, LiveLevel, Mark

TICK_S = 0.01
Sent = list[MutableMapping[str, Any]]


class Models:
    """Read models of one progressive, blazing, that counts how often somebody reads."""

    def __init__(self) -> None:
        self.position, self.shown_minor, self.reads = 1, 100, 0
        self.is_down = False
        self.names: list[set[str]] = []

    def read(self, names: Collection[str], seen: Mark | None) -> tuple[Mark, dict[str, Live] | None]:
        if self.is_down:
            raise OperationalError("no such table")
        now = Mark(self.position, 1)
        if now == seen:
            return now, None
        self.reads += 1
        self.names.append(set(names))
        level = LiveLevel("mega", self.shown_minor, f"{self.shown_minor}000000", "open", 0)
        return now, {name: Live(name, "EUR", (level,), ()) for name in names if name == "blazing"}

    def age(self) -> Freshness:
        return Freshness(self.position, self.position, None, 0.0, 0, "current")

    def hub(self, listeners_max: int = 10) -> Hub:
        return Hub(self.read, self.age, listeners_max=listeners_max, tick_s=TICK_S)


def run(work: Coroutine[Any, Any, None]) -> None:
    """To its end, within a deadline."""
    asyncio.run(asyncio.wait_for(work, 10.0))


def request(path: str, **headers: str) -> dict[str, Any]:
    """An ASGI scope."""
    pairs = [(name.encode(), value.encode()) for name, value in {"host": "127.0.0.1:8001", **headers}.items()]
    return {"type": "http", "method": "GET", "path": path, "headers": pairs}


def receiving(hang_up: asyncio.Event) -> Callable[[], Awaitable[dict[str, Any]]]:
    async def receive() -> dict[str, Any]:
        await hang_up.wait()
        return {"type": "http.disconnect"}

    return receive


async def answer(streams: LiveStreams, path: str, **headers: str) -> tuple[int, dict[bytes, bytes]]:
    """Status and headers of an answer that ends by itself."""
    sent: Sent = []

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    await streams(request(path, **headers), receiving(asyncio.Event()), send)
    return sent[0]["status"], dict(sent[0]["headers"])


def test_one_round_of_queries_serves_all_who_listen() -> None:
    async def work() -> None:
        models = Models()
        hub = models.hub()
        with hub.listening("blazing"), hub.listening("blazing"), hub.listening("nope"):
            assert await hub.begin("nope") is None
            first = await hub.begin("blazing")
            assert first is await hub.begin("blazing")
            assert models.reads == 1
            news = hub.news
            models.position, models.shown_minor = 2, 101
            await news.wait()
            told = hub.told("blazing")
            assert told is not None
            assert (told.id, told.live.levels[0].shown_minor) == ("2.1", 101)
            assert (models.reads, models.names[-1]) == (2, {"blazing", "nope"})
        hub.close()

    run(work())


def test_what_is_the_same_is_no_news() -> None:
    async def work() -> None:
        models = Models()
        hub = models.hub()
        with hub.listening("blazing"):
            first = await hub.begin("blazing")
            news = hub.news
            models.position = 7
            while models.reads < 2:
                await asyncio.sleep(TICK_S)
            assert hub.told("blazing") is first
            assert not news.is_set()
        hub.close()

    run(work())


def test_it_reads_nothing_while_nobody_listens() -> None:
    async def work() -> None:
        models = Models()
        hub = models.hub()
        with hub.listening("blazing"):
            await hub.begin("blazing")
        models.position, models.shown_minor = 9, 109
        await asyncio.sleep(5 * TICK_S)
        assert models.reads == 1
        with hub.listening("blazing"):
            told = await hub.begin("blazing")
            assert told is not None
            assert told.live.levels[0].shown_minor == 109
        hub.close()

    run(work())


def test_too_many_get_429_and_a_place_is_free_again_after_one_has_gone() -> None:
    async def work() -> None:
        hub = Models().hub(listeners_max=1)
        streams, hang_up, begun = LiveStreams(hub), asyncio.Event(), asyncio.Event()

        async def send(message: MutableMapping[str, Any]) -> None:
            begun.set()

        one = asyncio.create_task(streams(request("/live/progressives/blazing"), receiving(hang_up), send))
        await begun.wait()
        status, headers = await answer(streams, "/live/progressives/blazing")
        assert (status, headers[b"retry-after"]) == (429, b"5")
        with pytest.raises(Full), hub.listening("blazing"):
            pass
        hang_up.set()
        await one
        assert hub.listeners == 0
        hub.close()

    run(work())


def test_a_read_that_fails_is_tried_again_and_the_beat_says_so(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        models = Models()
        hub = models.hub()
        with hub.listening("blazing"):
            await hub.begin("blazing")
            news, models.is_down = hub.news, True
            while hub.beat.state != "unknown":
                await asyncio.sleep(TICK_S)
            models.is_down, models.position, models.shown_minor = False, 2, 105
            await news.wait()
            told = hub.told("blazing")
            assert told is not None
            assert told.live.levels[0].shown_minor == 105
        hub.close()

    run(work())
    assert "could not be read" in caplog.text


def test_all_streams_end_when_the_process_is_to_stop() -> None:
    async def work() -> None:
        hub = Models().hub()
        sent: Sent = []
        streams, begun = LiveStreams(hub), asyncio.Event()

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)
            begun.set()

        one = asyncio.create_task(streams(request("/live/progressives/blazing"), receiving(asyncio.Event()), send))
        await begun.wait()
        hub.close()
        await one
        assert sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}

    run(work())
