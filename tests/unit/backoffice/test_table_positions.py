"""Live streams of tables for their screens: a position when something has happened there, and nothing else."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from backoffice.live import table_event_positions
from backoffice.live.table_event_positions import EVERY_TABLE, StoreNews, TablePositions, read_news, table_of
from tests.support.houses.small_house import House, serving


class CountingNews:
    """News of a store that counts its reads."""

    def __init__(self) -> None:
        self.position, self.tables, self.reads, self.is_down = 5, dict[str, int](), 0, False

    def __call__(self, after: int) -> StoreNews:
        self.reads += 1
        if self.is_down:
            raise OSError("the store does not answer")
        news, self.tables = self.tables, {}
        return StoreNews(self.position, news)

    def happen(self, table: str) -> int:
        self.position += 1
        self.tables[table] = self.position
        return self.position


async def here(work: Callable[[], StoreNews]) -> StoreNews:
    return work()


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 10.0))


def test_a_screen_is_told_of_its_table_and_of_what_concerns_all() -> None:
    async def listens() -> None:
        news = CountingNews()
        positions = TablePositions(here, news, tick_s=0.001)
        with positions.listening():
            messages = positions.messages("FR1")
            assert '"position":0' in await anext(messages)
            news.happen("BJ1")
            own = news.happen("FR1")
            assert f'event: position\ndata: {{"position":{own}}}' in await anext(messages)
            news.is_down = True
            reads = news.reads
            while news.reads < reads + 2:
                await asyncio.sleep(0)
            news.is_down = False
            shared = news.happen(EVERY_TABLE)
            assert f'"position":{shared}' in await anext(messages)
        positions.close()
        assert [message async for message in messages] == []

    run(listens())


def test_one_look_serves_all_and_nobody_looks_without_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_event_positions, "BEAT_S", 0.01)

    async def listens() -> None:
        news = CountingNews()
        positions = TablePositions(here, news, tick_s=0.02)
        with positions.listening(), positions.listening(), positions.listening():
            listeners = [positions.messages(table) for table in ("FR1", "FR1", "BJ1")]
            for _round in range(3):
                heard = [await anext(listener) for listener in listeners]
            assert all(message.startswith("event: beat") for message in heard)
            assert news.reads <= 6
        await asyncio.sleep(0.05)
        reads = news.reads
        await asyncio.sleep(0.05)
        assert news.reads == reads
        assert positions.listeners == 0

    run(listens())


def test_a_quiet_table_of_a_busy_floor_has_its_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    """A screen without a beat holds its stream for broken, connects again and asks for all its state."""
    monkeypatch.setattr(table_event_positions, "BEAT_S", 0.05)

    async def listens() -> None:
        news = CountingNews()
        positions = TablePositions(here, news, tick_s=0.001)

        async def play() -> None:
            while True:
                news.happen("BJ1")
                await asyncio.sleep(0.002)

        with positions.listening():
            messages = positions.messages("FR1")
            playing = asyncio.create_task(play())
            heard = [await anext(messages) for _message in range(3)]
            playing.cancel()
        assert [message.partition("\n")[0] for message in heard] == ["event: position", "event: beat", "event: beat"]

    run(listens())


def test_streams_name_their_tables() -> None:
    assert table_of("athens/tables/FR1/2026-11-20") == "FR1"
    assert [table_of(f"athens/{kind}") for kind in ("devices", "people", "progressives/blazing")] == [EVERY_TABLE] * 3
    assert table_of("athens/alerts") is None


def test_the_news_of_a_house(db: None) -> None:
    house = House()
    house.open_table("FR1")
    with serving(house):
        before = read_news(0).position
        assert before == house.store.position()
        assert read_news(before) == StoreNews(before, {})
        house.ok("tables", "FR1", "dora", house.action("round.open"))
        now = house.store.position()
        assert read_news(before) == StoreNews(now, {"FR1": now})
        assert read_news(now + 10).tables == {EVERY_TABLE: now}  # another store than before
    house.close()
