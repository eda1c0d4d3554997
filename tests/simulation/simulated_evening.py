"""A simulated evening: a few rounds at a few tables, with hits, shared hits, voids and corrections.

The tables and players are those of the demo. The script of an evening depends only on its number, and on no fault.
Therefore the same evening without faults has the same books.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from random import Random
from typing import Any, Protocol

import msgspec

from events.desk.command_and_answer_structs import Command
from events.desk.desk import Desk
from events.envelope import Action, AnyEnvelope, Who
from events.people import approval_request_lifecycle
from events.progressives.event_types import HitAuthorised
from events.store import EventStore
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from events.tables.event_types.progressive import HitDeclared
from events.tables.event_types.rounds import RoundEnded, RoundVoided
from events.tables.event_types.session import Chips, SessionClosed
from tests.support.houses.small_house import events_of
from tools.demo import demo_house_setup
from tools.demo.blackjack import BlackjackTable, Forced
from tools.demo.http_terminal import DemoTerminal, TurnedDown
from tools.demo.roulette import RouletteTable
from tools.demo.table_base_class import DemoTable

PROPERTY = "athens"
SEATS_MAX = 3
PROGRESSIVE = demo_house_setup.PROGRESSIVE
PATH = f"progressives/{PROGRESSIVE}"
NEXT_DAY = "2026-11-21"

# (the dealer's card, cards by box)
HITS: tuple[tuple[str, Forced], ...] = (
    ("7H", {0: ("7D", "7H"), 1: ("7H", "7D")}),  # two Minors: shared
    ("7C", {0: ("7S", "7C")}),  # a Minor
    ("7S", {0: ("7S", "7S")}),  # a Major
    ("7C", {1: ("7C", "7C")}),
    ("7D", {1: ("7D", "7D")}),  # the Mega
    ("7S", {0: ("7S", "7S"), 1: ("7S", "7C")}),  # a Major and a Minor in one round
)


class LockedShareLookup(Protocol):
    """Return the share of a locked hit, once the read models have read up to a position."""

    def __call__(self, hit: str, position: int) -> int: ...


class Wire(DemoTerminal):
    """The demo's terminal with another connection: `ask` sends a command to a desk and returns its replies."""

    def __init__(self, ask: Callable[[Command], list[Any]]) -> None:
        self._ask = ask
        self.sent = self.written = 0
        self.position = 0
        self.hits: dict[str, tuple[int, str, HitDeclared]] = {}
        self.over: set[tuple[str, int | None]] = set()
        self.closers: dict[str, Chips] = {}

    def send(
        self, path: str, person: str, actions: list[dict[str, Any]], device: str | None = None
    ) -> list[AnyEnvelope]:
        kind, _, name = path.partition("/")
        actions_ = tuple(Action(**{**each, "data": msgspec.Raw(msgspec.json.encode(each["data"]))}) for each in actions)
        terminal = None if device is None else f"terminal-{device}"
        who = Who(person=person, roles=frozenset(), device=terminal, table=device, factor_s=0)
        replies = self._ask(Command(Target(kind, name), actions_, who))
        problems = [reply for reply in replies if isinstance(reply, Problem)]
        if problems:
            raise TurnedDown(f"{person} at {path}: {problems[0]}")
        self.position = max(self.position, *(reply.position for reply in replies))
        events = events_of(replies)
        self._note(events, [recorded.position for reply in replies for recorded in reply.events])
        return events

    def _note(self, events: list[AnyEnvelope], positions: list[int]) -> None:
        for event, position in zip(events, positions, strict=True):
            if isinstance(event.data, HitDeclared):
                self.hits[event.data.hit] = (position, event.subject, event.data)
            elif isinstance(event.data, SessionClosed):
                self.closers[event.data.table] = event.data.closer
            elif isinstance(event.data, RoundEnded):
                self.over.add((event.subject, event.data.round))
            elif isinstance(event.data, RoundVoided):
                gone = (event.subject, event.data.round)
                self.hits = {k: hit for k, hit in self.hits.items() if (hit[1], hit[2].round) != gone}

    def hits_of_finished_rounds(self) -> list[HitDeclared]:
        """Return the hits that the cage may handle, in the store's order. `hits` loses handled hits."""
        declared = sorted(self.hits.values(), key=lambda hit: hit[0])
        return [hit for _, stream, hit in declared if (stream, hit.round) in self.over]


def found_house(store: EventStore) -> None:
    """Add people, roles and the unlinked tables before any fault."""
    desk = Desk(store, PROPERTY)
    wire = Wire(lambda command: served(desk, command))

    def do(path: str, person: str, kind: str, /, **data: Any) -> None:
        key = f"setup:{':'.join(map(str, data.values()))}".replace(" ", "-")
        wire.send(path, person, [{"type": kind, "key": key, "data": data}])

    do("people", "installer", "role.grant", person="a-001", role="administrator")
    for person, (role, _) in demo_house_setup.PEOPLE.items():
        if person != "a-001":
            do("people", "a-001", "role.grant", person=person, role=role)
    for plan in demo_house_setup.TABLES:
        if plan.progressive is None:
            _install(wire, plan)


def _install(terminal: "Wire", plan: demo_house_setup.TablePlan) -> None:
    """The administrator asks, the pit boss agrees."""
    where = {"pit": plan.pit, "table": plan.name, "game": plan.game, "ruleset": plan.ruleset}
    data = {**where, "currency": demo_house_setup.CURRENCY, "progressive": plan.progressive}
    key = f"setup:{plan.name}"
    [requested] = terminal.send("floor", "a-001", [{"type": "table.install", "key": key, "data": data}])
    approval = {"request": requested.data.request, "content": requested.data.content}
    terminal.send("floor", "b-301", [{"type": "approval.give", "key": f"{key}:agreed", "data": approval}])


def link_tables(terminal: "Wire") -> None:
    """The tables that play for the progressive, which is open by now."""
    for plan in demo_house_setup.TABLES:
        if plan.progressive is not None:
            _install(terminal, plan)


def served(desk: Desk, command: Command) -> list[Any]:
    """The replies of a desk without a queue."""
    future: Future[list[Any]] = Future()
    desk.serve([(command, future)])
    return future.result(timeout=0)


class SimulatedEvening:
    """One evening.

    One client plays `play`, or one plays `opening` and `cage` and others `at_table`, one for each table.
    """

    def __init__(self, number: int, terminal: Wire, share: LockedShareLookup) -> None:
        self.random = Random(f"{number}/evening")
        self.terminal = terminal
        self.share = share
        self.rounds = self.random.choice((1, 1, 1, 2, 2))
        names = self.random.choice(
            (("BJ1", "BJ2"), ("BJ1", "BJ2"), ("BJ1", "BJ2", "FR1"), ("BJ1", "BJ2", "AR1", "FR1"))
        )
        self.tables = [_table(number, name, terminal) for name in names]
        self.plans = {
            (table.plan.name, at): (self.random.randrange(len(HITS) * 2), self.random.random())
            for table in self.tables
            for at in range(self.rounds)
        }
        self.actions = 0
        self.is_open = False
        self.authorised: set[str] = set()

    def play(self) -> None:
        """Everything in one order, by one client."""
        self.opening()
        for table in self.tables:
            table.open()
        for number in range(self.rounds):
            overlap = self.random.random() < 0.5
            rounds = [self.round(table, number) for table in self.tables]
            while rounds:
                turn = self.random.randrange(len(rounds)) if overlap else 0
                if next(rounds[turn], True) is True:
                    del rounds[turn]
            self.cage()
        for index, table in enumerate(self.tables):
            self._close(table, 2_500 if index == 1 else 0)
            self._next_day(table)

    def at_table(self, table: DemoTable) -> None:
        """Play the evening of one table, without the cage's part."""
        table.open()
        for number in range(self.rounds):
            for _ in self.round(table, number):
                pass
        self._close(table)
        self._next_day(table)

    def _close(self, table: DemoTable, missing: int = 0) -> None:
        """Close a table and count its drop, in a house without box names and without a cage."""
        table.close(missing)
        counted = {"drop_box": f"box-{table.plan.name}", "amount_minor": table.cash}
        table.send([table.act("drop.count", counted)], "n-501")

    def _next_day(self, table: DemoTable) -> None:
        """Some tables open for the next gaming day, and close at once."""
        if self.plans[table.plan.name, 0][1] < 0.5:
            return
        chips = {str(value): count for value, count in self.terminal.closers[table.plan.name].items()}
        opens = table.act("session.open", {"gaming_day": NEXT_DAY, "shift": "day", "opener": chips})
        table.send([opens], table.plan.inspector)
        table.send([table.act("session.close", {"closer": chips})], table.plan.inspector)

    # --- rounds -------------------------------------------------------------------------------------------------

    def round(self, table: DemoTable, number: int) -> Iterator[None]:
        """A round as planned: ordinary, with hits, or void."""
        hit, luck = self.plans[table.plan.name, number]
        table.mispay_next = number == 1 and luck < 0.3
        steps = table.play_round()
        if not isinstance(table, BlackjackTable):
            yield from steps
            if luck < 0.2:
                table.receive(100 + number, {500: 200, 2_500: 80})
            return
        if hit < len(HITS) and table.can_force(SEATS_MAX, _cards(HITS[hit])):
            table.force = HITS[hit]
        for step, _ in enumerate(steps):
            yield
            if luck < 0.15 and step == (0 if luck < 0.05 else 1):
                self._void_round(table)
                return

    def _void_round(self, table: BlackjackTable) -> None:
        """Void a misdealt round: the inspector requests, surveillance approves. Its hits are void too."""
        data = {"round": table.rounds_played, "reason": "misdeal"}
        events = table.send([table.act("round.void", data)], table.plan.inspector)
        for request in events:
            if isinstance(request.data, approval_request_lifecycle.ApprovalRequested):
                approval = {"request": request.data.request, "content": request.data.content}
                table.send([table.act("approval.give", approval)], "s-801")

    # --- the progressive ----------------------------------------------------------------------------------------

    def opening(self) -> None:
        """The progressive is opened by two departments, and the tables that it links are installed."""
        self._by_two("p-701", "k-601", "progressive.open", demo_house_setup.progressive())
        link_tables(self.terminal)
        self.is_open = True

    def cage(self) -> bool:
        """Void, authorise or pay all hits of ended rounds, in the store's order.

        Return False if an action was refused because an earlier hit was not known here yet.
        """
        for hit in self.terminal.hits_of_finished_rounds():
            luck = Random(hit.hit).random()
            try:
                if luck < 0.2:
                    data = {"hit": hit.hit, "reason": "a card misread"}
                    self._by_two("i-201", "s-801", "hit.void", data)
                else:
                    self._pay(hit, only_authorise=luck < 0.3)
            except TurnedDown as error:
                if "is locked, not authorised" in str(error):  # its share has become another meanwhile
                    self.authorised.discard(hit.hit)
                return False
            del self.terminal.hits[hit.hit]
            if luck > 0.8:
                self._by_two("p-701", "k-601", "parameters.change", {"level": "minor", "feed_millionths": 26_000})
        return True

    def _pay(self, hit: HitDeclared, *, only_authorise: bool) -> None:
        if hit.hit not in self.authorised:
            share = self.share(hit.hit, self.terminal.position)
            payment = {"hit": hit.hit, "amount_minor": share}
            events = self._by_two("i-201", "s-801", "hit.authorise", payment)
            assert any(isinstance(event.data, HitAuthorised) for event in events)
            self.authorised.add(hit.hit)
        if not only_authorise:
            self._send(
                "c-401", "jackpot.pay", {"hit": hit.hit, "gaming_day": demo_house_setup.GAMING_DAY, "tender": "cash"}
            )

    def _by_two(self, asks: str, agrees: str, kind: str, data: dict[str, Any]) -> list[AnyEnvelope]:
        events = self._send(asks, kind, data)
        for event in list(events):
            if isinstance(event.data, approval_request_lifecycle.ApprovalRequested):
                approval = {"request": event.data.request, "content": event.data.content}
                events += self._send(agrees, "approval.give", approval)
        return events

    def _send(self, person: str, kind: str, data: dict[str, Any]) -> list[AnyEnvelope]:
        self.actions += 1
        key = f"{PROGRESSIVE}:{self.actions}"
        return self.terminal.send(PATH, person, [{"type": kind, "key": key, "data": data}])


def _cards(hit: tuple[str, Forced]) -> list[str]:
    up, wanted_cards = hit
    return [up, *(card for two in wanted_cards.values() for card in two)]


def _table(seed: int, name: str, terminal: Wire) -> DemoTable:
    plan = next(plan for plan in demo_house_setup.TABLES if plan.name == name)
    table: DemoTable
    if plan.game == "roulette":
        table = RouletteTable(plan, terminal, seed, 1.0, start=37 * seed)
    else:
        table = BlackjackTable(plan, terminal, seed, 1.0)
    table.seats = 2 + seed % 2
    return table
