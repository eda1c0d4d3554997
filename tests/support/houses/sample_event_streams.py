"""Sample streams for tests: events as the store would hold them, made with the product's own `encode`."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import msgspec

from events.catalogue import decode
from events.envelope import EventData, Meta, digest, encode, first_prev
from events.games.roulette.event_types import BallLanded
from events.store import Append, EventStore, NewEvent, Stored
from events.tables.event_types.money import BuyinMade, DropCounted, DropRemoved
from events.tables.event_types.rounds import BetPlaced, BetsClosed, BetSettled, PaymentMade, RoundEnded, RoundOpened
from events.tables.event_types.session import Chips, SessionClosed, SessionOpened
from events.tables.event_types.session import TableEvent as TableEvent

PROPERTY = "athens"
DAY = "2026-11-20"
TIME = "2026-11-20T18:00:00.000Z"


class TopicEvent(msgspec.Struct, frozen=True):
    """A stored event as the relay puts it on the topic: with what the headers and the broker add."""

    position: int
    previous: int
    stream: str
    type: str
    raw: bytes
    offset: int
    incarnation: str


class History:
    """A store's worth of events in order of position. `append` returns the event's position."""

    def __init__(self, property_: str = PROPERTY) -> None:
        self.property = property_
        self.events: list[Stored] = []
        self._heads: dict[str, tuple[int, bytes]] = {}

    def append(self, stream: str, data: EventData, **meta: Any) -> int:
        """One more event of a stream named without the property ("tables/R1/2026-11-20")."""
        name = f"{self.property}/{stream}"
        version, prev = self._heads.get(name, (0, first_prev(name)))
        who = {"time": TIME, "actor": "p-1", "actorrole": "dealer", **meta}
        raw = encode(name, version + 1, prev, data, Meta(**who), TIME)
        self._heads[name] = (version + 1, digest(raw))
        return self.put(name, data.TYPE, raw)

    def put(self, stream: str, type_: str, raw: bytes) -> int:
        """Any bytes at all, as the next event."""
        version = self._heads.get(stream, (0, b""))[0]
        position = len(self.events) + 1
        self.events.append(Stored(position, stream, version, type_, raw))
        return position

    def on_topic(self, incarnation: str = "0.first") -> list[TopicEvent]:
        """Return all events as they are on the topic."""
        return [
            TopicEvent(event.position, event.position - 1, event.stream, event.type, event.raw, offset, incarnation)
            for offset, event in enumerate(self.events)
        ]


class HistoryStore:
    """A history as an event store that can be read."""

    def __init__(self, history: History) -> None:
        self.events = history.events

    def after(self, position: int, limit: int, types: Any = (), until: int | None = None) -> list[Stored]:
        return [event for event in self.events[position:until] if not types or event.type in types][:limit]

    def position(self) -> int:
        return len(self.events)

    def amiss(self) -> list[str]:
        """Return no findings: no other process can write here."""
        return []

    def close(self) -> None:
        """Do nothing: no resource is open."""


class SampleTableDay:
    """A table's gaming day, in words of the trade. Amounts in minor units."""

    def __init__(self, history: History, name: str = "R1", day: str = DAY, **about: Any) -> None:
        self.history = history
        self.stream = f"tables/{name}/{day}"
        self.round = 0
        self.where = {
            "pit": "main",
            "table": name,
            "gaming_day": day,
            "shift": "day",
            "ruleset": "roulette-french",
            **about,
        }

    def say(self, kind: type[TableEvent], /, **data: Any) -> int:
        """An event of this table, by its type."""
        where = {**self.where, "round": self.round or None, "dealer": "p-dealer", "inspector": "p-inspector"}
        return self.history.append(self.stream, kind(**{**where, **data}))

    def open(self, opener: Chips | None = None, game: str = "roulette", **fields: Any) -> "SampleTableDay":
        chips = opener or {100: 100, 500: 100, 2500: 40}
        amount = sum(value * count for value, count in chips.items())
        self.say(SessionOpened, game=game, currency="EUR", opener=chips, amount_minor=amount, **fields)
        return self

    def close(self, closer: Chips, expected_minor: int) -> None:
        amount = sum(value * count for value, count in closer.items())
        self.say(SessionClosed, closer=closer, amount_minor=amount, expected_minor=expected_minor)

    def buy_in(self, amount_minor: int, tender: str = "cash", player: str = "g-1") -> None:
        self.say(BuyinMade, amount_minor=amount_minor, tender=tender, player=player)

    def count(self, amount_minor: int, promotional_minor: int = 0) -> None:
        self.say(DropRemoved, drop_box="b-1")
        self.say(DropCounted, drop_box="b-1", amount_minor=amount_minor, promotional_minor=promotional_minor)

    def bet(self, stake: int, profit: int, *, paid: int | None = None, wager: str = "red", player: str = "g-1") -> None:
        """A round with one bet, won or lost, and paid as due or otherwise."""
        self.round += 1
        name = f"b{self.round}"
        who = {"bet": name, "wager": wager, "player": player, "seat": 1}
        self.say(RoundOpened)
        self.say(BetPlaced, amount_minor=stake, **who)
        self.say(BetsClosed)
        self.say(BallLanded, number=7, colour="red")
        outcome = "win" if profit > 0 else "lose"
        self.say(BetSettled, amount_minor=stake, outcome=outcome, profit_minor=profit, **who)
        if profit > 0:
            self.say(PaymentMade, amount_minor=profit if paid is None else paid, due_minor=profit, **who)
        self.say(RoundEnded)


def busy_floor(history: History, tables: int, rounds: int) -> Iterator[SampleTableDay]:
    """Tables that play side by side, their events interleaved; every third bet wins."""
    floor = [SampleTableDay(history, f"R{number}").open() for number in range(1, tables + 1)]
    for number in range(rounds):
        for table in floor:
            table.bet(1000, 1000 if number % 3 == 0 else -1000, player=f"g-{number % 7}")
    yield from floor


def keep(store: EventStore, history: History, after: int = 0) -> None:
    """Append a history's events (those beyond a position of it) to a real store, in the same order."""
    for name, events in groupby(history.events[after:], key=lambda event: event.stream):
        new = []
        for event in events:
            envelope = decode(event.type, event.raw)
            meta = Meta(time=envelope.time, actor=envelope.actor, actorrole=envelope.actorrole)
            new.append(NewEvent(envelope.data, meta))
        store.append([Append(name, store.head(name), new)])
