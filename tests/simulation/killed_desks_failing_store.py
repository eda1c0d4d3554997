"""The gaming days of `books` at two desks whose processes are killed and whose store fails.

Each action is repeated until it has an answer. The days then equal those of the same seed without faults.
"""

from concurrent.futures import Future
from random import Random
from typing import Any, NoReturn

from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.desk.command_and_answer_structs import Command, Reply
from events.desk.desk import Desk
from events.errors import Conflict, Retry
from events.store.in_memory_store import MemoryStore
from events.streams.problem_details import Problem
from events.tables import gaming_day_stream_for_action
from tests.simulation.failing_store_disk import Connection, FailingDisk
from tests.simulation.fault_rates import Faults
from tests.simulation.random_cage_days import Books
from tests.simulation.seeded_process_scheduler import Scheduler, SimulatedSigkill
from tests.support.houses.small_house import PROPERTY

DESKS = 2
AGAIN = (429, 503)  # what whoever asks is told to ask again
FAULTS = Faults(kill=0.01, store_away=0.01, store_lost=0.03, pause=0.0, answer_lost=0.1)


class Chances(Scheduler):
    """A scheduler of one thread, which draws faults at random and waits without delay."""

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def kill(self) -> NoReturn:
        self.kills += 1
        raise SimulatedSigkill

    def happens(self, chance: float) -> bool:
        return self.random.random() < chance


class KilledDesks:
    """Desks on one disk. A client repeats the same action, at any of the desks, until it has an answer."""

    def __init__(self, store: MemoryStore, seed: int) -> None:
        self.disk, self.chances = FailingDisk(store), Chances(Random(f"{seed}/shaken"))
        self.desks = [self._born() for _ in range(DESKS)]
        self.repeated = 0

    def _born(self) -> Desk:
        """Start a process without the memory of the last one."""
        connection = Connection(self.disk, self.chances, FAULTS)
        checklist_system_state_source.register_source(connection, lambda: SystemState(readers={}, head=10**9, aside={}))
        return Desk(connection, PROPERTY)

    def do(self, command: Command) -> list[Reply]:
        while True:
            replies = self._send(command, self.chances.random.randrange(DESKS))
            if replies is not None and not self.chances.happens(FAULTS.answer_lost):
                return replies
            self.repeated += 1

    def _send(self, command: Command, desk: int) -> list[Reply] | None:
        future: Future[list[Reply]] = Future()
        try:
            self.desks[desk].serve([(command, future)])
            replies = future.result(0)
        except SimulatedSigkill:
            self.desks[desk] = self._born()
            return None
        except (Retry, Conflict):
            return None
        is_later = any(isinstance(reply, Problem) and reply.status in AGAIN for reply in replies)
        return None if is_later else replies

    def close(self) -> None:
        """Do nothing: the desks have no threads."""


class ShakenBooks(Books):
    """The days of a seed, shaken from the first gaming day on."""

    def __init__(self, seed: int) -> None:
        store = MemoryStore()
        super().__init__(seed, store)
        self.desk.close()
        self.shaken = KilledDesks(store, seed)
        self.desk: Any = self.shaken

    @property
    def state(self) -> Any:
        """Return the state of the table that a new process reads from the store."""
        return gaming_day_stream_for_action.session(Desk(self.store, PROPERTY).streams.new_view(), "FR1")[0]
