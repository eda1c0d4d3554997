"""One table, its cashier and its counters, at a desk of its own. `main` runs them as one process.

The process runs until it is killed, and prints a line for each action. Other processes find its unfinished work. A new
process starts with new keys.
"""

import sys
import uuid
from random import Random
from typing import Any

from events.errors import Conflict, Retry
from events.store import open_store
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import House, events_of, reopened_house


class RepeatedTableWork:
    """The work that one process repeats."""

    def __init__(self, house: House, table: str, seed: int) -> None:
        self.house, self.table, self.random = house, table, Random(seed)
        self.box = ""

    def step(self) -> None:
        """Handle one slip or one box."""
        if self.random.random() < 0.6:
            self.slip(self.random.choice(("fill", "credit")))
        else:
            self.count()

    def slip(self, kind: str) -> None:
        pieces = {"500": self.random.randint(1, 5)}
        requested = self.do("tables", "ines", f"{kind}.request", chips=pieces)
        issued = self.do("cage", "cage", "slip.issue", request=requested[0].data.request) if requested else []
        if not issued:
            return
        number = issued[0].data.slip
        if self.random.random() < 0.2:
            return
        moved = self.do(
            "tables", "ines", "fill.receive" if kind == "fill" else "credit.send", slip=number, chips=pieces
        )
        if kind == "credit" and moved:
            self.do("cage", "cage", "credit.receive", slip=number, chips=pieces)

    def count(self) -> None:
        """A box is put, taken away, and counted by two."""
        box = f"x{uuid.uuid4().hex[:8]}"
        if self.do("tables", "ines", "drop.put", drop_box=box):
            self.box = box
        if not self.do("tables", "ines", "drop.remove", drop_box=self.box or box, witness="sid"):
            return
        figures = {"table": self.table, "drop_box": self.box, "cash": {"1000": self.random.randint(0, 3)}}
        self.do("days", "cora", "count.enter", **figures)
        self.do("days", "carl", "count.verify", **figures)

    def do(self, kind: str, person: str, action: str, **data: Any) -> list[Any]:
        """Send an action, again while other processes are faster. Return its events, or none if it is refused."""
        request = self.house.action(action, _key=uuid.uuid4().hex, **data)
        while True:
            try:
                target = Target(kind, self.table if kind == "tables" else "")
                replies = self.house.send(target.kind, target.name, person, request)
            except (Conflict, Retry):
                continue
            print(action, "refused" if isinstance(replies[0], Problem) else "done", flush=True)
            return [] if isinstance(replies[0], Problem) else events_of(replies)


def main() -> None:
    """Work at a table of a store until the process is killed."""
    url, table, seed = sys.argv[1:4]
    killed = RepeatedTableWork(reopened_house(open_store(url)), table, int(seed))
    while True:
        killed.step()
