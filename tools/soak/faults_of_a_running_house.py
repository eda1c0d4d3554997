"""Faults of a running house: processes and servers killed, parts and the whole restored, its clock stepped."""

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from events.runtime import clock
from tests.integration.system.running_house import Installation, Up
from tests.support.processes.relays_and_topic_readers import within
from tools.soak.house_data_copying import DeploymentPlace, restart

UP_S = 240.0  # the machine may be busy
EARLY, LATE = "2026-11-20T21:00:00.000Z", "2026-11-21T03:00:00.000Z"


class HouseUnderFaults:
    """`up` on a data folder, and what becomes of both. `done` counts it."""

    def __init__(self, here: Installation, place: DeploymentPlace, random: Random) -> None:
        self.here = here
        self.place = place
        self.done: Counter[str] = Counter()
        self._random = random
        self._copies = here.data.with_name("copies")
        self._one_at_a_time = threading.RLock()  # for what needs the house as it was found
        self.up = Up(here)
        self.wait_until_up()

    # --- at any moment ---

    def kill(self, name: str) -> None:
        """SIGKILL for one of the processes, if it is there."""
        if (pid := self.here.pid(name)) is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                self.done["kills"] += 1

    def kill_server(self, name: str) -> None:
        """Send SIGKILL to a server, which restarts with the content of its disk."""
        with self._one_at_a_time:
            self.wait_until_up()
            restart(self.place.servers[name])
            self.done["servers killed"] += 1

    def step_clock(self) -> None:
        """The house's clock goes forward or back by as much as it likes, and runs on from there."""
        early, late = datetime.fromisoformat(EARLY), datetime.fromisoformat(LATE)
        to = early + timedelta(seconds=self._random.uniform(0, (late - early).total_seconds()))
        clock.start(Path(self.here.env[clock.SETTING]), clock.event_time(to))
        self.done["clock steps"] += 1

    # --- while no one waits for an answer ---

    def kill_up(self) -> None:
        """The supervisor with all that it supervises; another one goes on."""
        with self._one_at_a_time:
            self.up.kill()
            self.done["kills"] += 1
            self.up = Up(self.here)

    def copy(self) -> None:
        """A backup of the running house, whose processes are all there for it or not."""
        with self._one_at_a_time:
            self.place.copy(self.here, self._copies / f"copy-{self.done['copies']}")
            self.done["copies"] += 1

    def put_back(self) -> None:
        """The whole house, as the last copy has it."""
        self._while_down(self.place.put_back)
        self.done["houses put back"] += 1

    def put_read_models_back(self) -> None:
        """The read models of the last copy, which are older than the events."""
        self._while_down(self.place.put_read_models_back)
        self.done["read models put back"] += 1

    def _while_down(self, work: Callable[[Installation, Path], None]) -> None:
        with self._one_at_a_time:
            self.wait_until_up()
            assert self.up.stop() == 0, self.up.output()[-3_000:]
            assert self.here.left() == {}
            work(self.here, self._copies / f"copy-{self.done['copies'] - 1}")
            self.up = Up(self.here)
            self.wait_until_up()

    # --- the end ---

    def wait_until_up(self) -> None:
        """Wait until `up` reports success, on a machine of any load."""
        within(lambda: "Pitledger is up" in self.up.output() or self.up.process.poll() is not None, "not up", UP_S)
        assert self.up.process.poll() is None, self.up.output()[-3_000:]

    def end(self) -> None:
        """Stop it: nothing of it runs any more."""
        assert self.up.stop() == 0, self.up.output()[-3_000:]
        assert self.here.left() == {}
