"""A house that grows old, by a played clock: gaming days are opened, played and closed through the desk.

A hundredth of them are. The others are such days without rounds, written straight into the store as the desk would have
written them. The figures are about life with a past, not about the making of it.

`python -m tools.bench.house_ageing_process` takes its job as a line of JSON. It reports at each stop, and continues
after a line of input.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
from msgspec.structs import replace

from events import catalogue
from events.desk.command_and_answer_structs import Answer, Command, Recorded
from events.desk.desk import Desk
from events.envelope import Action, Meta, first_prev
from events.progressives import due_lock_and_lapse_appending
from events.runtime import clock
from events.store import Append, EventStore, Key, NewEvent, StreamEnd, open_store
from events.tables.event_types.session import SessionOpened
from tests.support.houses.progressive_house import DAY, NAME, Casino
from tools.bench import generated_roulette_actions
from tools.bench.jackpot_explanation_time import played

TABLES = 20
PLAYED_EVERY = 100  # days from one that goes through the desk to the next
HIT_EVERY = 50  # days from one Minor to the next
CONTENT = b"c" * 32  # of an action, as its key keeps it
FIRST = datetime(2026, 11, 20, 20, tzinfo=UTC)
FLOAT = {"500": 1_000, "10000": 500}


class AgeingJob(msgspec.Struct, frozen=True):
    """A store, a data folder with the house's key, and the number of sessions at each stop.

    It also has the number of rounds of a table on a played day.
    """

    url: str
    data: str
    stops: list[int]
    rounds: int = 1


class StageFigures(msgspec.Struct, frozen=True):
    """After so many days: the events, how many a second came lately, streams at hand, MiB of the process, the hits."""

    days: int
    events: int
    a_second: float
    streams: int
    mebibytes: float
    hits: list[str]


class AgeingTable(generated_roulette_actions.RouletteTerminal):
    """A table of one gaming day. Its times are the clock's."""

    def __init__(self, name: str, day: str) -> None:
        super().__init__(name)
        self.day = day

    def act(self, kind: str, **data: Any) -> Action:
        """An action with the next key of the table's day."""
        key = f"{self.name}:{self.day}:{next(self._keys)}"
        return Action(type=kind, key=key, data=msgspec.Raw(msgspec.json.encode(data)))

    def begins(self) -> Command:
        """The opening, with whom it needs."""
        limits = {
            "minimum_minor": generated_roulette_actions.STAKE,
            "maxima_minor": {"straight": 20 * generated_roulette_actions.STAKE},
        }
        posts = (("dealer", generated_roulette_actions.DEALER), ("inspector", generated_roulette_actions.INSPECTOR))
        staff = [self.act("staff.assign", post=post, person=who.person) for post, who in posts]
        opening = self.act("session.open", gaming_day=self.day, opener=FLOAT)
        return self.command([opening, self.act("limits.post", **limits), *staff], generated_roulette_actions.INSPECTOR)

    def buys(self) -> Command:
        """A person's buy-in."""
        return self.command([self.act("buyin.make", seat=1, player="g-1", amount_minor=100)])

    def closing_command(self) -> Command:
        """The closing, as it was counted."""
        return self.command([self.act("session.close", closer=FLOAT)], generated_roulette_actions.INSPECTOR)


def day(number: int) -> str:
    """The house's gaming day of this number, from 0."""
    return (FIRST + timedelta(days=number)).date().isoformat()


def lives_in(data: str, number: int = 0) -> None:
    """This process is the house's of that data folder, with a clock of its own."""
    os.environ["PITLEDGER_DATA"] = data
    os.environ[clock.SETTING] = str(Path(data) / "clock")
    dawn(number)


def dawn(number: int) -> None:
    """The clock shows that day's evening."""
    clock.start(Path(os.environ[clock.SETTING]), clock.event_time(FIRST + timedelta(days=number)))


class AgeingHouse:
    """Its tables and its one progressive, from the first day on."""

    def __init__(self, store: EventStore, rounds: int = 1) -> None:
        store.create()
        self.store, self.hits, self._rounds = store, list[str](), rounds
        self._like: list[NewEvent] = []  # a session's events, from its opening to its closing
        self.desk = Desk(store, generated_roulette_actions.PROPERTY)
        self._names = generated_roulette_actions.names("R", TABLES)
        generated_roulette_actions.hire(
            self.desk,
            generated_roulette_actions.CHIEF,
            generated_roulette_actions.INSPECTOR,
            generated_roulette_actions.DEALER,
            generated_roulette_actions.AUDITOR,
        )
        for name in self._names:
            where = {"pit": "A", "table": name, "game": "roulette", "ruleset": "roulette-american"}
            generated_roulette_actions.install(self.desk, f"install:{name}", **where)
        self.casino = Casino(store)
        self.casino.say(f"tables/BJ99/{DAY}", _opened("BJ99", DAY))

    def lives(self, number: int) -> int:
        """One day at all tables; how many sessions that were."""
        dawn(number)
        if number % PLAYED_EVERY:
            self._copies(day(number))
        else:
            self._plays(number)
        self._feeds(number)
        return TABLES

    def _plays(self, number: int) -> None:
        nights = [AgeingTable(name, day(number)) for name in self._names]
        opening_events = self._send_together([night.begins() for night in nights])
        for _ in range(self._rounds):
            self._send_together([night.command(night.round()) for night in nights])
        closed = self._send_together([night.closing_command() for night in nights])
        if not self._like:
            answered = [*opening_events[0], *closed[0]]
            self._like = [_new(recorded) for answer in answered for recorded in answer.events]

    def _send_together(self, commands: list[Command]) -> list[list[Answer]]:
        """One at each table, in one group."""
        return [
            generated_roulette_actions.accepted(future.result(120))
            for future in [self.desk.submit(each) for each in commands]
        ]

    def _copies(self, gaming_day: str) -> None:
        """The first day once more, at all tables, each event made by an action with a key of its own."""
        appends, keys, time = [], [], clock.event_time(clock.moment())
        for name in self._names:
            stream = f"{generated_roulette_actions.PROPERTY}/tables/{name}/{gaming_day}"
            where = {"table": name, "gaming_day": gaming_day}
            copies = [(f"{name}:{gaming_day}:{number}", new) for number, new in enumerate(self._like, 1)]
            events = [
                NewEvent(replace(new.data, **where), replace(new.meta, time=time, causation=key)) for key, new in copies
            ]
            appends.append(Append(stream, StreamEnd(0, first_prev(stream)), events))
            keys += [Key(key, CONTENT, stream, number, 1) for number, (key, _) in enumerate(copies, 1)]
        self.store.append(appends, keys)

    def _feeds(self, number: int) -> None:
        """A round of a linked table; now and then a hit at another."""
        stream, meta = f"{generated_roulette_actions.PROPERTY}/tables/BJ1/{day(number)}", _meta()
        events = [NewEvent(_opened("BJ1", day(number)), meta)]
        events += [NewEvent(replace(event, gaming_day=day(number)), meta) for event in played("BJ1", number + 1)]
        self.store.append([Append(stream, self.store.head(stream), events)])
        if number % HIT_EVERY == HIT_EVERY - 1:
            self.hits += self.casino.play("BJ99", hits=((1, "minor"),))
        due_lock_and_lapse_appending.reconcile(self.store, generated_roulette_actions.PROPERTY, NAME)

    def close(self) -> None:
        self.desk.close()
        self.casino.desk.close()


def _new(recorded: Recorded) -> NewEvent:
    """The event, to be written again."""
    raw = bytes(recorded.event)
    event = catalogue.decode(msgspec.json.decode(raw)["type"], raw)
    return NewEvent(event.data, Meta(time=event.time, actor=event.actor, actorrole=event.actorrole))


def _opened(table: str, gaming_day: str) -> SessionOpened:
    """A linked table's opening, which gives its figures their currency."""
    where: dict[str, Any] = {
        "pit": "A",
        "table": table,
        "gaming_day": gaming_day,
        "shift": "day",
        "ruleset": "blackjack-trilux",
    }
    return SessionOpened(**where, game="blackjack", currency="EUR", opener={}, amount_minor=0, progressive=NAME)


def _meta() -> Meta:
    return Meta(time=clock.event_time(clock.moment()), actor="dora", actorrole="dealer")


def resident() -> float:
    """MiB of memory that this process holds."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def grow(job: AgeingJob) -> Iterator[StageFigures]:
    """From the first day on; how it is at each stop. The day after each belongs to another person."""
    lives_in(job.data)
    with contextlib.closing(open_store(job.url)) as store, contextlib.closing(AgeingHouse(store, job.rounds)) as house:
        number = sessions = 0
        for stop in job.stops:
            began, before = perf_counter(), store.position()
            while sessions < stop:
                sessions += house.lives(number)
                number += 1
            events = store.position()
            speed = (events - before) / (perf_counter() - began)
            yield StageFigures(number, events, speed, house.desk.streams.cache.size, resident(), house.hits)
            number += 1


def main() -> None:
    """Do the job that stands on the first line."""
    for aged in grow(msgspec.json.decode(sys.stdin.buffer.readline(), type=AgeingJob)):
        sys.stdout.buffer.write(msgspec.json.encode(aged) + b"\n")
        sys.stdout.buffer.flush()
        sys.stdin.buffer.readline()


if __name__ == "__main__":
    main()
