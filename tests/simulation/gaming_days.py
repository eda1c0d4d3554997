"""Gaming days opened, closed and voided at three desks of one store. Each desk may lag behind.

`python -m tests.simulation.gaming_days [--first N] [--seeds N]`. After each action, the events alone must show three
facts. A table never has two open days, never opens an earlier day after a later one, and never opens a day twice.
"""

import argparse
import random
from collections import Counter
from concurrent.futures import Future
from typing import Any

import msgspec

from events.desk.command_and_answer_structs import Command, Reply
from events.desk.desk import Desk
from events.envelope import Action, Who
from events.errors import Conflict
from events.people import approval_request_lifecycle
from events.store import Stored
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import PROPERTY, House

STEPS, DESKS = 120, 3
TABLES = ("FR1", "BJ1")
DAYS = ("2026-11-19", "2026-11-20", "2026-11-21")
OPENED, CLOSED, VOIDED = "session.opened.v1", "session.closed.v1", "session.voided.v1"


class SimulatedDays:
    """One run of a seed. `answers` counts done and refused actions."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.house = House()
        self.desks = [Desk(self.house.store, PROPERTY) for _ in range(DESKS)]
        self.answers: Counter[str] = Counter()
        self.requests: list[tuple[str, dict[str, Any]]] = []  # table's stream, request
        self.days: dict[tuple[str, str], str] = {}  # what the events say: opened, closed, voided
        self.seen = self.house.store.position()

    def play(self) -> None:
        """All steps, each looked at."""
        for _ in range(STEPS):
            self._step()
            for stored_event in self.house.store.after(self.seen, 1_000):
                self._look(stored_event)
        for desk in self.desks:
            desk.close()
        self.house.close()

    def _step(self) -> None:
        act, table = self.house.action, self.chance.choice(TABLES)
        day = self.chance.choice((None, None, None, *DAYS))
        opening = {"gaming_day": self.chance.choice(DAYS), "opener": {"100": 10}}
        ways: dict[str, tuple[str, Action]] = {
            "open": ("ines", act("session.open", **opening)),
            "close": ("paul", act("session.close", closer={"100": self.chance.choice((9, 10))})),
            "void": ("ines", act("session.void", reason="oops")),
            "play": ("dora", act("round.open")),
            "buy": ("dora", act("buyin.make", seat=1, player="p", amount_minor=100)),
            "drop": ("paul", act("drop.remove", drop_box="b1")),
            "staff": ("paul", act("staff.assign", post="dealer", person="dora")),
        }
        weights = (4, 2, 2, 1, 1, 1, 1)
        name = self.chance.choices((*ways, "agree"), (*weights, 3))[0]
        if name != "agree":
            return self._send(Target("tables", table, None if name == "open" else day), *ways[name])
        if self.requests:
            stream, request = self.chance.choice(self.requests[-6:])
            _, _, table, of = stream.split("/")
            give = act("approval.give", request=request["request"], content=request["content"])
            self._send(Target("tables", table, of), "sven", give)

    def _send(self, target: Target, person: str, action: Action) -> None:
        """Send an action to a random desk, which knows only its last read of the store."""
        future: Future[list[Reply]] = Future()
        command = Command(target, (action,), Who(person=person, roles=frozenset(), factor_s=0))
        self.chance.choice(self.desks).serve([(command, future)])
        try:
            (reply,) = future.result(0)
        except Conflict as error:
            raise AssertionError(f"nobody else was there, but {action.type} is outrun: {error}") from error
        self.answers[f"{action.type} {'refused' if isinstance(reply, Problem) else 'done'}"] += 1

    def _look(self, stored: Stored) -> None:
        self.seen = stored.position
        if "/tables/" not in stored.stream:
            return
        table, day = stored.stream.split("/")[2:]
        if stored.type == approval_request_lifecycle.ApprovalRequested.TYPE:
            self.requests.append((stored.stream, msgspec.json.decode(stored.raw)["data"]))
        elif stored.type == OPENED:
            others = {of: state for (name, of), state in self.days.items() if name == table}
            assert OPENED not in others.values(), f"{table} is open for {others}, and now for {day}"
            assert others.get(day) in (None, VOIDED), f"{table} was opened twice for {day}"
            assert not [of for of, state in others.items() if of > day and state != VOIDED], "a later day was played"
        if stored.type in (OPENED, CLOSED, VOIDED):
            self.days[table, day] = stored.type


def main(arguments: list[str] | None = None) -> int:
    """Play the seeds, count the answers."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation.gaming_days", description="Gaming days at three desks."
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=200)
    options = parser.parse_args(arguments)
    total: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.seeds):
        days = SimulatedDays(seed)
        days.play()
        total += days.answers
    print(f"{options.seeds:,} seeds, {sum(total.values()):,} actions: {dict(total.most_common())}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
