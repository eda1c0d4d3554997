"""A whole house in one thread: desks, store, relays, broker, projectors, workers, and a client that always retries."""

import itertools
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from random import Random
from typing import Any, ClassVar
from unittest.mock import patch

import structlog.testing
from django.db import OperationalError
from django.db.models import Min, Model

from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.desk.desk import Desk
from events.desk.queued_commands_appended_together import QueuedCommand
from events.errors import Conflict, Retry
from events.progressives import due_lock_and_lapse_appending
from events.relay.gapless_event_topic_reader import TopicTail
from events.relay.relay import Relay
from events.relay.topic_records import TopicRecord
from events.store.in_memory_store import MemoryStore
from events.streams.problem_details import Problem
from projections.engine import runner
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.models import Reader
from projections.engine.projector_base_classes import Projector
from projections.engine.runner import Runner
from projections.progressives.models import Hit
from projections.registry import projectors
from tests.simulation.failing_store_disk import Connection, FailingDisk
from tests.simulation.fault_rates import mixture
from tests.simulation.in_memory_kafka import SimulatedBroker
from tests.simulation.seeded_process_scheduler import Scheduler, SimulatedProcess
from tests.simulation.simulated_evening import PROGRESSIVE, PROPERTY, SimulatedEvening, Wire, found_house
from tools.demo.table_base_class import DemoTable

desk_log = logging.getLogger("events.desk.desk")  # it tells every fault, with its traceback

DESKS = 2
TURNS_MAX = 400_000  # most evenings take 3,000; where nearly every life is cut short, a hundred thousand
SETTLE_TURNS_MAX = 60_000
ANSWER_S = 1.0
SWEEP_S = 3.0
QUIET_LOSS = 0.3  # how often the broker comes back empty when nobody has anything to say any more
LOOK_EVERY = 50  # turns between two looks whether all is done
PAUSE_TIMES = (Retry, Conflict)


class Stop:
    """The event that would stop a process. It is never set, and a wait for it gives the turn to other processes."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def is_set(self) -> bool:
        return False

    def wait(self, timeout: float) -> bool:
        self._scheduler.sleep(max(timeout, 0.05))
        return False


class SimulatedHouse:
    """One run. `evening` gives the script and `seed` the faults. `alias` is the read models' database."""

    def __init__(self, seed: int, evening: int, alias: str, *, clients: int) -> None:
        self.random = Random(seed)
        self.alias = alias
        self.clients = clients
        self.scheduler = Scheduler(self.random)
        self.faults = mixture(self.random)
        self.disk = FailingDisk(MemoryStore())
        self.broker = SimulatedBroker(self.scheduler, self.faults, is_embedded=self.random.random() < 0.5)
        self.inboxes: list[deque[QueuedCommand] | None] = [None] * DESKS
        self.tasks: list[tuple[float, str]] = []
        self.relay_lock = threading.Lock()
        self.answers: dict[str, Answer] = {}
        self.repeated = self.conflicts = self.sweeps = 0
        self.evening = evening
        self._moved = 0

    @property
    def store(self) -> MemoryStore:
        """The truth, for the checkers."""
        return self.disk.store

    def run(self) -> None:
        """Play the evening with faults, then a while without. Raises Stuck."""
        found_house(self.store)
        with self._inside():
            self._start()
            try:
                playing = [process for process in self.scheduler.processes if not process.restart]
                self.scheduler.run(lambda: all(p.done for p in playing), TURNS_MAX, "the evening does not end")
                self.faults.heal()
                if self.random.random() < QUIET_LOSS:
                    self.broker.come_back_empty()
                sweeps = self.sweeps + 2
                self.scheduler.run(
                    lambda: self.sweeps >= sweeps and self._is_settled(), SETTLE_TURNS_MAX, "it does not settle"
                )
            finally:
                self.scheduler.stop()

    @contextmanager
    def _inside(self) -> Iterator[None]:
        with ExitStack() as stack:
            stack.enter_context(self.broker.installed())
            stack.enter_context(patch.object(runner, "time", self.scheduler))
            stack.enter_context(structlog.testing.capture_logs())
            stack.enter_context(patch.object(desk_log, "disabled", new=True))
            yield

    # --- the processes -------------------------------------------------------------------------------------------

    def _start(self) -> None:
        start = self.scheduler.start
        for number in range(DESKS):
            start(f"desk {number}", self._desk(number))
        for number in range(2):
            start(f"relay {number}", self._relay)
            start(f"worker {number}", self._worker)
        for number in range(self.random.choice((1, 1, 2))):
            start(f"projector {number}", self._projector)
        start("beat", self._beat)
        wire = Wire(self._ask)
        evening = SimulatedEvening(self.evening, wire, self._share)
        if self.clients == 1:
            start("client", evening.play, restart=False)
            return
        playing = [start(table.plan.name, self._one_table(evening, table), restart=False) for table in evening.tables]
        start("cage", lambda: self._cage(evening, playing), restart=False)

    def _one_table(self, evening: SimulatedEvening, table: DemoTable) -> Callable[[], None]:
        def play() -> None:
            while not evening.is_open:
                self.scheduler.sleep(0.05)
            evening.at_table(table)

        return play

    def _cage(self, evening: SimulatedEvening, playing: list[SimulatedProcess]) -> None:
        evening.opening()
        while not (evening.cage() and all(process.done for process in playing) and not evening.terminal.hits):
            self.scheduler.sleep(0.2)

    def _connection(self) -> Connection:
        return Connection(self.disk, self.scheduler, self.faults)

    def _desk(self, number: int) -> Callable[[], None]:
        """Return the program of a web process. The queue of its last life is lost."""

        def serve() -> None:
            desk = Desk(self._connection(), PROPERTY)
            inbox: deque[QueuedCommand] = deque()
            self.inboxes[number] = inbox
            while True:
                if inbox:
                    taken = [inbox.popleft() for _ in range(self.random.randint(1, len(inbox)))]
                    desk.serve(taken)
                    assert all(future.done() for _, future in taken), "a command was left without an answer"
                self.scheduler.sleep(0.02)

        return serve

    def _relay(self) -> None:
        lock = SimulatedRelayLock(self)
        relay = Relay(self._connection(), "simulated", PROPERTY, lock)
        relay.run(Stop(self.scheduler))  # type: ignore[arg-type]  # all that is used of an Event

    def _projector(self) -> None:
        target = WriteTarget(self.alias)
        applier = Applier([*projectors(target=target), Fragile(target, self)], PROPERTY)
        Runner(applier, Source(self), self._send_task).run(Stop(self.scheduler))  # type: ignore[arg-type]  # as above

    def _worker(self) -> None:
        store = self._connection()
        while True:
            due = [task for task in self.tasks if task[0] <= self.scheduler.now]
            if due:
                task = due[self.random.randrange(len(due))]
                self.tasks.remove(task)
                try:
                    due_lock_and_lapse_appending.reconcile(store, PROPERTY, task[1])
                except PAUSE_TIMES:
                    self.scheduler.sleep(0.1)
            self.scheduler.sleep(0.1)

    def _beat(self) -> None:
        while True:
            self.tasks.append((self.scheduler.now, PROGRESSIVE))
            self.sweeps += 1
            self.scheduler.sleep(SWEEP_S)

    def _send_task(self, name: str, /, **arguments: str) -> None:
        """Send a task after the projector's commit. It may be lost, doubled or late."""
        if self.scheduler.happens(self.faults.kill):
            self.scheduler.kill()
        if self.scheduler.happens(self.faults.task_lost):
            raise ConnectionError("the task broker does not answer")
        due = self.scheduler.now + self.random.uniform(0.0, 2.0)
        for _ in range(2 if self.scheduler.happens(self.faults.task_doubled) else 1):
            self.tasks.append((due, arguments["progressive"]))
            due += self.random.choice((0.0, self.random.uniform(0.0, 2.0)))

    # --- the client ----------------------------------------------------------------------------------------------

    def _ask(self, command: Command) -> list[Reply]:
        """The same again, under the same keys, at this desk or another, until there is an answer."""
        heard: list[Reply] | None = None
        for _ in itertools.count():
            replies = self._try(command)
            if replies is None:
                self.repeated += 1
                self.scheduler.sleep(0.05)
                continue
            if heard is not None and _is_accepted(heard):
                assert _content(heard) == _content(replies), "the same action has two answers"
            heard = replies
            if not self.scheduler.happens(self.faults.answer_lost):
                break
        assert heard is not None
        self.answers |= {reply.key: reply for reply in heard if isinstance(reply, Answer)}
        return heard

    def _try(self, command: Command) -> list[Reply] | None:
        inbox = self.inboxes[self.random.randrange(DESKS)]
        if inbox is None:
            return None
        future: Future[list[Reply]] = Future()
        inbox.append((command, future))
        until = self.scheduler.now + self.random.choice((0.05, ANSWER_S))
        while not future.done():
            if self.scheduler.now > until:
                return None
            self.scheduler.sleep(0.02)
        error = future.exception()
        if isinstance(error, Retry):
            return None
        if isinstance(error, Conflict):
            self.conflicts += 1
            return None
        replies = future.result()
        if any(isinstance(reply, Problem) and reply.status in (429, 503) for reply in replies):
            return None
        return replies

    def _share(self, hit: str, position: int) -> int:
        """Return the share that the cage's screen shows, once the read models have read up to the position."""
        while True:
            if self._read_up_to() >= position:
                locked_hit = Hit.objects.using(self.alias).filter(hit=hit, status="locked").first()
                if locked_hit is not None:
                    assert locked_hit.share_minor is not None
                    return locked_hit.share_minor
            self.scheduler.sleep(0.2)

    def _read_up_to(self) -> int:
        readers = Reader.objects.using(self.alias).exclude(projection=Fragile.name)
        lowest: int | None = readers.aggregate(lowest=Min("position"))["lowest"]
        return lowest or 0

    def _is_settled(self) -> bool:
        if self.scheduler.turns % LOOK_EVERY or self.tasks or not self.broker.no_batch_is_on_its_way():
            return False
        last = self.store.position()
        return len(self.broker.records or []) >= last and self._read_up_to() >= last


def _is_accepted(replies: list[Reply]) -> bool:
    return all(isinstance(reply, Answer) for reply in replies)


def _content(replies: list[Reply]) -> list[tuple[str, int, list[bytes]]]:
    assert _is_accepted(replies), replies
    return [(a.key, a.position, [bytes(e.event) for e in a.events]) for a in replies if isinstance(a, Answer)]


class SimulatedRelayLock:
    """The relay's lock: it goes with its process, and it may be lost unnoticed until the next look."""

    def __init__(self, world: SimulatedHouse) -> None:
        self._world = world
        self._held = self._lost = False

    def acquire(self) -> bool:
        if not self._held:
            self._held = self._world.relay_lock.acquire(blocking=False)
        return self._held

    def held(self) -> bool:
        if self._lost:
            self._held = self._lost = False
        elif self._held and self._world.scheduler.happens(self._world.faults.lock_lost):
            self._world.relay_lock.release()
            self._lost = True
        return self._held

    def release(self) -> None:
        if self._held and not self._lost:
            self._world.relay_lock.release()
        self._held = self._lost = False


class Source:
    """The real tail, started at a possibly wrong hint. Its batches may come twice."""

    def __init__(self, world: SimulatedHouse) -> None:
        self._world = world
        self._tail = TopicTail("simulated", PROPERTY)

    def read(
        self, after_position: int, hint: tuple[str, int] | None = None, wait_s: float = 0.1
    ) -> Iterator[list[TopicRecord]]:
        world, behind = self._world, list[TopicRecord]()
        if world.scheduler.happens(world.faults.hint_wrong):
            offset = world.random.randint(0, 60)
            hint = world.random.choice((None, ("0.another", offset), (hint[0] if hint else "", offset)))
        for batch in self._tail.read(after_position, hint, wait_s):
            if world.scheduler.happens(world.faults.kill):
                world.scheduler.kill()
            batch_to_give = batch
            if batch and world.scheduler.happens(world.faults.redelivered):
                count = world.random.randint(1, 10)
                batch_to_give = world.random.choice(
                    ([*behind[-count:], *batch], [*batch, *batch], [*batch, *behind[-count:], *batch[-count:]])
                )
            behind += batch
            yield batch_to_give

    def close(self) -> None:
        self._tail.close()


class Fragile(Projector):
    """A projector without tables, whose transaction fails: killed before its commit, or refused."""

    name = "fragile"
    version = 1
    models: ClassVar[tuple[type[Model], ...]] = ()

    def __init__(self, target: WriteTarget, world: SimulatedHouse) -> None:
        super().__init__(target)
        self._world = world

    def fold(self, events: Any) -> None:
        assert all(isinstance(event, Event) for event in events)

    def flush(self) -> None:
        world = self._world
        if world.scheduler.happens(world.faults.kill):
            world.scheduler.kill()
        if world.scheduler.happens(world.faults.commit_fails):
            raise OperationalError("the database does not answer")

    def forget(self) -> None:
        """Do nothing."""
