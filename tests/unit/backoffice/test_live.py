"""The live process's hub and application, without a server: bounded, shared, and quiet when nothing changes."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Collection, Coroutine, MutableMapping
from typing import Any

import msgspec
import pytest
from django.db import OperationalError

from backoffice.freshness.freshness import Freshness
from backoffice.house.healthz_answer import HealthState, HouseHealth
from backoffice.http import signed_person_passes
from backoffice.kit.reader_and_read_rule_types import NOBODY, Reader
from backoffice.live import asgi
from backoffice.live.asgi import LiveStreams
from backoffice.live.progressive_live_state_hub import Hub
from backoffice.live.read_model_position_waits import PositionWaits
from backoffice.progressives.live_stream_message_content import LiveContent, LiveLevel, ProjectionMark
from events.errors import Busy

TICK_S = 0.01
TOKEN = "of-thirty-two-characters-and-more"
Sent = list[MutableMapping[str, Any]]


class Models:
    """Read models of one progressive, blazing. They count their reads."""

    def __init__(self) -> None:
        self.position, self.shown_minor, self.reads = 1, 100, 0
        self.is_down = False
        self.names: list[set[str]] = []

    def read(
        self, names: Collection[str], seen: ProjectionMark | None
    ) -> tuple[ProjectionMark, dict[str, LiveContent] | None]:
        if self.is_down:
            raise OperationalError("no such table")
        now = ProjectionMark(self.position, 1)
        if now == seen:
            return now, None
        self.reads += 1
        self.names.append(set(names))
        level = LiveLevel("mega", self.shown_minor, f"{self.shown_minor}000000", "open", 0)
        return now, {name: LiveContent(name, "EUR", (level,), ()) for name in names if name == "blazing"}

    def age(self) -> Freshness:
        return Freshness(self.position, self.position, None, 0.0, 0, "current")

    def hub(self) -> Hub:
        return Hub(self.read, self.age, tick_s=TICK_S)


def auditor(cookies: str, host: str) -> Reader:
    return Reader("olga", frozenset({"auditor"}))


def run(work: Coroutine[Any, Any, None]) -> None:
    """To its end, within a deadline."""
    asyncio.run(asyncio.wait_for(work, 60.0))


def request(path: str, **headers: str) -> dict[str, Any]:
    """An ASGI scope."""
    pairs = [(name.encode(), value.encode()) for name, value in {"host": "127.0.0.1:8001", **headers}.items()]
    return {"type": "http", "http_version": "1.1", "method": "GET", "path": path, "headers": pairs}


def receiving(hang_up: asyncio.Event) -> Callable[[], Awaitable[dict[str, Any]]]:
    async def receive() -> dict[str, Any]:
        await hang_up.wait()
        return {"type": "http.disconnect"}

    return receive


async def answer(streams: LiveStreams, path: str, **headers: str) -> tuple[int, dict[bytes, bytes]]:
    """Status and headers of an answer that ends by itself."""
    sent = await messages(streams, path, **headers)
    return sent[0]["status"], dict(sent[0]["headers"])


async def messages(streams: LiveStreams, path: str, **headers: str) -> Sent:
    """All messages of an answer that ends by itself."""
    sent: Sent = []

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    await streams(request(path, **headers), receiving(asyncio.Event()), send)
    return sent


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
            message = hub.latest_state("blazing")
            assert message is not None
            assert (message.id, message.live.levels[0].shown_minor) == ("2.1", 101)
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
            assert hub.latest_state("blazing") is first
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
            message = await hub.begin("blazing")
            assert message is not None
            assert message.live.levels[0].shown_minor == 109
        hub.close()

    run(work())


def test_when_all_places_are_taken_who_sits_longest_makes_room() -> None:
    async def work() -> None:
        hub = Models().hub()
        streams, hang_up = LiveStreams(hub, listeners_max=2, reader=auditor), asyncio.Event()
        began = asyncio.Semaphore(0)

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                began.release()

        sitting = []
        for _ in range(3):
            stream = asyncio.create_task(streams(request("/live/progressives/blazing"), receiving(hang_up), send))
            sitting.append(stream)
            await began.acquire()
        await sitting[0]
        assert [task.done() for task in sitting] == [True, False, False]
        assert hub.listeners == 2
        hang_up.set()
        await asyncio.gather(*sitting)
        assert hub.listeners == 0
        hub.close()

    run(work())


def test_who_comes_all_the_time_gets_429() -> None:
    async def work() -> None:
        hub = Models().hub()
        streams = LiveStreams(hub, reader=auditor)
        answers = [await answer(streams, "/live/progressives/nothing") for _ in range(120)]
        assert {status for status, _ in answers} == {404, 429}
        assert next(headers[b"retry-after"] for status, headers in answers if status == 429) == b"5"
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
            message = hub.latest_state("blazing")
            assert message is not None
            assert message.live.levels[0].shown_minor == 105
        hub.close()

    run(work())
    assert "could not be read" in caplog.text


def test_all_streams_end_when_the_process_is_to_stop() -> None:
    async def work() -> None:
        hub = Models().hub()
        sent: Sent = []
        streams, begun = LiveStreams(hub, reader=auditor), asyncio.Event()

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)
            begun.set()

        stream = asyncio.create_task(streams(request("/live/progressives/blazing"), receiving(asyncio.Event()), send))
        await begun.wait()
        hub.close()
        await stream
        assert sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}

    run(work())


@pytest.mark.parametrize("turns", range(4))
def test_a_listener_who_leaves_at_the_moment_of_news_is_let_go(turns: int) -> None:
    """`turns` of the event loop are between the news and the cancellation."""

    async def listen(streams: LiveStreams) -> None:
        async for _ in streams.messages("blazing", None):
            pass

    async def work() -> None:
        hub = Models().hub()
        listener = asyncio.create_task(listen(LiveStreams(hub, reader=auditor)))
        await asyncio.sleep(0.01)
        news, hub.news = hub.news, asyncio.Event()
        news.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        listener.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(listener, 5.0)
        hub.close()

    run(work())


def test_one_look_serves_all_who_wait_and_nobody_waits_longer_than_he_said() -> None:
    async def work() -> None:
        at, looks = 5, 0

        async def look() -> int:
            nonlocal looks
            looks += 1
            return at

        waits = PositionWaits(look, look_s=0.001)
        await waits.wait_for_position(9, 0.01, "dora")  # in vain
        waiting = [asyncio.create_task(waits.wait_for_position(7, 10.0, f"p{number}")) for number in range(50)]
        await asyncio.sleep(0)
        at, looks = 7, 0
        await asyncio.gather(*waiting)
        assert looks <= 2

    run(work())


def test_few_of_one_person_wait_and_so_many_in_all() -> None:
    async def look() -> int:
        return 0

    async def work() -> None:
        waits = PositionWaits(look, at_once=2, in_all=3)
        waiting = [asyncio.create_task(waits.wait_for_position(9, 10.0, who)) for who in ("dora", "dora", "ines")]
        await asyncio.sleep(0)
        for who in ("dora", "paul"):
            with pytest.raises(Busy, match="waiting already"):
                await waits.wait_for_position(9, 10.0, who)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await waits.wait_for_position(9, 0.01, "dora")

    run(work())


def test_read_models_that_do_not_answer_fail_those_who_wait() -> None:
    async def look() -> int:
        raise OperationalError("away")

    async def work() -> None:
        waits = PositionWaits(look)
        with pytest.raises(OperationalError):
            await waits.wait_for_position(9, 10.0, "dora")

    run(work())


def test_nobody_waits_without_a_pass() -> None:
    async def work() -> None:
        hub = Models().hub()
        scope = request("/api/v1/position", **{"pitledger-pass": "forged"}) | {"query_string": b"at_least=9&within=5"}
        sent: list[MutableMapping[str, Any]] = []

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        await LiveStreams(hub, reader=auditor)(scope, receiving(asyncio.Event()), send)
        assert sent[0]["status"] == 403
        hub.close()

    run(work())


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "["},
        {"host": "[::1"},
        {"origin": "http://["},
        {"origin": "http://127.0.0.1:99999"},
        {"origin": "http://127.0.0.1:x"},
    ],
)
def test_an_address_that_is_none_is_not_this_houses(headers: dict[str, str]) -> None:
    async def work() -> None:
        streams = LiveStreams(Models().hub(), reader=auditor)
        assert (await answer(streams, "/live/progressives/blazing", **headers))[0] == 403
        streams.hub.close()

    run(work())


def test_a_query_that_is_no_text_is_malformed() -> None:
    async def work() -> None:
        hub, sent = Models().hub(), Sent()
        scope = request("/api/v1/position", **{"pitledger-pass": signed_person_passes.issued("dora")}) | {
            "query_string": b"within=\xff"
        }

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        await LiveStreams(hub, reader=auditor)(scope, receiving(asyncio.Event()), send)
        assert sent[0]["status"] == 400
        hub.close()

    run(work())


def test_who_may_see_no_sign_hears_nothing() -> None:
    async def work() -> None:
        dealers_manager = Reader("adam", frozenset({"administrator"}))
        for reader in (NOBODY, dealers_manager):
            streams = LiveStreams(Models().hub(), reader=lambda cookies, host, reader=reader: reader)  # type: ignore[misc]
            status, _headers = await answer(streams, "/live/progressives/blazing")
            assert status == 401
            streams.hub.close()

    run(work())


@pytest.mark.parametrize(
    ("observers", "token", "sent", "status"),
    [
        ("", "", {}, 401),
        ("", TOKEN, {}, 401),
        ("", TOKEN, {"authorization": f"Bearer {TOKEN[:-1]}"}, 401),
        ("", TOKEN, {"authorization": f"Bearer {TOKEN}"}, 404),
        ("10.20.0.0/24", "", {}, 404),
        ("10.30.0.0/24", "", {}, 401),
    ],
)
def test_a_named_network_or_the_token_opens_signs_without_a_login(
    monkeypatch: pytest.MonkeyPatch, observers: str, token: str, sent: dict[str, str], status: int
) -> None:
    """A permitted observer learns that this sign does not exist. The stream of alerts stays closed to all observers."""
    monkeypatch.setenv("PITLEDGER_OBSERVERS", observers)
    monkeypatch.setenv("PITLEDGER_OBSERVER_TOKEN", token)
    monkeypatch.setattr(asgi, "_source", lambda scope, headers: "10.20.0.7")

    async def work() -> None:
        streams = LiveStreams(Models().hub(), reader=lambda cookies, host: NOBODY)
        assert (await answer(streams, "/live/progressives/nope", **sent))[0] == status
        assert (await answer(streams, "/live/alerts", **sent))[0] == 401
        streams.hub.close()

    run(work())


def test_a_stream_ends_when_its_listener_is_signed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        monkeypatch.setattr(asgi, "ASK_AGAIN_S", TICK_S)
        readers = [auditor("", ""), auditor("", ""), NOBODY]
        streams = LiveStreams(Models().hub(), reader=lambda cookies, host: readers.pop(0))
        status, _headers = await answer(streams, "/live/progressives/blazing")
        assert (status, readers) == (200, [])
        streams.hub.close()

    run(work())


@pytest.mark.parametrize("ends", ["before", "meanwhile"])
def test_who_waits_at_a_process_that_ends_is_told_to_come_again(ends: str) -> None:
    """Not that the house has failed: with a 500 a client would not know what to do."""

    async def work() -> None:
        hub = Models().hub()
        streams = LiveStreams(hub)
        scope = request("/api/v1/position", **{"pitledger-pass": signed_person_passes.issued("dora")})
        sent: Sent = []

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        held = threading.Event()
        if ends == "before":
            hub.close()
        else:
            hub._thread.submit(held.wait)
        waiting = asyncio.create_task(
            streams(scope | {"query_string": b"at_least=9&within=9"}, receiving(asyncio.Event()), send)
        )
        await asyncio.sleep(0.1)  # by now it asks the read models
        hub.close()
        held.set()
        await waiting
        assert sent[0]["status"] == 503
        assert (b"retry-after", b"1") in sent[0]["headers"]

    run(work())


def test_health_is_that_of_the_house_and_its_details_are_for_observers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_OBSERVER_TOKEN", "of-thirty-two-characters-and-more")
    degraded: dict[str, object] = {"status": "degraded", "problems": [{"part": "relay"}]}
    states: list[HealthState] = [(degraded, 200), ({"status": "down", "why": "1 migrations are missing"}, 503)]

    async def work() -> None:
        streams, now = LiveStreams(Models().hub()), [0.0]
        streams.health = HouseHealth(streams.hub.in_thread, lambda: states[0], lambda: now[0])
        begin, body = await messages(streams, "/healthz")
        assert (begin["status"], msgspec.json.decode(body["body"])) == (200, {"status": "degraded"})
        _begin, body = await messages(streams, "/healthz", authorization="Bearer of-thirty-two-characters-and-more")
        assert msgspec.json.decode(body["body"]) == degraded
        del states[0]
        assert (await answer(streams, "/healthz"))[0] == 200, "as of a second ago"
        now[0] += 1.1
        assert (await answer(streams, "/healthz"))[0] == 503
        streams.hub.close()

    run(work())


def test_health_is_degraded_where_the_read_models_do_not_answer() -> None:
    def look() -> HealthState:
        raise OperationalError("server closed the connection")

    async def work() -> None:
        streams = LiveStreams(Models().hub())
        streams.health = HouseHealth(streams.hub.in_thread, look)
        begin, body = await messages(streams, "/healthz")
        assert (begin["status"], body["body"]) == (200, b'{"status":"degraded"}')
        streams.hub.close()

    run(work())
