"""A day is played into `up` while its processes are killed one after the other, and `up` itself once.

The client repeats unanswered requests under the same keys. The books must equal those of a day without kills.
"""

import os
import signal
import threading
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.running import embedded_kafka_broker_process
from events.envelope import AnyEnvelope
from events.store import EventStore, everything, open_store
from events.store.stream_chain_verification import verify
from projections.engine.projection_positions_and_wait import wait_for
from projections.figures_of_all_read_models_with_digest import books, digest
from projections.invariants import findings
from projections.progressives.models import Hit
from projections.registry import PROJECTORS
from tests.integration.system.running_house import Installation, Up, reading
from tests.support.processes.relays_and_topic_readers import on_topic, within
from tools.demo.demo_house_setup import Keys
from tools.demo.gaming_day_play import DemoDay
from tools.demo.http_terminal import DemoTerminal

SEED, HOURS = 7, 0.25
FIRST, APART = 8, 16  # requests before the first kill, and between two
CAUGHT_UP_S = 60.0


class Murderous(DemoTerminal):
    """The demo's terminal, with a process killed during certain requests."""

    def __init__(self, url: str, keys: Keys, victims: list[Callable[[], None]], random: Random) -> None:
        super().__init__(url, keys)
        self.requests = 0
        self.threads: list[threading.Timer] = []
        moments = [FIRST + APART * number + random.randrange(APART // 2) for number in range(len(victims))]
        self._at = dict(zip(moments, victims, strict=True))
        self._random = random

    def send(
        self, path: str, person: str, actions: list[dict[str, Any]], device: str | None = None
    ) -> list[AnyEnvelope]:
        self.requests += 1
        if (victim := self._at.pop(self.requests, None)) is not None:
            self.threads.append(threading.Timer(self._random.uniform(0.0, 0.02), victim))
            self.threads[-1].start()
        return super().send(path, person, actions, device)

    def close(self) -> None:
        for thread in self.threads:
            thread.join()
        super().close()


class HouseUnderKills:
    """`up` and its processes, with the list of the killed ones."""

    def __init__(self, here: Installation) -> None:
        self.here = here
        self.up = Up(here).wait_until_up()
        self.dead: list[str] = []

    def kill(self, name: str) -> None:
        """Kill a process once it runs."""
        within(lambda: self.here.pid(name) is not None, f"{name} does not run")
        pid = self.here.pid(name)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        self.dead.append(name)

    def kill_up(self) -> None:
        """Kill the supervisor, and start another one on its data at once."""
        self.up.kill()
        self.dead.append("up")
        self.up = Up(self.here)


@pytest.mark.parametrize("seed", [1])
def test_whatever_is_killed_the_books_are_those_of_an_undisturbed_day(
    seed: int, here: Installation, expected: Callable[..., str], django_db_blocker: DjangoDbBlocker
) -> None:
    random = Random(seed)
    keys = here.set_up_house()
    life = HouseUnderKills(here)
    victims: list[Callable[[], None]] = [lambda name=name: life.kill(name) for name in here.names]  # type: ignore[misc]  # bound now
    victims.append(life.kill_up)
    random.shuffle(victims)
    read = f"sqlite:///{here.data / 'read.sqlite3'}"
    store = open_store(f"sqlite:///{here.data / 'events.sqlite3'}")
    with django_db_blocker.unblock(), reading(read) as alias:

        def share(hit: str) -> int | None:
            lock = Hit.objects.using(alias).filter(hit=hit, status="locked").first()
            return lock.share_minor if lock else None

        terminal = Murderous(here.url, keys, victims, random)
        try:
            for _ in DemoDay(terminal, SEED, HOURS, share).play():
                pass
        except Exception as error:
            error.add_note(f"killed by then: {', '.join(life.dead)}; `up` said:\n{life.up.output()[-6_000:]}")
            raise
        finally:
            terminal.close()
        assert sorted(life.dead) == sorted([*here.names, "up"])
        assert terminal.repeated > 0
        life.up.wait_until_up()
        assert wait_for(store.position(), CAUGHT_UP_S, PROJECTORS, using=alias), life.up.output()[-3_000:]
        assert findings(alias) == []
        assert digest(books(using=alias)) == expected(SEED, HOURS)
    assert here.manage("books", "--digest").stdout.strip() == expected(SEED, HOURS)
    assert verify(store).findings == []
    within(lambda: _the_topic_has_the_store(here, store), "the topic does not become what the store holds")
    store.close()
    assert life.up.stop() == 0, life.up.output()[-3_000:]
    assert here.left() == {}


def _the_topic_has_the_store(here: Installation, store: EventStore) -> bool:
    """Tell whether the topic has all events. The worker adds some after the play, when it judges the night."""
    values = dict.fromkeys(value for _, value, _ in on_topic(embedded_kafka_broker_process.bootstrap(data=here.data)))
    return list(values) == [event.raw for event in everything(store)]
