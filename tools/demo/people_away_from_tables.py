"""People away from tables in the demo: cashier, counters, accounting, the house; and the time at their desks."""

from datetime import datetime
from typing import Any

from events.envelope import AnyEnvelope
from events.people import approval_request_lifecycle
from events.runtime.clock import event_time
from tools.demo import demo_house_setup
from tools.demo.http_terminal import DemoTerminal

CASHIER, SECURITY, ACCOUNTANT = "c-401", "y-811", "k-601"
COUNTERS = ("n-501", "n-502")


class Desks:
    """Desks of the house; each action gets its next key."""

    def __init__(self, terminal: DemoTerminal, gaming_day: str = demo_house_setup.GAMING_DAY) -> None:
        self.terminal = terminal
        self.gaming_day = gaming_day
        self.actions = 0

    def do(self, path: str, person: str, kind: str, data: dict[str, Any], at: datetime) -> list[AnyEnvelope]:
        """Do a person's action at a desk; return the events written."""
        self.actions += 1
        key = f"{self.gaming_day}:{path}:{self.actions}".replace("/", ":")
        action = {"type": kind, "key": key, "intent": "ask", "time": self.now(at), "data": data}
        return self.terminal.send(path, person, [action])

    def agreed(
        self, path: str, people: tuple[str, str], kind: str, data: dict[str, Any], at: datetime
    ) -> list[AnyEnvelope]:
        """Request an action, and have the other person approve it where needed; return all its events."""
        events = self.do(path, people[0], kind, data, at)
        for event in list(events):
            if isinstance(event.data, approval_request_lifecycle.ApprovalRequested):
                approval = {"request": event.data.request, "content": event.data.content}
                events += self.do(path, people[1], "approval.give", approval, at)
        return events

    def now(self, at: datetime) -> str:
        """Return the time at a desk, not before its last answer: a lock has the time of the house's clock."""
        time, clock = event_time(at), self.terminal.clock
        return time if clock is None else max(time, clock())
