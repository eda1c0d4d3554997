"""A house at work on a clock of its own, for scenarios. Actions go through the desk; surveillance reads the alerts."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec

from events.alerts.overdue_and_luck_event_recorder import count_chips, judge, of_house, say_late
from events.desk.command_and_answer_structs import Command
from events.envelope import AnyEnvelope, Who
from events.house.alert_rules import RULES
from events.store import EventStore, open_store
from events.streams.stream_kind_declaration import Target
from projections.alerts.models import Alert
from tests.support.clocks.settable_clocks import SettableTime
from tests.support.houses.small_house import DAY, PROPERTY, House, events_of
from tests.support.pages.raised_alerts import raised

FULL = {"100": 1_000, "500": 1_000, "2500": 1_000}  # the tray of `House.open_table`
RED: dict[str, Any] = {"wager": "red", "amount_minor": 1_000, "player": "g-1", "seat": 1}
STAFF = {"dan": "dealer", "stan": "dealer", "iris": "inspector", "ida": "inspector"}


class AlertSummary(NamedTuple):
    """An alert in short: its name, whom and what sum it is about, and the type of the event that raised it."""

    name: str
    person: str
    sum: int | None
    by: str


class AtWork(House):
    """A house whose alerts a test reads repeatedly. `new` returns the alerts since the last reading."""

    def __init__(self, store: EventStore | None = None) -> None:
        self.clock = SettableTime(f"{DAY}T18:00:00.000Z")
        super().__init__(store or open_store("memory://", clock=self.clock))
        for person, role in STAFF.items():
            self.grant(person, role)
        self.looked_at = 0

    def alerts(self, step: int = 1_000) -> list[Alert]:
        """Return every alert of the house, oldest first, from a projector that gets `step` events at a time."""
        history: Any = SimpleNamespace(events=self.store.after(0, 1_000_000))
        return raised(history, *RULES, step=step)

    def new(self) -> list[AlertSummary]:
        """Return the alerts that surveillance has not seen yet."""
        types = {f"{event.stream}@{event.version}": event.type for event in self.store.after(0, 1_000_000)}
        alerts = self.alerts()[self.looked_at :]
        self.looked_at += len(alerts)
        return [
            AlertSummary(
                name=alert.name,
                person=alert.person,
                sum=msgspec.json.decode(alert.data).get("sum"),
                by=types[msgspec.json.decode(alert.events)[-1]].rpartition(".v")[0],
            )
            for alert in alerts
        ]

    def proofs(self) -> list[tuple[str, list[str]]]:
        """The name of each alert, with the types of the events that prove it."""
        types = {f"{event.stream}@{event.version}": event.type for event in self.store.after(0, 1_000_000)}
        return [
            (alert.name, [types[proof].rpartition(".v")[0] for proof in msgspec.json.decode(alert.events)])
            for alert in self.alerts()
        ]

    def alert_data(self) -> list[dict[str, Any]]:
        """Return the data of each alert."""
        return [msgspec.json.decode(alert.data) for alert in self.alerts()]

    def check(self) -> None:
        """Event by event, from the beginning, there are the same alerts with the same ids, as severe as their rules.

        Their proofs are events of the store, the raising one last.
        """
        alerts = self.alerts()
        at = {f"{event.stream}@{event.version}": event.position for event in self.store.after(0, 1_000_000)}
        for alert in alerts:
            *before, last = [at[proof] for proof in msgspec.json.decode(alert.events)]
            assert all(proof < last for proof in before)
            assert last == alert.raised_at_position
        assert [alert.id for alert in self.alerts(step=1)] == [alert.id for alert in alerts]
        assert len({alert.id for alert in alerts}) == len(alerts)
        assert [alert.severity for alert in alerts] == [RULES[alert.name].severity for alert in alerts]

    def watch(self) -> None:
        """Run the worker's watch, which records the facts that no other event records."""
        watchman = of_house(self.store, PROPERTY)
        say_late(self.store, watchman)
        judge(self.store, watchman)
        count_chips(self.store, watchman)

    def void(self, table: str, round_: int, asks: str = "paul") -> None:
        """A round is void: surveillance agrees."""
        self.agreed("tables", table, (asks, "sven"), self.action("round.void", round=round_, reason="misdeal"))


class At:
    """A table of the house: its requested actions and its facts."""

    def __init__(self, house: AtWork, name: str) -> None:
        self.house, self.name = house, name

    def __call__(self, kind: str, /, by: str = "dora", **data: Any) -> list[AnyEnvelope]:
        return self.house.ok("tables", self.name, by, self.house.action(kind, **data))

    def fact(self, kind: str, /, by: str = "dora", **data: Any) -> list[AnyEnvelope]:
        """Record a fact, even against a rule."""
        return self(kind, by, _intent="fact", **data)

    def correct(self, event: AnyEnvelope, /, **data: Any) -> list[AnyEnvelope]:
        """Correct a recorded bet as the inspector."""
        action = self.house.action("bet.correct", _intent="fact", bet=event.data.bet, reason="seen again", **data)
        return self.house.ok("tables", self.name, "ines", msgspec.structs.replace(action, corrects=event.id))

    def terminal(self, device: str, kind: str, /, time: str | None = None, intent: str = "ask", **data: Any) -> None:
        """Send an action from a terminal, with the terminal's own time."""
        who = Who(person="dora", roles=frozenset(), device=device, table=self.name, factor_s=0)
        action = self.house.action(kind, _time=time, _intent=intent, **data)
        events_of(self.house.desk.do(Command(Target("tables", self.name), (action,), who, "atomic")))

    def deal(self, *cards: tuple[str, str | int]) -> None:
        """Cards in their order, each to a side, the dealer or a box."""
        for card, to in cards:
            self("card.deal", card=card, **({"to": "box", "box": to} if isinstance(to, int) else {"to": to}))

    def spin(self, number: int, by: str = "dora") -> None:
        """The ball runs, against the wheel as it must turn now, and lands."""
        wheel, ball = ("ccw", "cw") if self._session.play.turned == "cw" else ("cw", "ccw")
        self("ball.launch", by, wheel=wheel, ball=ball)
        self("bets.close", by)
        self("ball.land", by, number=number)

    def close(self) -> None:
        """The tray is counted, and all is there."""
        self("session.close", "ines", closer={"100": self._session.float_minor // 100})

    @property
    def _session(self) -> Any:
        return self.house.desk.streams.cache.read_stream(f"{PROPERTY}/tables/{self.name}/{DAY}").state


def wheel(house: AtWork, name: str = "FR1") -> At:
    """A roulette table that is open, with a maximum on its numbers."""
    if name != "FR1":
        house.install(name, "roulette", "roulette-french")
    house.open_table(name)
    at = At(house, name)
    at("limits.post", "ines", minimum_minor=500, maxima_minor={"straight": 10_000})
    return at


def boxes(house: AtWork) -> At:
    """A blackjack table that is open."""
    house.open_table("BJ1")
    at = At(house, "BJ1")
    at("limits.post", "ines", minimum_minor=1_000, maxima_minor={"main": 50_000, "trilux": 5_000})
    return at


def sides(house: AtWork) -> At:
    """A baccarat table that is open, its shoe burnt."""
    house.install("BA1", "baccarat", "baccarat")
    house.open_table("BA1")
    at = At(house, "BA1")
    maxima = {"player": 100_000, "banker": 100_000, "tie": 20_000, "player_pair": 10_000}
    at("limits.post", "ines", minimum_minor=500, maxima_minor=maxima)
    at("shoe.load", shoe="s1", packs=8, seal="A-77")
    at("shoe.burn", card="2C")
    return at


def line(house: AtWork, ruleset: str = "craps-gr") -> At:
    """A craps table that is open, with a shooter who has two dice and a bet on the line."""
    house.install("CR1", "craps", ruleset)
    house.open_table("CR1")
    at = At(house, "CR1")
    at("limits.post", "ines", minimum_minor=500, maxima_minor={"maximum": 50_000})
    for post, person in (("second dealer", "dan"), ("stickman", "stan"), ("manager", "paul")):
        at("staff.assign", "ines", post=post, person=person)
    at("dice.put", "ines", dice=[{"serial": "K17", "colour": "red"}] * 5)
    at("round.open")
    at("shooter.appoint", seat=1, player="Ann")
    at("dice.choose", places=[0, 3])
    at("bet.place", bet="pass", wager="pass", amount_minor=1_000, player="Ann", seat=1)
    return at
