"""Timelines of the acceptance format as a store's history: what a house would have recorded had all that happened.

Only timelines whose amounts and rates are whole millionths can be recorded (a live progressive has no others).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from events.envelope import ActionData, EventData
from events.errors import NotYet, Refused
from events.progressives import action_structs
from events.progressives.decider import decide, due_locks
from events.progressives.event_to_fact_mapping import fact_of, opening_of
from events.progressives.event_types import ProgressiveOpened
from events.progressives.fact_structs import ApprovingPerson
from events.progressives.fold import Fold
from events.tables.event_types.progressive import (
    DealCompleted,
    HitDeclared,
    HitDeclaredLate,
    ProgressiveArmed,
    ProgressiveStake,
)
from events.tables.event_types.rounds import RoundEnded, RoundVoided
from events.tables.event_types.session import TableEvent
from tests.support.houses.sample_event_streams import DAY, History

MICRO = 1_000_000
NAME = "blazing"
STREAM = f"progressives/{NAME}"
CASES = Path(__file__).parents[2] / "data" / "cases" / "timeline.jsonl"
TWO = (ApprovingPerson("p-manager", "progressive manager"), ApprovingPerson("p-accountant", "accountant"))
CAGE = (ApprovingPerson("p-cage", "cage"),)


def cases() -> list[dict[str, Any]]:
    """The timelines that can be recorded."""
    all_cases = [msgspec.json.decode(line) for line in CASES.read_bytes().splitlines()]
    return [case for case in all_cases if "error" not in case["expect"] and _is_whole(case["given"])]


def _is_whole(inputs: dict[str, Any]) -> bool:
    amounts = [
        level[name] for level in inputs["levels"].values() for name in ("feed", "reserve_rate", "meter", "reserve")
    ]
    for fact in inputs["facts"]:
        amounts += [v for k, v in fact.get("parameters", {"set": {}})["set"].items() if k in ("feed", "reserve_rate")]
    whole = all((Fraction(amount) * MICRO).denominator == 1 for amount in amounts)
    return whole and all(isinstance(level["seed"], int) for level in inputs["levels"].values())


def _micro(value: Any) -> int:
    return int(Fraction(value) * MICRO)


def opening(inputs: dict[str, Any], name: str = NAME) -> action_structs.OpenProgressive:
    """The action that opens a timeline's progressive."""
    levels = tuple(
        action_structs.OpenLevel(
            level=name,
            seed_minor=level["seed"],
            meter_micro=_micro(level["meter"]),
            reserve_micro=_micro(level["reserve"]),
            feed_millionths=_micro(level["feed"]),
            reserve_millionths=_micro(level["reserve_rate"]),
            cap_minor=level["cap"],
        )
        for name, level in inputs["levels"].items()
    )
    return action_structs.OpenProgressive(
        progressive=name,
        ruleset="blazing7s",
        levels=levels,
        policy=inputs["policy"],
        stakes_minor=tuple(inputs["stakes"]),
        envy_minor=inputs["envy"],
        envy_to_winner=inputs["envy_to_winner"],
        surveillance_over_minor=inputs["surveillance_over"],
        withhold_millionths=180_000,
    )


def facts(inputs: dict[str, Any]) -> list[dict[str, Any]]:
    """A timeline's facts in order of position, each once, however they were delivered."""
    return [fact for _, fact in sorted({fact["at"]: fact for fact in inputs["facts"]}.items())]


class Player(ABC):
    """Player of a timeline's facts, one after the other. A refused fact leaves no event.

    `refused` has the positions of the refused facts. `places` has the fact of each position in the store. `prefix`
    comes before the tables' names, if several timelines are played in one house.
    """

    def __init__(self, property_: str, name: str = NAME, prefix: str = "") -> None:
        self.property = property_
        self.name = name
        self.prefix = prefix
        self.refused: list[int] = []
        self.places: dict[int, int] = {}
        self._at = 0
        self._rounds: dict[tuple[str, str], int] = {}

    @property
    @abstractmethod
    def fold(self) -> Fold:
        """The progressive after all that was played so far."""

    @abstractmethod
    def say(self, stream: str, event: EventData) -> int:
        """Record what happened at a table, in a stream named without the property; its position."""

    @abstractmethod
    def do(self, action: ActionData, people: tuple[ApprovingPerson, ...]) -> None:
        """An action that the first of them asks for and the others approve. Raises Refused, NotYet."""

    def play(self, fact: dict[str, Any]) -> None:
        """The next fact."""
        kind = next(key for key in fact if key != "at")
        self._at = fact["at"]
        try:
            _PLAY[kind](self, fact[kind])
        except (NotYet, Refused):
            self.refused.append(self._at)

    def at_table(self, kind: type[TableEvent], fact: dict[str, Any], **data: Any) -> None:
        """Record an event at a table, unless the fold refuses it. Raises Refused."""
        table, numbers = self.prefix + fact["table"], self._rounds
        number = numbers.setdefault((table, fact["round"]), 1 + sum(known[0] == table for known in numbers))
        where = {"pit": "main", "table": table, "gaming_day": DAY, "shift": "day", "ruleset": "blackjack-trilux"}
        event = kind(**{**where, **data, "round": number, "progressive": self.name})
        stream, fold = f"tables/{table}/{DAY}", self.fold
        judged = fact_of(fold.at + 1, f"{self.property}/{stream}", kind.TYPE, event, self.name)
        assert judged is not None
        fold.check(judged)
        self.places[self.say(stream, event)] = self._at


class Recorder(Player):
    """Records a whole timeline as a history; locks are said as soon as they are due."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self.history = History()
        super().__init__(self.history.property)
        opened = decide(None, opening(inputs), TWO)[0]
        assert isinstance(opened, ProgressiveOpened)
        self._fold = Fold.opened(self.history.append(STREAM, opened), opening_of(opened))
        for fact in facts(inputs):
            self.play(fact)
            for lock in due_locks(self._fold):
                self.say(STREAM, lock)

    @property
    def fold(self) -> Fold:
        return self._fold

    def say(self, stream: str, event: EventData) -> int:
        at = self.history.append(stream, event)
        fact = fact_of(at, f"{self.property}/{stream}", event.TYPE, event, self.name)
        if fact is not None:
            self._fold.apply(fact)
        return at

    def do(self, action: ActionData, people: tuple[ApprovingPerson, ...]) -> None:
        for event in decide(self._fold, action, people):
            self.say(STREAM, event)


def _people(fact: dict[str, Any]) -> tuple[ApprovingPerson, ...]:
    return tuple(ApprovingPerson(person["name"], person["role"]) for person in fact["by"])


def _approvals(fact: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((person["name"], person["role"]) for person in fact["by"])


def _arm(to: Player, fact: dict[str, Any]) -> None:
    bets = tuple(
        ProgressiveStake(box=bet["box"], player=bet["player"], stake_minor=bet["stake"], bet=f"b{bet['box']}")
        for bet in fact["bets"]
    )
    total = sum(bet.stake_minor for bet in bets)
    to.at_table(ProgressiveArmed, fact, dealer=fact["dealer"], bets=bets, amount_minor=total)


def _hit(to: Player, fact: dict[str, Any]) -> None:
    to.at_table(HitDeclared, fact, hit=fact["id"], level=fact["level"], box=fact["box"])


def _late_hit(to: Player, fact: dict[str, Any]) -> None:
    fields = {"hit": fact["id"], "level": fact["level"], "box": fact["box"], "approvals": _approvals(fact)}
    to.at_table(HitDeclaredLate, fact, **fields)


def _void_round(to: Player, fact: dict[str, Any]) -> None:
    to.at_table(RoundVoided, fact, reason=fact["reason"], approvals=_approvals(fact))


def _authorise(to: Player, fact: dict[str, Any]) -> None:
    lock = to.fold.lock(fact["hit"]) if to.fold.hit(fact["hit"]) else None
    to.do(action_structs.AuthoriseHit(hit=fact["hit"], amount_minor=lock.share if lock else 0), _people(fact))


def _parameters(to: Player, fact: dict[str, Any]) -> None:
    new = fact["set"]
    action = action_structs.ChangeParameters(
        level=fact["level"],
        seed_minor=new.get("seed", UNSET),
        feed_millionths=_micro(new["feed"]) if "feed" in new else UNSET,
        reserve_millionths=_micro(new["reserve_rate"]) if "reserve_rate" in new else UNSET,
        cap_minor=new.get("cap", UNSET),
    )
    to.do(action, _people(fact))


_PLAY: dict[str, Callable[[Player, dict[str, Any]], None]] = {
    "arm": _arm,
    "hit": _hit,
    "late_hit": _late_hit,
    "dealt": lambda to, fact: to.at_table(DealCompleted, fact),
    "over": lambda to, fact: to.at_table(RoundEnded, fact),
    "void_round": _void_round,
    "authorise": _authorise,
    "pay": lambda to, fact: to.do(action_structs.PayJackpot(hit=fact["hit"], gaming_day=DAY), CAGE),
    "void": lambda to, fact: to.do(action_structs.VoidHit(hit=fact["hit"], reason=fact["reason"]), _people(fact)),
    "parameters": _parameters,
    "adjust": lambda to, fact: to.do(
        action_structs.AdjustMeter(level=fact["level"], amount_minor=fact["amount"], reason=fact["reason"]),
        _people(fact),
    ),
}
