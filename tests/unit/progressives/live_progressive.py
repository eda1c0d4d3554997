"""One live progressive for the tests: its opening, its tables' events, and a store that is a list."""

from typing import Any

from events.envelope import ActionData, EventData
from events.errors import Refused
from events.progressives import action_structs, event_types
from events.progressives.decider import decide, due_locks
from events.progressives.event_to_fact_mapping import MICRO, fact_of, opening_of
from events.progressives.fact_structs import ApprovingPerson, People
from events.progressives.fold import Fold
from events.tables.event_types.progressive import DealCompleted, HitDeclared, ProgressiveArmed, ProgressiveStake
from events.tables.event_types.rounds import RoundEnded
from events.tables.event_types.session import TableEvent

INES, BORIS = ApprovingPerson("ines", "inspector"), ApprovingPerson("boris", "pit boss")
SOFIA, PETRA = ApprovingPerson("sofia", "surveillance"), ApprovingPerson("petra", "progressive manager")
ADA, CARL = ApprovingPerson("ada", "accountant"), ApprovingPerson("carl", "cage")
BOTH = (INES, SOFIA)
DAY = "2026-11-21"


def levels(**changes: Any) -> tuple[event_types.LevelOpened, ...]:
    """Mega, Major and Minor feed 16.5 % of a stake, 1 % more goes to the Mega's reserve."""
    mega = {"level": "mega", "seed_minor": 2_500_000, "meter_micro": 5_000_000 * MICRO, "feed_millionths": 100_000}
    major = {"level": "major", "seed_minor": 500_000, "meter_micro": 800_000 * MICRO, "feed_millionths": 40_000}
    minor = {"level": "minor", "seed_minor": 50_000, "meter_micro": 120_000 * MICRO, "feed_millionths": 25_000}
    mega |= {"reserve_millionths": 10_000} | changes
    plain: dict[str, Any] = {"reserve_micro": 0, "reserve_millionths": 0}
    return tuple(event_types.LevelOpened(**{**plain, **level}) for level in (mega, major, minor))


def opening(**changes: Any) -> action_structs.OpenProgressive:
    """The action that opens it."""
    usual: dict[str, Any] = {
        "progressive": "blazing",
        "ruleset": "blazing7s",
        "levels": levels(),
        "stakes_minor": (500, 1000),
        "envy_minor": {"mega": (50_000, 100_000), "major": (12_500, 25_000), "minor": (2_500, 5_000)},
        "surveillance_over_minor": 1_000_000,
        "withhold_millionths": 175_000,
    }
    return action_structs.OpenProgressive(**(usual | changes))


class LiveProgressive:
    """Appends events at rising positions and lets the fold read each of them back."""

    def __init__(self, by: People = (PETRA, ADA), **changes: Any) -> None:
        self.log: list[tuple[int, str, EventData]] = []
        self.refused: list[tuple[int, Refused]] = []
        (opened,) = decide(None, opening(**changes), by)
        assert isinstance(opened, event_types.ProgressiveOpened)
        self.log.append((1, "athens/progressives/blazing", opened))
        self.fold = Fold.opened(1, opening_of(opened))

    def append(self, stream: str, events: list[Any]) -> None:
        for event in events:
            at = self.log[-1][0] + 1
            self.log.append((at, stream, event))
            fact = fact_of(at, stream, event.TYPE, event, "blazing")
            self.refused += self.fold.take([fact]) if fact else []

    def do(self, data: ActionData, *by: ApprovingPerson) -> list[EventData]:
        """An action of people; the events it made."""
        events = decide(self.fold, data, by)
        self.append("athens/progressives/blazing", events)
        return events

    def reconcile(self) -> list[Any]:
        """Append the due awards as the worker does, and return their events."""
        events = due_locks(self.fold)
        self.append("athens/progressives/blazing", events)
        return events

    def table(self, kind: type[TableEvent], table: str, number: int, dealer: str = "dora", **data: Any) -> None:
        """An event of a table's stream."""
        where: dict[str, Any] = {"pit": "P1", "table": table, "gaming_day": DAY, "shift": "day", "ruleset": "bj"}
        where |= {"round": number, "dealer": dealer, "progressive": "blazing"}
        event = kind(**where, **data)
        self.append(f"athens/tables/{table}/{DAY}", [event])

    def arm(self, table: str, number: int, *bets: tuple[int, str, int], dealer: str = "dora") -> None:
        stakes = tuple(ProgressiveStake(box=b, player=who, stake_minor=s, bet=f"b{b}") for b, who, s in bets)
        total = sum(stake for _, _, stake in bets)
        self.table(ProgressiveArmed, table, number, dealer, bets=stakes, amount_minor=total)

    def hit(self, table: str, number: int, box: int, hit: str, level: str = "mega") -> None:
        self.table(HitDeclared, table, number, box=box, hit=hit, level=level)

    def dealt(self, table: str, number: int) -> None:
        self.table(DealCompleted, table, number)

    def over(self, table: str, number: int) -> None:
        self.table(RoundEnded, table, number)

    def winners(self, table: str, number: int, *hits: str) -> None:
        """A round with three bets, in which these boxes 1, 2, 3 win the Mega, dealt and over."""
        self.arm(table, number, (1, "ann", 500), (2, "bob", 1000), (3, "cy", 500))
        for box, hit in enumerate(hits, 1):
            self.hit(table, number, box, hit)
        self.dealt(table, number)
        self.over(table, number)

    def approve(self, hit: str) -> list[EventData]:
        lock = self.fold.lock(hit)
        assert lock
        return self.do(action_structs.AuthoriseHit(hit=hit, amount_minor=lock.share), *BOTH)

    def pay(self, hit: str) -> list[EventData]:
        return self.do(action_structs.PayJackpot(hit=hit, gaming_day=DAY), CARL)
