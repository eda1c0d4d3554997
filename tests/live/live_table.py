"""A house whose tables are played through the action interface, and what its events say of chips and bets."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from events.desk import command_and_answer_structs
from events.desk.command_and_answer_structs import Answer, Checked, Command
from events.envelope import Action, Who
from events.streams import stream_kind_declaration
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import DAY, House

Given = dict[str, Any]  # what a case gives, or says
Event = dict[str, Any]  # {"type", "data"} of an event as it lies in the store
Reply = list[Event] | Problem
Door = Callable[[str, str, str, Sequence[Action]], Reply]  # kind, name, person, actions: all or nothing

LEADS = frozenset(
    {"session.open", "session.close", "limits.post", "staff.assign", "dice.put", "shoe.rule", "limit.mark"}
)
CHECKED_ONE_IN = 23  # actions that are first asked with the intent "check"
PLENTY = 1_000_000  # chips of a denomination in an opener


class TableRefusal(Exception):
    """A rule forbids it, or it cannot be meant: the table is as it was."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.clause or problem.field}: {problem.detail}")
        self.problem = problem


class NotAllowed(Exception):
    """The table refused something without which there is no such case."""


class Unreachable(Exception):
    """No table can reach the state of the case, so the case cannot be played."""


class Different(AssertionError):
    """The table does something else than `settle` says."""


class TableSetting(NamedTuple):
    """The setting of a table. All cases of one setting are played at one table, one after the other."""

    ruleset: str
    unit: int  # minor units to a case's unit, and the smallest chip
    progressive: str | None = None
    basis: str = "to"  # of the progressive's fixed pays
    alone: str = ""  # a kind that is played at tables of its own


def _plain(reply: Reply) -> object:
    """A reply without keys and places."""
    if isinstance(reply, Problem):
        return reply.status, reply.clause, reply.field, reply.detail
    return [(event["type"], event["data"]) for event in reply]


class LiveTable:
    """An open table. `gain` is what the house has won since it opened, by `settle`'s word."""

    def __init__(self, door: Door, house: House, name: str, setting: TableSetting) -> None:
        self.door, self.house, self.name, self.setting = door, house, name, setting
        self.gain = 0
        self.ready = False  # for another case, by a game's word
        self.over = False  # the day's last coup was played
        self.phase = "idle"
        self.lying: set[str] = set()
        self.due: dict[str, int] = {}
        self.names = self.checks = 0
        self.play: Any = None  # what a game's player keeps from case to case

    @property
    def basis(self) -> str:
        return self.setting.basis

    # --- acting -------------------------------------------------------------------------------------------------

    def do(self, kind: str, *, intent: str = "ask", **data: Any) -> list[Event]:
        """Send an action and return its events. Raises TableRefusal."""
        return self.send_together((kind, data), intent=intent)

    def send_together(self, *steps: tuple[str, dict[str, Any]], intent: str = "ask") -> list[Event]:
        """Several at once: all or nothing. Now and then it is first asked what would be."""
        actions = [(kind, {name: value for name, value in data.items() if value is not None}) for kind, data in steps]
        person = "ines" if steps[0][0] in LEADS else "dora"
        blind = stream_kind_declaration.kind_by_name("tables").disclosure.blind  # who counts is told nothing before
        may_ask = intent == "ask" and steps[0][0] not in blind
        supposed = self._send(person, actions, "check") if may_ask and self._wonders() else None
        reply = self._send(person, actions, intent)
        if supposed is not None and _plain(supposed) != _plain(reply):
            raise Different(f"{actions} at {self.name} was to be {supposed}, and became {reply}")
        if isinstance(reply, Problem):
            if reply.status not in (400, 422):
                raise Different(f"{actions} at {self.name}: {reply}")
            raise TableRefusal(reply)
        if intent == "ask" and any(event["type"] == "irregularity.recorded.v1" for event in reply):
            raise Different(f"asked for and allowed, with an irregularity: {reply}")
        for event in reply:
            self._see(event["type"], event["data"])
        return reply

    def _wonders(self) -> bool:
        self.checks += 1
        return self.checks % CHECKED_ONE_IN == 0

    def _send(self, person: str, steps: list[tuple[str, dict[str, Any]]], intent: str) -> Reply:
        actions = [self.house.action(kind, _intent=intent, **data) for kind, data in steps]
        return self.door("tables", self.name, person, actions)

    def may(self, kind: str, **data: Any) -> bool:
        """Ask: True when it was allowed, and has happened."""
        try:
            self.do(kind, **data)
        except TableRefusal:
            return False
        return True

    def fact(self, kind: str, **data: Any) -> list[Event]:
        """Record a fact, even against the rules."""
        return self.do(kind, intent="fact", **data)

    def pay(self) -> None:
        """Hand out everything that is due."""
        steps = [("payment.make", {"bet": bet, "amount_minor": amount}) for bet, amount in self.due.items()]
        if steps:
            self.send_together(*steps)

    def new_name(self, name: str) -> str:
        """A bet's name that was never used at this table."""
        self.names += 1
        return f"{name:.40}.{self.names}"

    def minor(self, amount: Any) -> int:
        """A case's amount in minor units."""
        return int(amount) * self.setting.unit

    # --- seeing -------------------------------------------------------------------------------------------------

    def _see(self, kind: str, data: Event) -> None:
        """Update the phase, the bets on the layout and the amounts due from the events alone."""
        self.phase = _PHASES.get(kind, self.phase)
        if kind in ("bet.placed.v1", "insurance.taken.v1"):
            self.lying.add(data["bet"])
        elif kind == "hand.split.v1":
            self.lying.add(data["new_bet"])
        elif kind == "settlement.voided.v1":
            self.lying.add(data["bet"])
        elif kind == "bet.withdrawn.v1":
            self.lying.discard(data["bet"])
        elif kind == "bet.settled.v1":
            self._settled(data)
        elif kind == "payment.made.v1":
            left = self.due.pop(data["bet"], 0) - data["due_minor"]
            if left:
                self.due[data["bet"]] = left
        elif kind == "dice.rolled.v1":
            self.phase = "open" if data.get("point_after") else "settled"

    def _settled(self, data: Event) -> None:
        if data["profit_minor"] > 0:
            self.due[data["bet"]] = self.due.get(data["bet"], 0) + data["profit_minor"]
        if not data.get("remaining_minor"):
            self.lying.discard(data["bet"])

    @property
    def clean(self) -> bool:
        """Between two rounds, with nothing on the layout."""
        return self.phase == "idle" and not self.lying


Player = Callable[[LiveTable, Given, Given], Given]  # the table, what is given, what settle says: what the table says

_PHASES = {
    "round.opened.v1": "open",
    "round.ended.v1": "idle",
    "ball.launched.v1": "spinning",
    "bets.closed.v1": "no_more_bets",
    "spin.called_off.v1": "open",
    "ball.landed.v1": "settled",
    "dice.offered.v1": "dice_offered",
    "roll.called_off.v1": "open",
    "coup.ended.v1": "settled",
}

GAMES = {"craps": ("second dealer", "stickman", "manager")}
DICE = [{"serial": "K17", "colour": "red"}] * 5


def _events(reply: command_and_answer_structs.Reply) -> list[Event]:
    """The events of an answer as they lie in the store, or of a question as they would."""
    if isinstance(reply, Answer):
        return [json.loads(bytes(event.event)) for event in reply.events]
    return [json.loads(msgspec.json.encode(event)) for event in reply.events] if isinstance(reply, Checked) else []


class LiveFloor:
    """The house's tables. `door` makes a way in of a house, so that the same cases go over HTTP."""

    def __init__(self, door: Callable[[House], Door] | None = None) -> None:
        self.house = House()
        self.door = door(self.house) if door else self._desk
        self.filed: dict[tuple[int, str], str | None] = {}  # progressives by their lower stake and basis
        self.free: dict[TableSetting, list[LiveTable]] = {}
        self.tables = self.progressives = 0
        self.over: list[LiveTable] = []

    def close(self) -> None:
        self.house.close()

    def _desk(self, kind: str, name: str, person: str, actions: Sequence[Action]) -> Reply:
        """Send the actions to the desk in this thread. No other client acts at the same time."""
        command = Command(Target(kind, name), tuple(actions), Who(person=person, roles=frozenset(), factor_s=0))
        if command.checks:
            replies = self.house.desk.do(command)
        else:
            future: Future[list[command_and_answer_structs.Reply]] = Future()
            self.house.desk.serve([(command, future)])
            replies = future.result()
        problem = next((reply for reply in replies if isinstance(reply, Problem)), None)
        return problem or [event for reply in replies for event in _events(reply)]

    @contextmanager
    def table(self, setting: TableSetting) -> Iterator[LiveTable]:
        """A table to play a case at. It is used again if it is clean afterwards and nothing went wrong at it."""
        free = self.free.setdefault(setting, [])
        table = free.pop() if free else self._install(setting)
        yield table
        if table.over:
            self.over.append(table)
        elif table.clean or table.ready:
            free.append(table)

    def _install(self, setting: TableSetting) -> LiveTable:
        self.tables += 1
        game, name = setting.ruleset.partition("-")[0], f"T{self.tables}"
        self.house.install(name, game, setting.ruleset, setting.progressive)
        table = LiveTable(self.door, self.house, name, setting)
        opener = {str(setting.unit): PLENTY, str(setting.unit * 1_000): PLENTY}
        staff = [("staff.assign", {"post": post, "person": f"{post}-1"}) for post in GAMES.get(game, ())]
        table.send_together(
            ("session.open", {"gaming_day": DAY, "opener": opener}),
            ("limits.post", {"minimum_minor": 1, "maxima_minor": {}}),
            ("staff.assign", {"post": "dealer", "person": "dora"}),
            ("staff.assign", {"post": "inspector", "person": "ines"}),
            *staff,
        )
        return table

    def clean(self) -> list[LiveTable]:
        """The tables at which nothing was broken off."""
        return [*self.over, *(table for tables in self.free.values() for table in tables)]

    def opener_minor(self, table: LiveTable) -> int:
        """Return the amount of the opener of a table."""
        return table.setting.unit * 1_001 * PLENTY
