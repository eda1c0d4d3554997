"""A casino for tests of the progressive: table facts straight into a real store, people's actions through the desk."""

import itertools
from typing import Any

import msgspec

import tests.support.clocks.night_clock  # noqa: F401 - its clock
from events import catalogue
from events.desk.command_and_answer_structs import Answer, Command
from events.desk.desk import Desk
from events.envelope import Action, ActionData, AnyEnvelope, EventData, Meta, Who, now
from events.people.role_grant_decider import RoleGranted
from events.progressives import action_structs, due_lock_and_lapse_appending, history_reader
from events.progressives.fold import Fold
from events.store import Append, EventStore, NewEvent
from events.store.in_memory_store import MemoryStore
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from events.tables.event_types.progressive import (
    DealCompleted,
    HitDeclared,
    HitDeclaredLate,
    ProgressiveArmed,
    ProgressiveStake,
)
from events.tables.event_types.rounds import RoundEnded, RoundOpened, RoundVoided
from events.tables.event_types.session import TableEvent
from tests.unit.progressives.live_progressive import opening

PROPERTY, NAME, DAY = "athens", "blazing", "2026-11-20"
PEOPLE = {
    "dora": "dealer",
    "ines": "inspector",
    "paul": "pit boss",
    "cage": "cage",
    "anna": "accountant",
    "mark": "progressive manager",
    "sven": "surveillance",
}
Bet = tuple[int, str, int]


class DeskRefusal(Exception):
    """The desk refused it: the problem that the caller got."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Casino:
    """A house with an open progressive, unless `is_open` is false. Facts of unopened tables are accepted."""

    def __init__(self, store: EventStore | None = None, *, is_open: bool = True, **changes: Any) -> None:
        self.store = store or MemoryStore()
        self.store.create()
        self.desk = Desk(self.store, PROPERTY)
        self._keys = itertools.count(1)
        self._rounds: dict[str, int] = {}
        grants = [RoleGranted(person=who, role=role) for who, role in (("adam", "administrator"), *PEOPLE.items())]
        self.say("people", *grants)
        if is_open:
            self.ask(opening(**changes), "mark", "anna")

    def close(self) -> None:
        self.desk.close()
        self.store.close()

    @property
    def fold(self) -> Fold:
        """Return the fold of all stored events, made again from the opening."""
        fold = history_reader.start(self.store, PROPERTY, NAME)
        fold.take(fact for _, fact in history_reader.facts(self.store, PROPERTY, NAME))
        return fold

    def reconcile(self) -> int:
        """Reconcile the progressive, as the worker does."""
        return due_lock_and_lapse_appending.reconcile(self.store, PROPERTY, NAME)

    # --- tables ---------------------------------------------------------------------------------------------------

    def say(self, stream: str, *events: EventData, actor: str = "dora", role: str = "dealer") -> int:
        """Append events to a stream named without the property; the last one's position."""
        name = f"{PROPERTY}/{stream}"
        meta = Meta(time=now(), actor=actor, actorrole=role)
        written = self.store.append([Append(name, self.store.head(name), [NewEvent(event, meta) for event in events])])
        return written.stored[-1].position

    def at(self, kind: type[TableEvent], table: str, number: int, dealer: str = "dora", **data: Any) -> int:
        """An event of a table; its position."""
        where: dict[str, Any] = {"pit": "A", "table": table, "gaming_day": DAY, "shift": "day", "ruleset": "bj"}
        linked = {"progressive": NAME} if "progressive" in kind.__struct_fields__ else {}
        event = kind(**{**where, "round": number, "dealer": dealer, **linked, **data})
        return self.say(f"tables/{table}/{DAY}", event)

    def arm(self, table: str, *bets: Bet, number: int | None = None, dealer: str = "dora") -> int:
        """Arm the table's next round; its number."""
        last = self._rounds.get(table, 0)
        number = number or last + 1
        for opened in range(last + 1, number + 1):  # a table opens each round once
            self.at(RoundOpened, table, opened, dealer)
        self._rounds[table] = max(number, last)
        stakes = tuple(ProgressiveStake(box=b, player=who, stake_minor=s, bet=f"b{b}") for b, who, s in bets)
        total = sum(stake for _, _, stake in bets)
        self.at(ProgressiveArmed, table, number, dealer, bets=stakes, amount_minor=total)
        return number

    def hit(self, table: str, number: int, box: int, level: str = "mega") -> str:
        """Declare a hit; its name."""
        name = f"{table}-{DAY}-{number}-{box}"
        self.at(HitDeclared, table, number, box=box, hit=name, level=level)
        return name

    def late_hit(self, table: str, number: int, box: int, level: str = "mega") -> str:
        name = f"{table}-{DAY}-{number}-{box}-late"
        both = (("lena", "inspector"), ("will", "surveillance"))
        self.at(HitDeclaredLate, table, number, box=box, hit=name, level=level, approvals=both)
        return name

    def dealt(self, table: str, number: int) -> None:
        self.at(DealCompleted, table, number)

    def over(self, table: str, number: int) -> None:
        self.at(RoundEnded, table, number)

    def void_round(self, table: str, number: int) -> None:
        both = (("paul", "pit boss"), ("sven", "surveillance"))
        self.at(RoundVoided, table, number, reason="misdeal", approvals=both)

    def play(self, table: str, *bets: Bet, hits: tuple[tuple[int, str], ...] = ()) -> list[str]:
        """A whole round, with hits as (box, level); their names."""
        number = self.arm(table, *(bets or ((1, "ann", 500), (2, "bob", 1000))))
        names = [self.hit(table, number, box, level) for box, level in hits]
        self.dealt(table, number)
        self.over(table, number)
        return names

    # --- people -----------------------------------------------------------------------------------------------------

    def ask(self, data: ActionData, *people: str, key: str | None = None, of: str = NAME) -> list[AnyEnvelope]:
        """The first asks, the others approve one after the other; the events of the last. Raises DeskRefusal."""
        events = self.send(people[0], data, key, of)
        request = events[0].data if events[0].type == "approval.requested.v1" else None
        for person in people[1:]:
            if request is not None:
                give = {"request": request.request, "content": request.content}
                events = self.send(person, catalogue.action_types()["approval.give"](**give), of=of)
        return events

    def send(self, person: str, data: ActionData, key: str | None = None, of: str = NAME) -> list[AnyEnvelope]:
        """One action by one person, of the progressive `of`."""
        raw = msgspec.Raw(msgspec.json.encode(data))
        action = Action(type=data.TYPE, key=key or f"k{next(self._keys)}", data=raw)
        command = Command(Target("progressives", of), (action,), Who(person=person, roles=frozenset(), factor_s=0))
        reply = self.desk.do(command)[0]
        if isinstance(reply, Problem):
            raise DeskRefusal(reply)
        assert isinstance(reply, Answer)
        raws = [bytes(recorded.event) for recorded in reply.events]
        return [catalogue.decode(msgspec.json.decode(raw)["type"], raw) for raw in raws]

    def authorise(self, hit: str, *people: str) -> list[AnyEnvelope]:
        lock = self.fold.lock(hit)
        return self.ask(
            action_structs.AuthoriseHit(hit=hit, amount_minor=lock.share if lock else 0), *(people or ("ines", "sven"))
        )

    def pay(self, hit: str) -> list[AnyEnvelope]:
        return self.ask(action_structs.PayJackpot(hit=hit, gaming_day=DAY), "cage")

    def void(self, hit: str, reason: str = "wrong card") -> list[AnyEnvelope]:
        return self.ask(action_structs.VoidHit(hit=hit, reason=reason), "paul", "sven")
