"""Whoever is at no table in the demo: cashier, counters, accounting, the house; and what time it is there."""

from datetime import datetime
from typing import Any

from backoffice.demo import house
from backoffice.demo.terminal import Terminal
from events import approvals
from events.clock import written
from events.envelope import AnyEnvelope

CASHIER, SECURITY, ACCOUNTANT = "c-401", "y-811", "k-601"
COUNTERS = ("n-501", "n-502")


class Desks:
    """All of them, each action with its next key."""

    def __init__(self, terminal: Terminal, gaming_day: str = house.GAMING_DAY) -> None:
        self.terminal = terminal
        self.gaming_day = gaming_day
        self.actions = 0

    def do(self, path: str, person: str, kind: str, data: dict[str, Any], at: datetime) -> list[AnyEnvelope]:
        """What somebody does there; the events that were written."""
        self.actions += 1
        key = f"{self.gaming_day}:{path}:{self.actions}".replace("/", ":")
        action = {"type": kind, "key": key, "intent": "ask", "time": self.now(at), "data": data}
        return self.terminal.send(path, person, [action])

    def agreed(
        self, path: str, people: tuple[str, str], kind: str, data: dict[str, Any], at: datetime
    ) -> list[AnyEnvelope]:
        """Ask for something, and have the other person agree where that is needed; all events of it."""
        events = self.do(path, people[0], kind, data, at)
        for event in list(events):
            if isinstance(event.data, approvals.ApprovalRequested):
                given = {"request": event.data.request, "content": event.data.content}
                events += self.do(path, people[1], "approval.give", given, at)
        return events

    def now(self, at: datetime) -> str:
        """At a desk nothing happens before what it answers: a lock has the time of the house's clock."""
        said, clock = written(at), self.terminal.clock
        return said if clock is None else max(said, clock())
