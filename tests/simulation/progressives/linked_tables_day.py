"""A seeded day of many linked tables with every fault that may happen, and checks at its end.

The same seed makes the same day. Table facts go into a real store, and people act through the desk. Several workers
reconcile, each with its own memory. Some workers are killed while they hold the store's lock, or after their commit.
Tables lose their connection and report later. Their reports may be wrong.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from events.progressives import action_structs, due_lock_and_lapse_appending, progressive_state_following_store
from events.progressives.event_to_fact_mapping import MICRO
from events.progressives.fold import Fold
from events.progressives.level_changes_and_notices import REASONS
from events.store import EventStore, LockedStore, open_store
from events.store.cached_values_per_store import StoreMemory
from events.store.in_memory_store import MemoryStore
from events.tables.event_types.progressive import HitDeclared
from tests.support.houses.progressive_house import DAY, NAME, PROPERTY, Bet, Casino, DeskRefusal
from tests.unit.progressives.live_progressive import levels

TABLES_MAX, STEPS = 6, 150
STAKES = (500, 1_000)
PLAYERS = ("ann", "bob", "cy", "dee", "eve")
LEVELS = ("mega", "major", "minor")


class WorkerKill(Exception):
    """A worker was killed."""


class Worker:
    """A worker process with its own view of the store. It may be killed with the lock, or right after.

    Other processes do `meanwhile` between its read of the store and its lock.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self.process_cache = StoreMemory()
        self.dies = ""
        self.meanwhile: Callable[[], object] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @contextmanager
    def locked(self) -> Iterator[LockedStore]:
        if self.meanwhile is not None:
            self.meanwhile()
        with self._store.locked() as locked:
            yield locked
            if self.dies == "before the commit":
                raise WorkerKill
        if self.dies == "after the commit":
            raise WorkerKill


class SimulatedTable:
    """A table as its dealer sees it: the open round, and the unsent facts."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.round = 0
        self.phase = "idle"  # armed, dealt
        self.bets: tuple[Bet, ...] = ()
        self.hits: set[int] = set()
        self.is_offline = False
        self.unsent: list[Callable[[], object]] = []


class LinkedTablesDay:
    """One day. `play` plays it, and `progressive_invariant_checks.py` then checks it."""

    def __init__(self, seed: int, folder: Path | None = None) -> None:
        self.rng = random.Random(seed)
        self.seed = seed
        self.policy = self.rng.choice(["split", "split", "full-each", "sequential"])
        self.store: EventStore = MemoryStore()
        if folder is not None:
            self.store = open_store(f"sqlite:///{folder / f'day-{seed}.sqlite3'}")
        cap = self.rng.choice([None, 5_000_000, 5_000_700])
        self.casino = Casino(self.store, policy=self.policy, levels=levels(cap_minor=cap))
        self.tables = [SimulatedTable(f"BJ{number}") for number in range(1, self.rng.randint(2, TABLES_MAX) + 1)]
        self.workers = [Worker(self.store) for _ in range(self.rng.randint(1, 3))]
        self.hits: list[str] = []
        self.sent = 0
        self.repeated = 0

    def close(self) -> None:
        self.casino.close()

    def play(self, steps: int = STEPS) -> None:
        """All of it, to the end of every round."""
        kinds = self._steps()
        weights = [weight for weight, _ in kinds]
        for _ in range(steps):
            self.rng.choices([step for _, step in kinds], weights)[0]()
        for table in self.tables:
            self._flush(table)
            if self.rng.random() < 0.8:
                self._end(table)
        for worker in self.workers:
            worker.dies = ""
            due_lock_and_lapse_appending.reconcile(worker, PROPERTY, NAME)

    def _steps(self) -> list[tuple[int, Callable[[], object]]]:
        return [
            (22, self.arm),
            (9, self.hit),
            (5, self.jackpot),
            (12, self.dealt),
            (10, self.over),
            (2, self.void_round),
            (3, self.late_hit),
            (2, self.wrong),
            (3, self.lose_connection),
            (4, self.send_what_waits),
            (9, self.reconcile),
            (2, self.reconcile_at_once),
            (10, self.authorise),
            (10, self.pay),
            (3, self.void),
            (3, self.parameters),
            (3, self.adjust),
            (2, self.read),
        ]

    # --- tables ---------------------------------------------------------------------------------------------------

    def _table(self, *phases: str) -> SimulatedTable | None:
        fitting = [table for table in self.tables if table.phase in phases]
        return self.rng.choice(fitting) if fitting else None

    def _say(self, table: SimulatedTable, what: Callable[[], object]) -> None:
        """Now, or once the table is connected again: then in the order in which it happened."""
        if table.is_offline:
            table.unsent.append(what)
        else:
            what()

    def arm(self) -> None:
        """Never offline: arming needs an answer before a card is dealt."""
        table = self._table("idle")
        if table is None or table.is_offline:
            return
        boxes = self.rng.sample(range(1, 8), self.rng.randint(1, 5))
        table.bets = tuple((box, self.rng.choice(PLAYERS), self.rng.choice(STAKES)) for box in boxes)
        table.round = self.casino.arm(table.name, *table.bets, dealer=self.rng.choice(["dora", "ines"]))
        table.phase, table.hits = "armed", set()

    def hit(self, table: SimulatedTable | None = None, level: str | None = None) -> None:
        table = table or self._table("armed")
        free = [box for box, _, _ in table.bets if box not in table.hits] if table else []
        if table is None or not free:
            return
        box, level = self.rng.choice(free), level or self.rng.choice(LEVELS)
        table.hits.add(box)
        name, number = table.name, table.round
        self.hits.append(f"{name}-{DAY}-{number}-{box}")
        self._say(table, lambda: self.casino.hit(name, number, box, level))

    def jackpot(self) -> None:
        """Hits of one level at several tables at once, several of them at one."""
        level = self.rng.choice(LEVELS)
        for table in self.rng.sample(self.tables, min(len(self.tables), 3)):
            for _ in range(self.rng.choice([1, 1, 2, 3])):
                if table.phase == "armed":
                    self.hit(table, level)

    def dealt(self, table: SimulatedTable | None = None) -> None:
        if (table := table or self._table("armed")) is None:
            return
        name, number = table.name, table.round
        table.phase = "dealt"
        self._say(table, lambda: self.casino.dealt(name, number))

    def over(self, table: SimulatedTable | None = None) -> None:
        if (table := table or self._table("dealt")) is None:
            return
        name, number = table.name, table.round
        table.phase = "idle"
        self._say(table, lambda: self.casino.over(name, number))

    def _end(self, table: SimulatedTable) -> None:
        if table.phase == "armed":
            self.dealt(table)
        if table.phase == "dealt":
            self.over(table)

    def void_round(self) -> None:
        if (table := self._table("armed", "dealt")) is None:
            return
        name, number = table.name, table.round
        table.phase = "idle"
        self._say(table, lambda: self.casino.void_round(name, number))

    def late_hit(self) -> None:
        table = self._table("dealt", "idle")
        if table is None or not table.bets:
            return
        box, level = self.rng.choice(table.bets)[0], self.rng.choice(LEVELS)
        name, number = table.name, table.round
        self.hits.append(f"{name}-{DAY}-{number}-{box}-late")
        self._say(table, lambda: self.casino.late_hit(name, number, box, level))

    def wrong(self) -> None:
        """Report an impossible hit. It moves no money, and waits for a person."""
        table = self.rng.choice(self.tables)
        name, number = table.name, table.round
        wrongs: list[Callable[[], object]] = [
            lambda: self.casino.hit(name, number, 9, "mega"),
            lambda: self.casino.hit(name, number + 5, 1, "mega"),
        ]
        if table.phase != "armed":
            wrongs.append(lambda: self.casino.at(HitDeclared, name, number, box=1, hit=f"x{self.sent}", level="minor"))
        self.sent += 1
        self._say(table, self.rng.choice(wrongs))

    def lose_connection(self) -> None:
        self.rng.choice(self.tables).is_offline = True

    def send_what_waits(self) -> None:
        self._flush(self.rng.choice(self.tables))

    def _flush(self, table: SimulatedTable) -> None:
        table.is_offline = False
        for what in table.unsent:
            what()
        table.unsent = []

    # --- workers --------------------------------------------------------------------------------------------------

    def reconcile(self) -> None:
        """Reconcile by one worker. Another worker or a table may overtake it, and it may be killed."""
        worker, other = self.rng.choice(self.workers), Worker(self.store)
        worker.dies = self.rng.choice(["", "", "before the commit", "after the commit"])
        overtaken: list[Callable[[], object] | None] = [None, self.arm, self.jackpot, self.dealt, self.void_round]
        overtaken.append(lambda: due_lock_and_lapse_appending.reconcile(other, PROPERTY, NAME))
        worker.meanwhile = self.rng.choice(overtaken)
        try:
            due_lock_and_lapse_appending.reconcile(worker, PROPERTY, NAME)
        except WorkerKill:
            self.workers[self.workers.index(worker)] = Worker(self.store)
        worker.dies, worker.meanwhile = "", None

    def reconcile_at_once(self) -> None:
        """Send the task twice, so that every worker takes it."""
        for worker in [*self.workers, *self.workers]:
            due_lock_and_lapse_appending.reconcile(worker, PROPERTY, NAME)

    # --- people ---------------------------------------------------------------------------------------------------

    def _fold(self) -> Fold:
        """Return the fold that the desk shows."""
        live = progressive_state_following_store.live(self.store, PROPERTY, NAME)
        with live.guard:
            live.catch_up(self.store)
            assert live.fold is not None
            return live.fold

    def _ask(self, data: Any, *people: str) -> None:
        """Sent once or twice with the same key; a refusal is an answer."""
        self.sent += 1
        key = f"sim-{self.sent}"
        try:
            first = self.casino.ask(data, *people, key=key)
        except DeskRefusal:
            return
        if self.rng.random() < 0.2:
            before = self.store.position()
            again = self.casino.send(people[0], data, key)
            assert self.store.position() == before, "a repeated action writes nothing"
            assert len(people) > 1 or again == first
            self.repeated += 1

    def _some_hit(self, status: str) -> str:
        """Mostly the first one that waits for this, now and then any."""
        fold = self._fold()
        waiting = [hit for hit in fold.state.hits if fold.status(hit) == status]
        if waiting and self.rng.random() < 0.8:
            return self.rng.choice([waiting[0], *waiting])
        return self.rng.choice(self.hits[-8:]) if self.hits else "none"

    def authorise(self) -> None:
        hit, fold = self._some_hit("locked"), self._fold()
        lock = fold.lock(hit) if fold.hit(hit) else None
        amount = lock.share if lock else self.rng.choice([0, 1])
        self._ask(
            action_structs.AuthoriseHit(hit=hit, amount_minor=amount),
            *self.rng.choice([("paul", "sven"), ("ines",), ("ines", "sven")]),
        )

    def pay(self) -> None:
        self._ask(action_structs.PayJackpot(hit=self._some_hit("authorised"), gaming_day=DAY), "cage")

    def void(self) -> None:
        self._ask(action_structs.VoidHit(hit=self._some_hit("locked"), reason="wrong card"), "paul", "sven")

    def parameters(self) -> None:
        level = self.rng.choice(LEVELS)
        meter = self._fold().level(level).meter // MICRO
        changes: list[dict[str, Any]] = [
            {"feed_millionths": self.rng.randint(20_000, 110_000)},
            {"reserve_millionths": self.rng.choice([0, 3_333, 12_345])},
            {"seed_minor": self.rng.choice([0, 1, 99_999, 3_000_000])},
            {"cap_minor": self.rng.choice([None, meter, meter + self.rng.randint(1, 5_000)])},
        ]
        self._ask(action_structs.ChangeParameters(level=level, **self.rng.choice(changes)), "mark", "anna")

    def adjust(self) -> None:
        amount = self.rng.choice([-50_000, -333, -1, 1, 777, 50_000])
        reason = self.rng.choice([*sorted(REASONS), "whim"])
        self._ask(
            action_structs.AdjustMeter(level=self.rng.choice(LEVELS), amount_minor=amount, reason=reason),
            "mark",
            "sven",
        )

    def read(self) -> None:
        level = self.rng.choice(LEVELS)
        shown = self._fold().shown_minor(level)
        self._ask(
            action_structs.ReadMeter(level=level, read_minor=max(0, shown + self.rng.choice([0, 0, 5_001, -9_000]))),
            "anna",
        )
        cases = [case for case, variance in self._fold().state.variances.items() if variance.is_open]
        if cases and self.rng.random() < 0.5:
            self._ask(action_structs.CloseVariance(case=cases[0], way="added", reason="sign"), "mark", "anna")
