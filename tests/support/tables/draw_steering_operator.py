"""An operator of surveillance who steers draws by the actions of the house: period after period, through the deciders.

The operator wants the first entry of each list to be drawn first. He adds events before the head is signed, keeps
heads from the witness, and signs several before he reveals. If the result does not suit him, he commits again. He also
commits late, and leaves draws unrevealed.
"""

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from events.alerts.overdue_and_luck_event_recorder import Watchman, say_late
from events.inspection_draws.due_draw_publication import publish_due
from events.streams.problem_details import Problem
from tests.support.houses.inspection_draw_house import DrawingHouse
from tests.support.houses.small_house import PROPERTY

ENTRIES, DRAWN, WANTED = 12, 3, 1
TABLES = [{"table": "BJ1"}, {"table": "BJ2"}, {"table": "FR1"}]


class DrawnPeriod(NamedTuple):
    """A period: its last revealed draw with the entries in order (() without one), and all commitments."""

    draw: str
    drawn: Sequence[int]
    committed: Sequence[str]  # every accepted commitment, in order
    is_late: bool


class SteeringOperator:
    """Runs the periods of a house one after the other."""

    def __init__(self, house: DrawingHouse, repeats: int = 3) -> None:
        self.house = house
        self.repeats = repeats  # further commitments of a period whose result does not suit
        self.random = random.Random(1)

    def run(self, periods: int) -> list[DrawnPeriod]:
        """Steer this number of draws; return each period."""
        return [self._period(number) for number in range(periods)]

    def _period(self, number: int) -> DrawnPeriod:
        name = f"p{number}"
        withholds, is_late = number % 10 == 3, number % 10 == 7
        committed = [name] if self._commit(name, is_late=is_late) else []
        self._commit(name, is_late=is_late)  # under the same name: a refusal
        self.house.sign()
        self.house.later(minutes=31)
        result: tuple[str, Sequence[int]] = ("", ())
        if not withholds:
            result = self._revealed(name) or result
            for repeat in range(self.repeats):
                if result[1][:1] == (WANTED,):
                    break
                again = f"{name}-{repeat}"
                committed += [again] if self._commit(again, is_late=False, lead=0) else []
                self.house.sign()
                self.house.later(minutes=11)
                result = self._revealed(again) or result
        self.house.later(hours=6)
        say_late(self.house.store, Watchman(PROPERTY))
        publish_due(self.house.store, PROPERTY)
        return DrawnPeriod(*result, committed, is_late)

    def _commit(self, name: str, *, is_late: bool, lead: int = 60) -> bool:
        """Commit a draw; a late one, and a repeated one, covers a period that has begun or is drawn already."""
        start = self._after(-60 if is_late else lead)
        terms = {
            "draw": name,
            "since": start,
            "until": self._after((-60 if is_late else lead) + 240),
            "tables": TABLES,
            "number": DRAWN,
            "draw_at": self._after(30 if lead else 10),
            "inspect_by": self._after(300),
        }
        return self._does("draw.commit", **terms)

    def _revealed(self, draw: str) -> tuple[str, Sequence[int]] | None:
        """Feed events, keep heads back from the witness, sign more of them, and reveal until it is accepted."""
        for _event in range(self.random.randrange(1, 4)):
            self.house.something_happens()
        self.house.sign(to_witness=self.random.random() < 0.5)
        for _try in range(5):
            if self._does("draw.reveal", draw=draw):
                return draw, self.house.drawn(draw)
            self.house.something_happens()
            self.house.sign()
        return None

    def _does(self, kind: str, **data: object) -> bool:
        """Send an action as the operator; False for a refusal."""
        replies = self.house.send("draws", "", "sven", self.house.action(kind, **data))
        return not any(isinstance(reply, Problem) for reply in replies)

    def _after(self, minutes: int) -> str:
        clock = self.house.store.clock
        self.house.later(minutes=minutes)
        time, self.house.store.clock = self.house.store.clock(), clock
        return time


def uniform_p(drawn: Sequence[int]) -> float:
    """Return the probability of so uneven entries, or more uneven ones, if all are equally likely (chi-square, 11)."""
    counts, expected = Counter(drawn), len(drawn) / ENTRIES
    x = sum((counts[entry] - expected) ** 2 / expected for entry in range(1, ENTRIES + 1))
    terms = [1.0]
    for odd in range(3, ENTRIES - 2, 2):
        terms.append(terms[-1] * x / odd)
    return math.erfc(math.sqrt(x / 2)) + math.exp(-x / 2) * math.sqrt(2 * x / math.pi) * sum(terms)
