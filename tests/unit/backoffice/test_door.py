"""The door's parts: rates, bodies, the roster, the desk's answers, the way to the pages."""

import asyncio
import tracemalloc
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError
from msgspec.structs import replace

from backoffice.api.actions import MAX_BODY, BodyTooLarge
from backoffice.door.action_receiver import target_of
from backoffice.door.all_credentials_in_memory import DEAD_S, OLD_S, Roster
from backoffice.door.delayed_429_answers import RateLimitDelay
from backoffice.door.desk_answers_to_event_loop import AnswerDelivery
from backoffice.door.equal_time_limits_with_one_timer import EqualTimeLimits
from backoffice.door.house_health_and_process_readiness import OLD_S as OF_HEALTH_OLD_S
from backoffice.door.house_health_and_process_readiness import Health
from backoffice.door.http_request_forwarding import ForwardedRequest, Upstream
from backoffice.door.request_body_limits import LARGE_AT_ONCE, Bodies, BodyTimeout
from backoffice.door.rsgi_application import _with_permission, request_of
from backoffice.http import rate_limits, signed_person_passes
from backoffice.http.rate_limits import Rate
from backoffice.http.shared_request_ambiguity_checks import Ambiguous, accepted_headers, is_ours
from backoffice.people.badge_and_key_authentication import Holder
from backoffice.people.house_address_of_request import address_of
from events.errors import Busy, Retry
from events.streams.stream_kind_declaration import Target
from tests.support.clocks.settable_clocks import SettableSeconds


def taken(rate: Rate, key: str, most: int = 1_000) -> int:
    """Return the number of requests accepted in a row."""
    for count in range(most):
        try:
            rate.take(key)
        except Busy:
            return count
    return most


def test_five_seconds_of_a_rate_may_come_at_once_and_then_the_rate() -> None:
    clock = SettableSeconds()
    rate = Rate("from one badge", 10, clock)
    assert taken(rate, "dora") == 50
    assert taken(rate, "ines") == 50
    clock.now += 0.5
    assert taken(rate, "dora") == 5
    clock.now += 1_000
    assert taken(rate, "dora") == 50


def test_a_request_of_many_actions_is_let_in_whole_and_waited_for_afterwards() -> None:
    clock = SettableSeconds()
    rate = Rate("from one badge", 10, clock)
    rate.take("dora", 70)
    clock.now += 2.0
    assert taken(rate, "dora") == 0
    clock.now += 0.15
    assert taken(rate, "dora") == 1


def test_a_required_balance_costs_nothing_and_comes_back_with_time() -> None:
    clock = SettableSeconds()
    rate = Rate("from one badge", 10, clock)
    for _ in range(100):
        rate.require_balance("dora")
    assert taken(rate, "dora") == 50
    with pytest.raises(Busy):
        rate.require_balance("dora")
    rate.require_balance("ines")
    clock.now += 0.1
    rate.require_balance("dora")
    assert taken(rate, "dora") == 1


def test_the_quiet_are_forgotten_and_too_many_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "MAX_KEYS", 3)
    clock = SettableSeconds()
    rate = Rate("from one address", 1, clock)
    for key in ("a", "b", "c", "d", "e", "f"):
        rate.take(key)
    assert len(rate) == 4  # three, and what the others share
    assert taken(rate, "g") == 2  # "d", "e" and "f" took from it
    clock.now += 10
    rate.take("h")
    assert len(rate) == 1


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


class Directory:
    """Stands for the database: who is in it, and how often it was read."""

    def __init__(self) -> None:
        self.holders = {"d1": Holder("dora", None, None)}
        self.compared = self.read = 0
        self.is_away = False

    def state(self) -> tuple[object, ...]:
        self.compared += 1
        if self.is_away:
            raise OperationalError("away")
        return tuple(self.holders)

    def all(self) -> dict[str, Holder]:
        self.read += 1
        return dict(self.holders)


@pytest.fixture
def directory() -> Directory:
    return Directory()


@pytest.fixture
def clock() -> SettableSeconds:
    return SettableSeconds()


@pytest.fixture
def roster(directory: Directory, clock: SettableSeconds) -> Iterator[Roster]:
    roster_ = Roster(directory.all, directory.state, clock)
    yield roster_
    roster_.close()


def test_the_directory_is_read_when_it_changes_and_compared_when_somebody_comes(
    roster: Roster, directory: Directory, clock: SettableSeconds
) -> None:
    async def work() -> None:
        await roster.be_fresh()
        await roster.be_fresh()
        assert (directory.compared, directory.read) == (1, 1)
        assert roster.find("d1") == Holder("dora", None, None)
        clock.now += OLD_S + 0.1
        await roster.be_fresh()  # the old still holds: nobody waits
        await roster.look()
        assert (directory.compared, directory.read) == (2, 1)
        del directory.holders["d1"]
        clock.now += DEAD_S + 0.1
        await roster.be_fresh()
        assert roster.find("d1") is None

    run(work())


def test_nobody_is_let_in_by_what_was_known_long_ago(
    roster: Roster, directory: Directory, clock: SettableSeconds
) -> None:
    async def work() -> None:
        await roster.be_fresh()
        directory.is_away = True
        clock.now += DEAD_S + 0.1
        with pytest.raises(Retry, match=r"PITLEDGER_READ does not answer: away"):
            await roster.be_fresh()
        directory.is_away = False
        await roster.be_fresh()

    run(work())


def test_many_strangers_at_once_are_one_look(roster: Roster, directory: Directory) -> None:
    async def work() -> None:
        await asyncio.gather(*(roster.look() for _ in range(100)))
        assert directory.compared == 1

    run(work())


def answer_all(futures: list[Future[int]]) -> None:
    for number, future in enumerate(futures):
        future.set_result(number)


def test_answers_of_another_thread_come_to_who_waits_and_late_ones_to_nobody() -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        answers = AnswerDelivery(loop, within_s=10.0)
        futures: list[Future[int]] = [Future() for _ in range(50)]
        waiting = [asyncio.ensure_future(answers.result(future)) for future in futures]
        await asyncio.sleep(0)
        await loop.run_in_executor(None, answer_all, futures)
        assert await asyncio.gather(*waiting) == list(range(50))
        never: Future[int] = Future()
        with pytest.raises(TimeoutError):
            await AnswerDelivery(loop, within_s=0.01).result(never)
        never.set_result(1)
        failed: Future[int] = Future()
        failed.set_exception(Retry("no"))
        with pytest.raises(Retry):
            await answers.result(failed)

    run(work())


def test_one_timer_ends_each_wait_at_its_own_limit() -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        ended: list[tuple[str, float]] = []
        limits: EqualTimeLimits[str] = EqualTimeLimits(0.05, lambda wait: ended.append((wait, loop.time())))
        began = loop.time()
        limits.begin("first")
        limits.begin("answered")
        await asyncio.sleep(0.02)
        limits.begin("second")
        limits.forget("answered")
        limits.forget("never begun")
        await asyncio.sleep(0.2)
        limits.begin("third")
        await asyncio.sleep(0.2)
        assert [wait for wait, _ in ended] == ["first", "second", "third"]
        assert all(at >= began + limit for (_, at), limit in zip(ended, (0.05, 0.07, 0.27), strict=True))
        limits.forget("third")

    run(work())


class Body:
    """A request's body: whole when asked for, or in pieces; `hangs` never ends."""

    def __init__(self, *pieces: bytes, hangs: bool = False) -> None:
        self._pieces, self._hangs = pieces, hangs

    async def __call__(self) -> bytes:
        if self._hangs:
            await asyncio.Event().wait()
        return b"".join(self._pieces)

    async def __aiter__(self) -> Any:
        for piece in self._pieces:
            yield piece
        if self._hangs:
            await asyncio.Event().wait()


def test_a_body_has_a_size_and_a_time() -> None:
    async def work() -> None:
        bodies = Bodies(within_s=0.01)
        assert await bodies.read("dora", "2", Body(b"{", b"}")) == b"{}"
        assert await bodies.read("dora", "", Body(b"{", b"}")) == b"{}"
        for length, body in ((str(MAX_BODY + 1), Body(hangs=True)), ("", Body(*[b"x" * 1_000] * 300, hangs=True))):
            with pytest.raises(BodyTooLarge):
                await bodies.read("dora", length, body)
        for length in ("2", ""):
            with pytest.raises(BodyTimeout):
                await bodies.read("dora", length, Body(b"{", hangs=True))

    run(work())


def test_a_larger_body_may_come_in_pieces_and_few_of_them_at_once() -> None:
    async def work() -> None:
        bodies, most = Bodies(within_s=10.0), 4 * MAX_BODY
        large = [b"x" * MAX_BODY] * 3
        for length in (str(3 * MAX_BODY), ""):
            assert len(await bodies.read("sven", length, Body(*large), most=most)) == 3 * MAX_BODY
        for length, body in ((str(most + 1), Body(hangs=True)), ("", Body(*large, *large, hangs=True))):
            with pytest.raises(BodyTooLarge):
                await bodies.read("sven", length, body, most=most)
        stuck = [
            asyncio.ensure_future(bodies.read("sven", str(most), Body(hangs=True), most=most))
            for _ in range(LARGE_AT_ONCE)
        ]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await bodies.read("sven", str(most), Body(*large), most=most)
        assert await bodies.read("sven", "2", Body(b"{}"), most=most) == b"{}", "a small one waits for none of them"
        for each in stuck:
            each.cancel()
        await asyncio.gather(*stuck, return_exceptions=True)
        assert len(await bodies.read("sven", "", Body(*large), most=most)) == 3 * MAX_BODY

    run(work())


def test_bodies_that_never_come_are_few_of_one_sender_and_bounded_in_all() -> None:
    async def work() -> None:
        bodies = Bodies(within_s=10.0, at_once=2, in_all=3)
        stuck = [asyncio.ensure_future(bodies.read(who, "2", Body(hangs=True))) for who in ("dora", "dora", "ines")]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await bodies.read("dora", "2", Body(b"{}"))
        with pytest.raises(Retry, match="Too many requests are still on their way"):
            await bodies.read("paul", "2", Body(b"{}"))
        for task in stuck:
            task.cancel()
        await asyncio.gather(*stuck, return_exceptions=True)
        assert await bodies.read("dora", "2", Body(b"{}")) == b"{}"

    run(work())


Serving = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]
GET = ForwardedRequest("GET", "/hits/é a/%", "q=1", [("host", "localhost"), ("te", "x")], b"", "10.0.0.1")


@asynccontextmanager
async def pages(serve: Serving, **bounds: int) -> Any:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield Upstream("the pages", "127.0.0.1", server.sockets[0].getsockname()[1], **bounds)


def test_a_request_is_passed_on_as_it_came_but_for_what_belongs_to_its_connection() -> None:
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.0 203 Yes\r\nX-A: b: c\r\nConnection: close\r\nDate: x\r\n\r\nbo\r\n\r\ndy")
        writer.close()

    async def work() -> None:
        async with pages(serve) as forward:
            answer = await forward.pass_on(GET)
        assert (answer.status, answer.headers, answer.body) == (203, [("X-A", "b: c")], b"bo\r\n\r\ndy")
        first, *rest = heads[0].decode().split("\r\n")
        assert first == "GET /hits/%C3%A9%20a/%25?q=1 HTTP/1.0"
        host, source, length = [line for line in rest if line]
        assert (host, length) == ("host: localhost", "content-length: 0")
        name, _, shown = source.partition(": ")
        assert (name, signed_person_passes.source(shown)) == ("pitledger-source", ("10.0.0.1", False))

    run(work())


def test_how_the_house_is_is_looked_at_once_a_second_however_many_ask(clock: SettableSeconds) -> None:
    requests: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.0 200 OK\r\n\r\n{}")
        writer.close()

    async def work() -> None:
        async with pages(serve) as forward:
            health = Health(forward, lambda _: [], clock)
            for _ in range(2):
                answers = await asyncio.gather(*(health.now() for _ in range(100)))
                assert {(answer.status, answer.body) for answer in answers} == {(200, b"{}")}
                clock.now += OF_HEALTH_OLD_S + 0.1
        assert len(requests) == 2
        assert (await health.now()).body.startswith(b'{"status":"degraded"')

    run(work())


def test_pages_that_hang_or_are_away_or_talk_nonsense_are_a_503() -> None:
    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"what\r\n\r\n")
        writer.close()

    async def work() -> None:
        async with pages(hang, at_once=1, waiting_max=1) as forward:
            both = [asyncio.ensure_future(forward.pass_on(GET, 0.1)) for _ in range(2)]
            await asyncio.sleep(0)
            with pytest.raises(Retry, match="Too many requests wait for the pages"):
                await forward.pass_on(GET)
            for task in both:
                with pytest.raises(Retry, match="did not answer within"):
                    await task
        with pytest.raises(Retry, match="does not answer"):
            await forward.pass_on(GET)
        async with pages(babble) as forward:
            with pytest.raises(Retry, match="does not answer"):
                await forward.pass_on(GET)

    run(work())


@pytest.mark.parametrize(
    ("path", "query", "target"),
    [
        ("/api/v1/tables/FR1/actions", "", Target("tables", "FR1", None)),
        ("/api/v1/tables/FR1/actions", "gaming_day=2026-11-20", Target("tables", "FR1", "2026-11-20")),
        ("/api/v1/tables/é a/actions", "", Target("tables", "é a", None)),
        ("/api/v1/floor/actions", "", Target("floor", "", None)),
        ("/api/v1/tables/actions", "", None),
        ("/api/v1/nothing/x/actions", "", None),
        ("/tables/FR1/actions", "", None),
        ("/", "", None),
    ],
)
def test_which_addresses_take_actions(path: str, query: str, target: Target | None) -> None:
    assert target_of(path, query) == target


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("localhost", True),
        ("localhost:8000", True),
        ("127.0.0.1:9", True),
        ("[::1]:8000", True),
        ("evil.example", False),
        ("", False),
    ],
)
def test_the_house_goes_by_its_own_names_only(host: str, ours: bool) -> None:
    assert is_ours(host) == ours


def test_who_comes_too_often_waits_for_the_answer_and_nobody_else_does() -> None:
    async def wait_for_answer() -> None:
        holding = RateLimitDelay(for_s=60.0, at_once=2)
        held = [asyncio.create_task(holding.back(429)) for _ in range(2)]
        await asyncio.sleep(0)
        for status in (200, 401, 403, 503):
            await asyncio.wait_for(holding.back(status), 30.0)
        await asyncio.wait_for(holding.back(429), 30.0)  # there are enough of them already
        assert not any(waiting.done() for waiting in held)
        for waiting in held:  # they hang up
            waiting.cancel()
        await asyncio.gather(*held, return_exceptions=True)
        freed = asyncio.create_task(holding.back(429))
        await asyncio.sleep(0)
        assert not freed.done(), "there is room again"
        freed.cancel()
        await RateLimitDelay(for_s=0.0).back(429)

    run(wait_for_answer())


LOCAL = {"host": "localhost:8000"}


@pytest.mark.parametrize(
    ("source", "headers", "may"),
    [
        ("127.0.0.1", LOCAL, True),
        ("10.0.0.1", LOCAL, False),
        ("127.0.0.1", {"host": "pit.example.org"}, False),
        ("127.0.0.1", {**LOCAL, "x-forwarded-for": "127.0.0.1"}, False),
        ("127.0.0.1", {**LOCAL, "x_real_ip": "127.0.0.1"}, False),
    ],
)
def test_permission_to_observe_is_that_of_the_request_as_it_came(
    source: str, headers: dict[str, str], may: bool
) -> None:
    """The door rewrites the host of an admitted request to that of the house, which must not make it local."""
    scope = SimpleNamespace(method="GET", path="/healthz", query_string="", authority=None, headers=headers)
    request = request_of(scope, list(scope.headers.items()), source)
    assert not request.may_observe
    admitted = replace(request, headers=[("host", "localhost:8000")])
    assert _with_permission(admitted, scope).may_observe == may


def test_no_header_stands_twice_however_many_and_long_their_names_are() -> None:
    assert accepted_headers([]) == []
    assert accepted_headers([("Host", "a"), ("X_Host", "b"), ("Accept", "c"), ("ACCEPT", "d")]) == [
        ("host", "a"),
        ("accept", "c"),
        ("accept", "d"),
    ]
    for others in ([], [(f"x-{number}", "") for number in range(400)], [("y" * 5_000, "")]):
        with pytest.raises(Ambiguous):
            accepted_headers([("Host", "a"), *others, ("hOST", "a")])
        with pytest.raises(Ambiguous):
            accepted_headers([("Content-Length", "1"), *others, ("Transfer-Encoding", "chunked")])
        assert len(accepted_headers([("Host", "a"), *others])) == 1 + len(others)


def test_a_name_with_a_line_break_is_not_two_names() -> None:
    with pytest.raises(ValueError, match="line break"):
        accepted_headers([("x_a\nhost", "a"), ("y_z", "evil")])


def test_long_hosts_and_types_are_not_remembered() -> None:
    tracemalloc.start()
    for number in range(50):
        is_ours(f"{number}." + "a" * 100_000)
        accepted_headers([("Content-Type", f"text/{number}" + "a" * 100_000)])
        address_of(f"{number}." + "a" * 100_000)
    traced_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert traced_bytes < 1_000_000
