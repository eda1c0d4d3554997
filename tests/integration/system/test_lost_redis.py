"""A house without Redis at its start, with it, and after its loss or hang: only the worker waits, and reports it."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from backoffice.running import status_files
from events.integrity.signed_head_format import decode
from events.integrity.signed_head_stores import open_heads
from events.store import open_store
from tests.integration.system.running_house import Installation, Up, installation
from tests.restores.test_backup_page import PeopleAtWork
from tests.servers import Redis
from tests.support.processes.relays_and_topic_readers import within

SOON_S = 60.0  # the machine may be busy
WAITS, GOES_ON = "it waits for the task broker (PITLEDGER_CELERY)", "it waits no longer"


@pytest.fixture
def redis() -> Iterator[Redis]:
    """A server of the test's own, which the test stops."""
    with Redis() as server:
        yield server


@pytest.fixture
def here(redis: Redis, tmp_path: Path, free_port: Callable[[], int]) -> Iterator[Installation]:
    data = tmp_path / "house"
    data.mkdir()
    settings = {"STORE": f"sqlite:///{data}/events.sqlite3", "CELERY": redis.url, "HEAD_S": "0.5", "SWEEP_S": "0.5"}
    with installation(data, free_port(), **settings) as installed:
        yield installed


class HouseWithRedis:
    """A running house with people at work."""

    def __init__(self, here: Installation, work: PeopleAtWork) -> None:
        self.up = Up(here, "--without", "live").wait_until_up()
        self._here, self._work = here, work

    def plays_on(self) -> None:
        """Assert that a new event is stored, read, and covered by a head."""
        last = self._work.buys()
        within(lambda: self._read() >= last, "the read models do not follow", SOON_S)
        within(lambda: self._signed() >= last, "no head is made", SOON_S)

    def says(self, line: str, times: int) -> None:
        within(lambda: self.up.output().count(line) == times, f"{line!r} is not said", SOON_S)

    def health(self) -> dict[str, object]:
        health: dict[str, object] = httpx.get(f"{self._here.url}/healthz", timeout=60.0).json()
        return health

    def _read(self) -> int:
        return int(status_files.last_status("project", data=self._here.data).get("position", 0))

    def _signed(self) -> int:
        with closing(open_heads(self._here.env["PITLEDGER_STORE"])) as heads:
            last = heads.last()
        return decode(last).position if last else 0


@pytest.mark.redis
def test_nobody_waits_for_redis_but_the_worker(here: Installation, redis: Redis) -> None:
    redis.stop()
    with closing(open_store(here.env["PITLEDGER_STORE"])) as store:
        store.create()
    with closing(PeopleAtWork(here)) as work:
        house = HouseWithRedis(here, work)
        house.plays_on()
        house.says(WAITS, 1)
        redis.start()
        house.says(GOES_ON, 1)
        within(lambda: house.health() == {"status": "ok"}, "it is not said that all is well", SOON_S)
        redis.kill()
        house.plays_on()
        house.says(WAITS, 2)
        within(lambda: house.health()["status"] == "degraded", "it is not said that the worker waits", SOON_S)
        redis.start()
        house.says(GOES_ON, 2)
        house.plays_on()
    assert house.up.stop() == 0
    assert house.up.output().count("beat does itself what is due") == 2
    assert "Traceback" not in house.up.output()


@pytest.mark.redis
def test_nobody_waits_for_a_redis_that_hangs(here: Installation, redis: Redis) -> None:
    with closing(open_store(here.env["PITLEDGER_STORE"])) as store:
        store.create()
    with closing(PeopleAtWork(here)) as work:
        house = HouseWithRedis(here, work)
        house.plays_on()
        pid = redis.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        try:
            house.says("beat does itself what is due", 1)
            house.plays_on()
            house.says(WAITS, 1)
        finally:
            os.kill(pid, signal.SIGCONT)
        house.says("the task broker answers again", 1)
        house.says(GOES_ON, 1)
        house.plays_on()
        within(lambda: house.health() == {"status": "ok"}, "it is not said that all is well", SOON_S)
    assert house.up.stop() == 0
    assert "Traceback" not in house.up.output()
