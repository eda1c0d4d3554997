"""The live stream: the process itself, over an evening that plays on."""

import http.client
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.servers.ports import LOOPBACK, free_port
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tests.support.pages.sign_in import session_of
from tests.support.processes.scratch_databases import read_models
from tests.support.processes.web_process import EveningThreads, LiveProcess, Web

PATH = "/live/progressives/blazing"


@pytest.fixture(scope="module")
def night(django_db_blocker: DjangoDbBlocker) -> Iterator[EveningThreads]:
    evening_ = EveningThreads(django_db_blocker)
    yield evening_
    evening_.close()


@pytest.fixture(scope="module")
def web(night: EveningThreads, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    with Web(night.fill, django_db_blocker) as running:
        yield running


@pytest.fixture(scope="module")
def live(web: Web) -> Iterator[LiveProcess]:
    with LiveProcess(web) as running:
        yield running


class LiveEventStream:
    """An open stream. `next` returns the next event of a kind as (id, data)."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.response = response

    def next(self, kind: str, within_s: float = 60.0) -> tuple[str, Any]:
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            event = self._event()
            if event.get("event") == kind:
                return event.get("id", ""), msgspec.json.decode(event["data"])
        raise AssertionError(f"no {kind} within {within_s} s")

    def _event(self) -> dict[str, str]:
        event: dict[str, str] = {}
        while line := self.response.readline().decode().rstrip("\n"):
            name, _, value = line.partition(": ")
            event[name] = value
        return event


@contextmanager
def listen(live: LiveProcess, path: str = PATH, **headers: str) -> Iterator[LiveEventStream]:
    connection = http.client.HTTPConnection(LOOPBACK, live.port, timeout=60)
    try:
        headers = {"Cookie": live.cookie, **headers}
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        yield LiveEventStream(connection.getresponse())
    finally:
        connection.close()


def test_a_stream_begins_with_the_whole_state_and_nobodys_name(live: LiveProcess) -> None:
    with listen(live) as stream:
        assert stream.response.headers["Content-Type"].startswith("text/event-stream")
        _, beat = stream.next("beat")
        identity, message = stream.next("progressive")
    assert beat["state"] == "current"
    assert identity == f"{beat['position']}.1"
    levels = {level["level"]: level for level in message["live"]["levels"]}
    assert list(levels) == ["mega", "major", "minor"]
    assert (levels["mega"]["shown_minor"], levels["mega"]["meter_micro"]) == (2_500_150, "2500150000000")
    assert [level["status"] for level in levels.values()] == ["open", "open", "pending"]
    pending, paid = message["live"]["hits"]
    assert (pending["status"], pending["share_minor"], pending["locked_ms"]) == ("pending", None, None)
    assert (paid["status"], paid["share_minor"], paid["award_minor"], paid["sharers"]) == (
        "paid", 5_000_150, 5_000_150, 1,
    )  # fmt: skip
    assert 0 <= message["now_ms"] - paid["locked_ms"] < 600_000
    assert b"g-7" not in msgspec.json.encode(message)


def test_what_changes_is_told_at_once_and_nothing_else(live: LiveProcess, night: EveningThreads) -> None:
    with listen(live) as stream:
        first, _ = stream.next("progressive")
        night.do(_buy_in)
        night.do(_feed)
        second, message = stream.next("progressive")
    assert int(second.split(".")[0]) > int(first.split(".")[0]) + 1
    mega = message["live"]["levels"][0]
    assert mega["shown_minor"] == 2_500_150 + 100


def _buy_in(house: House) -> None:
    """Make a buy-in, which changes no meter."""
    house.ok("tables", "FR2", "ines", house.action("buyin.make", seat=2, player="g-2", amount_minor=10_000))


def _feed(house: House) -> None:
    """A round of 10.00 at BJ2 feeds the Mega with 1.00."""
    if f"athens/tables/BJ2/{DAY}" not in house.desk.streams.cache._current_states:
        house.open_table("BJ2")
    act = house.action
    bets = [
        act("bet.place", bet=f"{wager}-2", wager=wager, amount_minor=1_000, player="g-9", box=1)
        for wager in ("main", "blazing7s")
    ]
    house.ok("tables", "BJ2", "dora", act("round.open"), *bets, act("bets.close"), act("progressive.arm"))


def test_who_comes_back_with_the_last_id_hears_only_what_is_new(live: LiveProcess) -> None:
    with listen(live) as stream:
        identity, _ = stream.next("progressive")
    with listen(live, Last_Event_ID=identity) as stream:
        stream.next("beat")
        with pytest.raises(AssertionError, match="no progressive"):
            stream.next("progressive", within_s=3.0)
    with listen(live, Last_Event_ID="1.1") as stream:
        assert stream.next("progressive")[0] == identity


def test_a_stream_says_that_it_is_alive(live: LiveProcess) -> None:
    with listen(live) as stream:
        for _ in range(3):
            _, beat = stream.next("beat", within_s=60.0)
            assert beat["state"] == "current"


def test_a_hit_is_locked_and_the_stream_says_its_share(live: LiveProcess, night: EveningThreads) -> None:
    with listen(live) as stream:
        _, before = stream.next("progressive")
        assert before["live"]["levels"][2]["status"] == "pending"
        night.do(evening_with_everything.finish_blackjack)
        _, message = stream.next("progressive")
    assert message["live"]["levels"][2]["status"] == "locked"
    hit = message["live"]["hits"][0]
    assert (hit["level"], hit["status"], hit["table"], hit["share_minor"]) == ("minor", "locked", "BJ1", 120_075)
    assert message["now_ms"] - hit["locked_ms"] < 30_000


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://127.0.0.1:{web}"}, 200),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 403),
    ],
)
def test_only_our_own_pages_may_listen(live: LiveProcess, web: Web, headers: dict[str, str], status: int) -> None:
    sent = {name: value.replace("{web}", str(web.port)) for name, value in headers.items()}
    with listen(live, **sent) as stream:
        assert stream.response.status == status
        assert stream.response.headers.get("Access-Control-Allow-Origin") == (
            sent.get("Origin") if status == 200 else None
        )


@pytest.mark.parametrize("path", ["/live/progressives/nope", "/live/progressives/", "/", "/progressives/blazing"])
def test_there_is_nothing_else(live: LiveProcess, path: str) -> None:
    with listen(live, path) as stream:
        assert stream.response.status == 404


def test_when_it_stops_it_ends_the_streams_that_are_open(web: Web) -> None:
    with LiveProcess(web, free_port()) as live, listen(live) as stream, listen(live) as other:
        stream.next("progressive")
        other.next("progressive")
        live.stop()
        for stream_ in (stream, other):
            stream_.response.read()  # to its end: a stream that was torn off after three seconds would raise


def test_it_reads_postgresql_as_well(web: Web, postgres_url: str, django_db_blocker: DjangoDbBlocker) -> None:
    house = House()
    with django_db_blocker.unblock(), read_models(postgres_url) as alias:
        evening_with_everything.play(house)
        evening_with_everything.project(house, alias)
        cookie = f"sessionid={session_of('olga', alias)}"
        with (
            LiveProcess(web, free_port(), PITLEDGER_READ=postgres_url) as live,
            listen(live, Cookie=cookie) as stream,
        ):
            first, message = stream.next("progressive")
            assert message["live"]["levels"][2]["status"] == "pending"
            evening_with_everything.finish_blackjack(house)
            evening_with_everything.project(house, alias)
            second, message = stream.next("progressive")
            assert message["live"]["levels"][2]["status"] == "locked"
            assert int(second.split(".")[0]) > int(first.split(".")[0])
    house.close()
