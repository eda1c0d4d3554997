"""The played events: a floor of roulette tables with rounds of thirty actions, as a dealer's terminal sends them.

A round has 24 bets on single numbers, one of which wins: 30 actions, 54 events of about 700 bytes.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from itertools import count
from typing import Any

import msgspec

from events import catalogue
from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.desk.desk import Desk
from events.envelope import Action, Meta, Who
from events.runtime.clock import Clock, house_clock
from events.store import EventStore, NewEvent, Stored
from events.store.in_memory_store import MemoryStore
from events.streams.stream_kind_declaration import Target

PROPERTY = "athens"
DAY = "2026-11-20"
TIME = f"{DAY}T20:00:00.000Z"
BETS = 24
ACTIONS_A_ROUND = BETS + 6
EVENTS_A_ROUND = 2 * BETS + 6
OPENING = 4  # actions that open a table
STAKE, PAYS = 500, 35
QUEUED = 40  # rounds in the desk's queue: more than two appends
CHIEF = Who(person="a-001", roles=frozenset({"administrator"}), factor_s=0)
INSPECTOR = Who(person="i-201", roles=frozenset({"inspector"}), factor_s=0)
AUDITOR = Who(person="o-901", roles=frozenset({"auditor"}), factor_s=0)
DEALER = Who(person="d-101", roles=frozenset({"dealer"}))
SECOND = Who(person="d-102", roles=frozenset({"dealer"}))  # whose table it is not

_encode = msgspec.json.Encoder().encode


class RouletteTerminal:
    """One table's terminal: its actions in order, each with a key of its own."""

    def __init__(self, name: str, played_rounds: int | None = None, clock: Clock | None = None) -> None:
        """`played_rounds`: rounds of a table that another process has opened. Its clock is right: the house's. A
        `mispaid` payment is a chip short."""
        self.name = name
        self._clock = clock or house_clock()
        self.target = Target("tables", name)
        self.played = played_rounds or 0
        self.mispaid = False
        self._keys = count(1 if played_rounds is None else OPENING + played_rounds * ACTIONS_A_ROUND + 1)

    def act(self, kind: str, **data: Any) -> Action:
        """An action with the table's next key."""
        key = f"{self.name}:{DAY}:{next(self._keys)}"
        return Action(type=kind, key=key, time=self._clock(), data=msgspec.Raw(_encode(data)))

    def _payment(self) -> Action:
        paid = PAYS * STAKE - STAKE * self.mispaid
        action = self.act("payment.make", bet=f"{self.played}-0", amount_minor=paid)
        return msgspec.structs.replace(action, intent="fact") if self.mispaid else action

    def command(self, actions: Sequence[Action], who: Who = DEALER) -> Command:
        """These actions in one request, all or nothing."""
        return Command(self.target, tuple(actions), who)

    def opening(self) -> Command:
        """Opener, limits and staff."""
        return self.command(
            [
                self.act("session.open", gaming_day=DAY, opener={"500": 1_000, "10000": 500}),
                self.act("limits.post", minimum_minor=STAKE, maxima_minor={"straight": 20 * STAKE}),
                self.act("staff.assign", post="dealer", person=DEALER.person),
                self.act("staff.assign", post="inspector", person=INSPECTOR.person),
            ],
            INSPECTOR,
        )

    def round(self) -> list[Action]:
        """The thirty actions of a round."""
        self.played += 1
        landed = self.played % 36 + 1
        wheel, ball = ("cw", "ccw") if self.played % 2 else ("ccw", "cw")
        numbers = [(landed + place) % 37 for place in range(BETS)]
        bets = [
            self.act(
                "bet.place",
                bet=f"{self.played}-{place}",
                wager="straight",
                amount_minor=STAKE,
                numbers=[number],
                player=f"g-{place % 7:04d}",
                seat=place % 7 + 1,
            )
            for place, number in enumerate(numbers)
        ]
        return [
            self.act("round.open"),
            *bets,
            self.act("ball.launch", wheel=wheel, ball=ball),
            self.act("bets.close"),
            self.act("ball.land", number=landed),
            self._payment(),
            self.act("round.end"),
        ]

    def rounds(self) -> Iterator[Command]:
        """Round after round, each one request."""
        while True:
            yield self.command(self.round())

    def singles(self) -> Iterator[Command]:
        """The same, every action a request of its own."""
        while True:
            for action in self.round():
                yield self.command([action])


def answered(desk: Desk, command: Command) -> list[Answer]:
    """Do it; what the desk refuses is a mistake of the bench. Raises AssertionError."""
    return accepted(desk.do(command))


def accepted(replies: Sequence[Any]) -> list[Answer]:
    """The replies as answers. Raises AssertionError for a refusal."""
    answers = [reply for reply in replies if isinstance(reply, Answer)]
    assert len(answers) == len(replies), f"the desk refused: {replies}"
    return answers


def hire(desk: Desk, *people: Who) -> None:
    """The people in their roles, as events say it: what others agree to is judged by that. Safe to repeat."""
    for who in people:
        for role in sorted(who.roles):
            data = msgspec.Raw(_encode({"person": who.person, "role": role}))
            action = Action(type="role.grant", key=f"grant:{who.person}", time=desk.store.clock(), data=data)
            answered(desk, Command(Target("people"), (action,), CHIEF))


def install(desk: Desk, key: str, **data: Any) -> None:
    """A table on the floor: the chief asks, the inspector agrees."""
    hire(desk, CHIEF, INSPECTOR, DEALER)
    action = Action(type="table.install", key=key, time=desk.store.clock(), data=msgspec.Raw(_encode(data)))
    [answer] = answered(desk, Command(Target("floor"), (action,), CHIEF))
    requested = msgspec.json.decode(bytes(answer.events[-1].event))["data"]
    give = {"request": requested["request"], "content": requested["content"]}
    agreed = Action(type="approval.give", key=f"{key}:agreed", time=desk.store.clock(), data=msgspec.Raw(_encode(give)))
    answered(desk, Command(Target("floor"), (agreed,), INSPECTOR))


def furnish(desk: Desk, names: Sequence[str]) -> list[RouletteTerminal]:
    """Install and open roulette tables of these names."""
    for name in names:
        install(desk, f"install:{name}", pit="A", table=name, game="roulette", ruleset="roulette-american")
    tables = [RouletteTerminal(name, clock=desk.store.clock) for name in names]
    for table in tables:
        answered(desk, table.opening())
    return tables


def names(prefix: str, number: int) -> list[str]:
    """Names for so many tables."""
    return [f"{prefix}{each}" for each in range(1, number + 1)]


class Sample(msgspec.Struct, frozen=True):
    """A round's events as they are stored, by action, and as they are handed to the store."""

    groups: list[list[Stored]]
    news: list[NewEvent]

    @property
    def rows(self) -> list[Stored]:
        """All of them in order."""
        return [event for group in self.groups for event in group]


def sample() -> Sample:
    """A round, played on a store in memory: what the peers write is byte for byte what the desk would."""
    store = MemoryStore()
    desk = Desk(store, PROPERTY)
    try:
        table = furnish(desk, ["R1"])[0]
        answered(desk, table.command(table.round()))
        answers = answered(desk, table.command(table.round()))
    finally:
        desk.close()
    groups = [_stored(store, answer) for answer in answers]
    return Sample(groups, [_new(event) for group in groups for event in group])


def _stored(store: EventStore, answer: Answer) -> list[Stored]:
    return [store.after(event.position - 1, 1)[0] for event in answer.events]


def _new(stored_event: Stored) -> NewEvent:
    event = catalogue.decode(stored_event.type, stored_event.raw)
    meta = Meta(
        time=event.time,
        actor=event.actor,
        actorrole=event.actorrole,
        actordevice=event.actordevice,
        causation=event.causation,
        correlation=event.correlation,
        intent=event.intent,
        deviceseq=event.deviceseq,
    )
    return NewEvent(event.data, meta)


def fill(desk: Desk, tables: Sequence[RouletteTerminal], events: int) -> int:
    """Play whole rounds until so many events are stored; how many it was."""
    rounds = [table.rounds() for table in tables]
    written_events, waiting = 0, deque[Future[list[Reply]]]()
    for number in range(-(-events // EVENTS_A_ROUND)):
        waiting.append(desk.submit(next(rounds[number % len(rounds)])))
        if len(waiting) > QUEUED:
            written_events += _events(waiting.popleft())
    return written_events + sum(map(_events, waiting))


def _events(future: "Future[list[Reply]]") -> int:
    return sum(len(answer.events) for answer in accepted(future.result()))
