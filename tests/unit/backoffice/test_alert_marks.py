"""The live stream of wall displays: a mark when the open alerts have changed, and beats in between."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from backoffice.live import open_alert_change_signals
from backoffice.live.open_alert_change_signals import AlertMarks, AlertNews, Read


class Alerts:
    """Open alerts whose reads are counted."""

    def __init__(self) -> None:
        self.mark, self.reads, self.is_down = "5.1", 0, False

    def __call__(self) -> AlertNews:
        self.reads += 1
        if self.is_down:
            raise OSError("the read models do not answer")
        return AlertNews(self.mark, "current")


async def here(work: Read) -> AlertNews:
    return work()


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 60.0))


def test_a_wall_is_told_of_every_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_alert_change_signals, "BEAT_S", 0.05)

    async def listens() -> None:
        alerts = Alerts()
        marks = AlertMarks(here, alerts, tick_s=0.001)
        with marks.listening():
            messages = marks.messages()
            while "event: alerts" not in (first := await anext(messages)):
                assert "event: beat" in first
            assert '"mark":"5.1"' in first
            alerts.mark = "6.2"
            while '"mark":"6.2"' not in (first := await anext(messages)):
                assert "event: beat" in first
            assert "event: alerts" in first
            assert 'event: beat\ndata: {"mark":"6.2","state":"current"}' in await anext(messages)
            alerts.is_down = True
            while '"state":"unknown"' not in await anext(messages):
                pass
            alerts.is_down, alerts.mark = False, "7.2"
            while '"mark":"7.2"' not in await anext(messages):
                pass
        marks.close()
        assert [message async for message in messages] == []

    run(listens())


def test_it_reads_only_while_a_wall_listens() -> None:
    async def listens() -> None:
        alerts = Alerts()
        marks = AlertMarks(here, alerts, tick_s=0.001)
        with marks.listening():
            while not alerts.reads:
                await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        reads = alerts.reads
        await asyncio.sleep(0.02)
        assert alerts.reads == reads
        with marks.listening():
            while alerts.reads == reads:
                await asyncio.sleep(0.001)
        marks.close()

    run(listens())
