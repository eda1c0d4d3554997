"""One thread, many processes: a seed decides the next process, the time and the faults.

Every process is a greenlet that runs the real code until it calls the store, Kafka or a clock. There it gives its turn
away, and a fault may happen. The same seed gives the same run.
"""

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import NoReturn

from greenlet import getcurrent, greenlet

TICK_S = 0.001  # what a turn costs on the simulated clock


class SimulatedSigkill(BaseException):
    """SIGKILL. Not an Exception: no handler of the code under test may survive it."""


class Stuck(AssertionError):
    """The system did not come to rest: a process waits for an event that will never come."""


class SimulatedProcess:
    """A program that is started again whenever it was killed."""

    def __init__(self, name: str, program: Callable[[], None], *, restart: bool = True) -> None:
        self.name = name
        self.restart = restart
        self.wake_at = 0.0
        self.dying = False
        self.done = False
        self._program = program
        self.greenlet = greenlet(program)

    def begin_new_life(self) -> None:
        """A fresh life."""
        self.greenlet, self.dying = greenlet(self._program), False


class Scheduler:
    """Gives turns to processes.

    `monotonic`, `time_ns` and `sleep` are those of Python's `time`, on the simulated clock.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.now = 0.0
        self.turns = 0
        self.kills = 0
        self.processes: list[SimulatedProcess] = []
        self._current: SimulatedProcess | None = None

    # --- for the processes ------------------------------------------------------------------------------------

    def monotonic(self) -> float:
        """Seconds on the simulated clock."""
        return self.now

    def time_ns(self) -> int:
        """Nanoseconds on the simulated clock."""
        return int(self.now * 1_000_000_000)

    def sleep(self, seconds: float) -> None:
        """Give the turn away for some seconds."""
        process = self._current
        if process is None:  # outside of the simulation: a checker that reads
            return
        if process.dying:
            raise SimulatedSigkill
        process.wake_at = self.now + seconds
        process.greenlet.parent.switch()
        self._current = process

    def kill(self) -> NoReturn:
        """Kill the running process here and now."""
        assert self._current is not None
        self._current.dying = True
        self.kills += 1
        raise SimulatedSigkill

    def happens(self, chance: float) -> bool:
        """Tell whether an event of this probability happens now. Outside of the simulation it never does."""
        return chance > 0 and self._current is not None and self.random.random() < chance

    # --- for whoever runs it -----------------------------------------------------------------------------------

    def start(self, name: str, program: Callable[[], None], *, restart: bool = True) -> SimulatedProcess:
        """A new process, from the next turn on."""
        process = SimulatedProcess(name, program, restart=restart)
        self.processes.append(process)
        return process

    def run(self, until: Callable[[], bool], turns_max: int, what: str) -> None:
        """Give turns until the condition holds. Raises Stuck, and any error that ends a process."""
        last = self.turns + turns_max
        while not until():
            if self.turns >= last:
                raise Stuck(f"{what} after {turns_max} turns, {self.now:.1f} simulated seconds")
            self.turn()

    def turn(self) -> None:
        """Run one process until its next call to the outside. Time advances if no process is ready."""
        self.turns += 1
        self.now += TICK_S
        ready = [process for process in self.processes if process.wake_at <= self.now]
        if not ready:
            self.now = min(process.wake_at for process in self.processes)
            ready = [process for process in self.processes if process.wake_at <= self.now]
        process = ready[self.random.randrange(len(ready))]
        assert getcurrent() is not process.greenlet
        self._current = process
        try:
            with suppress(SimulatedSigkill):
                process.greenlet.switch()
        finally:
            self._current = None
        if process.greenlet.dead:
            self._bury(process)

    def _bury(self, process: SimulatedProcess) -> None:
        if not process.restart and not process.dying:
            process.done = True
            self.processes.remove(process)
            return
        assert process.restart, f"{process.name} was killed and is not to be"
        process.begin_new_life()
        process.wake_at = self.now + self.random.uniform(0.0, 1.0)

    def stop(self) -> None:
        """End all processes, so that the garbage collector ends none."""
        for process in self.processes:
            self._current, process.dying = process, True
            if process.greenlet:
                with suppress(SimulatedSigkill):
                    process.greenlet.throw(SimulatedSigkill)
        self._current = None
        self.processes.clear()
