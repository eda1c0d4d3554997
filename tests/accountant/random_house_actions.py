"""A house that acts by chance. Refused actions are skipped, and taken actions are noted for later steps."""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

from events.accounting.cage_and_count_state_fold import Books
from events.accounting.live_books_for_decisions import cached_books
from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.desk.command_and_answer_structs import Command
from events.envelope import AnyEnvelope, Who
from events.errors import Unknown
from events.people import approval_request_lifecycle
from events.store import EventStore
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from events.tables import gaming_day_stream_for_action
from events.tables.table_session_state_structs import Session
from tests.support.houses.small_house import PROPERTY, House, events_of

GAMES = {
    "BA1": ("baccarat", "baccarat"),
    "CO1": ("roulette", "roulette-french"),
    "CR1": ("craps", "craps-gr"),
}
CLOSED = "day.closed.v1"


class Chance(House):
    """A house that chooses each action by chance. `done` counts the taken and the refused actions.

    `games` are game and ruleset of further tables.
    """

    games: ClassVar[Mapping[str, tuple[str, str]]] = GAMES

    def __init__(self, seed: int, store: EventStore | None = None) -> None:
        super().__init__(store)
        self.random = Random(seed)
        self.done: Counter[str] = Counter()
        self.number = 0
        self.slips: list[tuple[str, int, str, dict[str, int]]] = []  # kind, number, table, chips
        self.boxes: list[tuple[str, str, str]] = []  # table, gaming day, box
        self.discrepancies: list[AnyEnvelope] = []
        self.decided: list[AnyEnvelope] = []  # settlements, the last ones
        self.late: list[tuple[str, str]] = []  # gaming day, event: what came after its close
        self.closed: set[str] = set()
        self.issued: dict[tuple[str, str, int], str] = {}  # the day of every slip
        self.grant("carl", "count")
        for table, (game, ruleset) in self.games.items():
            data = {"pit": "B", "table": table, "game": game, "ruleset": ruleset, "recorded": table != "CO1"}
            self.agreed("floor", "", ("adam", "paul"), self.action("table.install", **data))
        checklist_system_state_source.register_source(self.store, lambda: SystemState(readers={}, head=10**9, aside={}))

    # --- doing --------------------------------------------------------------------------------------------------------

    def do(self, stream: str, name: str, person: str, kind: str, /, day: str | None = None, **data: Any) -> Any:
        """Return the events of an action, or none if it is refused.

        A second person approves where the action needs it.
        """
        intent = data.pop("_intent", "ask")
        action = self.action(kind, _intent=intent, **data)
        events = self._sent(Target(stream, name, day), person, action)
        for event in list(events):
            if isinstance(event.data, approval_request_lifecycle.ApprovalRequested):
                events += self._agreed(Target(stream, name, day), kind, event.data)
        self.done[f"{kind} {'done' if events else 'refused'}"] += 1
        return events

    def _agreed(
        self, target: Target, kind: str, request: approval_request_lifecycle.ApprovalRequested
    ) -> list[AnyEnvelope]:
        other = {"count.settle": ("carl", "cora"), "round.void": ("sven",), "slip.void": ("ines", "cage")}
        for person in other.get(kind, ("cage", "olga", "sven", "anna")):
            give = self.action("approval.give", request=request.request, content=request.content)
            if events := self._sent(target, person, give):
                return events
        return []

    def _sent(self, target: Target, person: str, action: Any) -> list[AnyEnvelope]:
        command = Command(target, (action,), Who(person=person, roles=frozenset(), factor_s=0))
        replies = self.desk.do(command)
        if isinstance(replies[0], Problem):
            self.last = replies[0]
            return []
        events = events_of(replies)
        for event in events:
            self._note(event)
        return events

    def _note(self, event: AnyEnvelope) -> None:
        data, kind = event.data, event.type
        if kind == "slip.issued.v1":
            chips = {str(value): count for value, count in data.chips.items()}
            self.slips.append((data.kind, data.slip, data.table, chips))
        elif kind == "drop.put.v1":
            self.boxes.append((data.table, data.gaming_day, data.drop_box))
        elif kind == "bet.settled.v1":
            self.decided = [*self.decided[-50:], event]
        elif kind == "discrepancy.found.v1":
            self.discrepancies.append(event)
        elif kind == CLOSED:
            self.closed.add(data.gaming_day)
        if kind == "slip.issued.v1":
            self.issued[data.kind, data.year, data.slip] = data.gaming_day
        elif kind in ("slip.voided.v1", "credit.received.v1"):
            issued = self.issued.get((getattr(data, "kind", "credit"), data.year, data.slip), "")
            own = event.subject.rpartition("/")[2]
            self.late += [(day_, event.id) for day_ in sorted(self.closed) if issued <= day_ < own]
        day = event.subject.rpartition("/")[2]
        if day in self.closed and kind not in (CLOSED, "day.amended.v1"):
            self.late.append((day, event.id))

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def books(self) -> Books:
        """Return the books after all stored events."""
        books_keeper = cached_books(self.store, PROPERTY)
        with books_keeper.guard:
            books_keeper.catch_up(self.store)
            return books_keeper.books

    def state(self, table: str) -> Session | None:
        """A table's last day."""
        try:
            return gaming_day_stream_for_action.session(self.desk.streams.new_view(), table)[0]
        except Unknown:
            return None

    def some(self, amount: int) -> dict[str, int]:
        """Return an amount in random chips."""
        pieces: dict[str, int] = {}
        for value in (2_500, 500, 100, 1):
            if value == 1 or self.random.random() < 0.8:
                count, amount = divmod(amount, value)
                pieces |= {str(value): count} if count else {}
        return pieces

    def off(self) -> int:
        """Return the error of a count, which is mostly zero."""
        return self.random.choice((0, 0, 0, 0, -100, -2_500, -2_600, 700, 10_000))
