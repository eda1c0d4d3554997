"""A small house for tests: a desk on a store, its people, and a short way to send actions."""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

import tests.support.clocks.night_clock  # noqa: F401 - its clock
from backoffice.installation.dependency_injection import installation, opened_store
from events import catalogue
from events.alerts import alert_people_cache
from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.desk.desk import Desk
from events.envelope import Action, AnyEnvelope, Who
from events.store import EventStore, open_store
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target

PROPERTY = "athens"
DAY = "2026-11-20"
PEOPLE = {
    "dora": "dealer",
    "ines": "inspector",
    "paul": "pit boss",
    "cage": "cage",
    "cora": "count",
    "anna": "accountant",
    "mark": "progressive manager",
    "olga": "auditor",
    "sid": "security",
    "sven": "surveillance",  # the last: from then on he agrees to who turns keys
}
LEVELS = [
    {"level": "mega", "seed_minor": 2_500_000, "meter_micro": 5_000_000_000_000, "reserve_micro": 0,
     "feed_millionths": 100_000, "reserve_millionths": 10_000, "cap_minor": None},
    {"level": "major", "seed_minor": 500_000, "meter_micro": 800_000_000_000, "reserve_micro": 0,
     "feed_millionths": 40_000, "reserve_millionths": 0, "cap_minor": None},
    {"level": "minor", "seed_minor": 50_000, "meter_micro": 120_000_000_000, "reserve_micro": 0,
     "feed_millionths": 25_000, "reserve_millionths": 0, "cap_minor": None},
]  # fmt: skip


class House:
    """A house with people, tables and their progressive; `open_table` opens a table. Keys count up.

    `filed` are the values of the progressive that differ from the samples. `currency` is the property's.
    """

    currency = "EUR"

    def __init__(self, store: EventStore | None = None, **filed: Any) -> None:
        self.filed = filed
        self.store = store or open_store("memory://")
        self.store.create()
        self.desk = Desk(self.store, PROPERTY)
        self.numbers = itertools.count(1)
        self.grant_roles()
        self.install("FR1", "roulette", "roulette-french")
        self.open_progressive()
        self.install("BJ1", "blackjack", "blackjack-trilux", "blazing")
        self.install("BJ2", "blackjack", "blackjack-trilux", "blazing")

    def grant_roles(self) -> None:
        """Grant roles to an administrator, and to all people in PEOPLE."""
        for person, role in {"adam": "administrator", **PEOPLE}.items():
            self.ok("people", "", "adam", self.action("role.grant", person=person, role=role))

    def grant(self, person: str, role: str) -> None:
        """The administrator asks; where the role turns keys, surveillance agrees."""
        [event] = self.ok("people", "", "adam", self.action("role.grant", person=person, role=role))
        if event.type == "approval.requested.v1":
            give = self.action("approval.give", request=event.data.request, content=event.data.content)
            self.ok("people", "", "sven", give)

    def close(self) -> None:
        self.desk.close()
        self.store.close()

    def install(self, table: str, game: str, ruleset: str, progressive: str | None = None) -> None:
        data = {"pit": "A", "table": table, "game": game, "ruleset": ruleset, "progressive": progressive}
        if self.currency != "EUR":
            data["currency"] = self.currency
        self.agreed("floor", "", ("adam", "paul"), self.action("table.install", **data))

    def action(self, kind: str, /, **data: Any) -> Action:
        """An action with a new key. `_key`, `_intent`, `_round` are the action's own fields."""
        own = {name: data.pop(f"_{name}") for name in ("key", "intent", "round", "time") if f"_{name}" in data}
        own.setdefault("key", f"house-{next(self.numbers)}")
        return Action(type=kind, data=msgspec.Raw(msgspec.json.encode(data)), **own)

    def send(self, kind: str, name: str, person: str, *actions: Action, mode: Any = "atomic") -> list[Reply]:
        """Return the desk's replies, also refusals."""
        target = Target(kind, name)
        return self.desk.do(Command(target, actions, Who(person=person, roles=frozenset(), factor_s=0), mode))

    def ok(self, kind: str, name: str, person: str, *actions: Action) -> list[AnyEnvelope]:
        """The events that were written; a problem fails the test."""
        replies = self.send(kind, name, person, *actions)
        problems = [reply for reply in replies if isinstance(reply, Problem)]
        assert not problems, problems
        return events_of(replies)

    def agreed(self, kind: str, name: str, people: Sequence[str], action: Action) -> list[AnyEnvelope]:
        """Request an action by the first person and approve it by the others. Return the last approval's events."""
        events = self.ok(kind, name, people[0], action)
        request = events[-1].data
        for person in people[1:]:
            give = self.action("approval.give", request=request.request, content=request.content)
            events = self.ok(kind, name, person, give)
        return events

    def no(self, kind: str, name: str, person: str, *actions: Action) -> Problem:
        """The problem; an accepted action, or any event, fails the test."""
        before = self.store.position()
        reply = self.send(kind, name, person, *actions)[0]
        assert isinstance(reply, Problem), reply
        assert self.store.position() == before, "a refusal leaves no event"
        return reply

    def open_table(self, table: str) -> None:
        opener = {"100": 1_000, "500": 1_000, "2500": 1_000}
        self.ok(
            "tables",
            table,
            "ines",
            self.action("session.open", gaming_day=DAY, opener=opener),
            self.action("limits.post", minimum_minor=500, maxima_minor={}),
            self.action("staff.assign", post="dealer", person="dora"),
            self.action("staff.assign", post="inspector", person="ines"),
        )
        if table.startswith("BJ"):
            self.ok("tables", table, "ines", self.action("shoe.load", shoe="s1", packs=6))

    def open_progressive(self) -> None:
        """Unless it is open."""
        if not self.store.head(f"{PROPERTY}/progressives/blazing").version:
            currency_field = {} if self.currency == "EUR" else {"currency": self.currency}
            opening = self.action("progressive.open", **(progressive() | self.filed | currency_field))
            self.agreed("progressives", "blazing", ("mark", "anna"), opening)


def reopened_house(store: EventStore) -> House:
    """Return a house that was set up on this store before. Its keys continue after all earlier ones."""
    house = object.__new__(House)
    house.filed, house.store, house.desk = {}, store, Desk(store, PROPERTY)
    house.numbers = itertools.count(1_000_000 * (store.position() + 1))
    return house


def progressive() -> dict[str, Any]:
    """The data that opens the progressive of the samples."""
    return {
        "progressive": "blazing",
        "ruleset": "blazing7s@1",
        "levels": LEVELS,
        "policy": "split",
        "stakes_minor": [500, 1_000],
        "envy_minor": {"mega": [50_000, 100_000], "major": [12_500, 25_000], "minor": [2_500, 5_000]},
        "surveillance_over_minor": 1_000_000,
        "withhold_millionths": 150_000,
    }


def events_of(replies: list[Reply]) -> list[AnyEnvelope]:
    """Return all events of the answers, decoded."""
    events = []
    for reply in replies:
        assert isinstance(reply, Answer)
        for recorded in reply.events:
            raw = bytes(recorded.event)
            events.append(catalogue.decode(msgspec.json.decode(raw)["type"], raw))
    return events


def types_of(events: list[AnyEnvelope]) -> list[str]:
    """Their types, in order."""
    return [event.type for event in events]


@contextmanager
def serving(house: House) -> Iterator[House]:
    """Have the views of this process use the store and the desk of the house."""
    from backoffice.api.shared_command_desk import built  # here: programs without Django make houses, too
    from backoffice.surveillance import people_barred_from_alert_decision

    here = installation()
    alert_people_cache.set_finder(house.store, people_barred_from_alert_decision.find)
    with here.replaced(opened_store, house.store), here.replaced(built, house.desk):
        yield house
