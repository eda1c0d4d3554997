"""The demo's gaming day: every game, one clock, two shifts, forced jackpots, and the cage that pays them.

One thread plays all actions in the order of the clock. So the same seed gives the same order of events in the store,
the same meters and the same books. Faults of processes do not change that.
"""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from events.rules.chip_sums_by_denomination import worth
from events.tables.event_types.progressive import HitDeclared
from tools.demo import count_room, demo_house_setup
from tools.demo.baccarat import BaccaratTable
from tools.demo.blackjack import BlackjackTable, Forced
from tools.demo.cage import FILL, DemoCage
from tools.demo.craps import CrapsTable
from tools.demo.departing_players import Guests
from tools.demo.http_terminal import DemoTerminal, TurnedDown
from tools.demo.people_away_from_tables import ACCOUNTANT, CASHIER, SECURITY, Desks
from tools.demo.planted_mistakes import Mistakes, PlantedMistake
from tools.demo.roulette import RouletteTable, recorded_spins
from tools.demo.table_base_class import MISPAID_BY, DemoTable

_TABLES: dict[str, type[BlackjackTable] | type[BaccaratTable] | type[CrapsTable]] = {
    "blackjack": BlackjackTable,
    "baccarat": BaccaratTable,
    "craps": CrapsTable,
}
Share = Callable[[str], int | None]
SHARE_WITHIN_SECONDS = 60.0
AFTER_ANOTHER = timedelta(seconds=5)  # the deals of two tables that hit together
MISSING_CHIP = 2_500  # the closing count of one table does not find it
SHORT = {2_500: 2}  # of one fill
MISPAY_AFTER, FILL_AFTER, CREDIT_AFTER = 4, 5, 60  # rounds
HALF_AN_HOUR = timedelta(minutes=30)

# (share of the evening, tables, the dealer's card, cards by box): all of these rounds hit.
JACKPOTS: tuple[tuple[float, tuple[str, ...], str, Forced], ...] = (
    (0.20, ("BJ1",), "7H", {0: ("7D", "7H"), 1: ("7H", "7D")}),  # two Minors in one round: shared
    (0.45, ("BJ1", "BJ2"), "7S", {0: ("7S", "7S")}),  # a Major at each table, one after the other
    (0.70, ("BJ2",), "7D", {1: ("7D", "7D")}),  # the Mega
    (0.85, ("BJ2",), "7C", {0: ("7S", "7C")}),  # a Minor, alone
)


@dataclass(frozen=True)
class DayProgress:
    """Progress of the day for display."""

    share: float
    clock: str
    rounds: int
    events: int


class DemoDay:
    """A day on the floor. `share` tells a hit's locked share as the read models have it, or None."""

    mistakes = Mistakes()
    jackpots = JACKPOTS

    def __init__(
        self,
        terminal: DemoTerminal,
        seed: int | str,
        hours: float,
        share: Share,
        gaming_day: str = demo_house_setup.GAMING_DAY,
        plans: Sequence[demo_house_setup.TablePlan] = demo_house_setup.TABLES,
    ) -> None:
        self.terminal = terminal
        self.share = share
        self.hours = hours
        self.gaming_day = gaming_day
        self.opens = demo_house_setup.opens(gaming_day)
        self.tables = [_table(number, plan, terminal, seed, hours, gaming_day) for number, plan in enumerate(plans)]
        self.by_name = {table.plan.name: table for table in self.tables}
        self.coming = list(self.jackpots)
        self.desks = Desks(terminal, gaming_day)
        self.cage = DemoCage(self.desks, plans)
        self.guests = Guests(seed, self.cage)
        self.seeds_ahead = dict.fromkeys(demo_house_setup.SEEDS, 0)  # by level: deposited, and not yet used by a lock
        self.deposits = 0
        self.planted: list[PlantedMistake] = []

    def play(self) -> Iterator[DayProgress]:
        """Open, play until closing time, close and count; yields now and then."""
        self._open()
        while table := _next_of(self.tables):
            yield self._progress(table)
            together = self._jackpot_due(table) if table.running is None else []
            if together:
                self._play_together(together)
            else:
                self._play_one(table)
        self._close()
        yield self._progress(self.tables[0])

    def _open(self) -> None:
        shifts = {
            "setting": "shifts",
            "value": f"{demo_house_setup.SHIFTS[0]} 18:00, {demo_house_setup.SHIFTS[1]} 23:00",
        }
        self.desks.agreed("house", (ACCOUNTANT, SECURITY), "setting.change", shifts, self.opens)
        self.cage.open(self.opens)
        for level in demo_house_setup.SEEDS:
            self._deposit_seed(level, self.opens)
        self._open_tables()

    def _open_tables(self) -> None:
        for each in self.tables:
            each.guests = self.guests
            each.open()
            each.put_box()

    def _close(self) -> None:
        """Close the tables in the order of their clocks; then count the boxes and the cage."""
        for each in sorted(self.tables, key=lambda table: (table.clock, table.plan.name)):
            each.clock = self.now
            missing = MISSING_CHIP if each is self._at(self.mistakes.closer) else 0
            for seat in list(each.players):
                each.leave(each.players.pop(seat))
            each.close(missing, SECURITY)
            if missing:
                self.planted.append(
                    PlantedMistake("closer", each.plan.name, -missing, "a chip is missing from the tray")
                )
        self.guests.go_home(self.now)
        at = self._count()
        self._redeem(at)
        self.cage.close(at + HALF_AN_HOUR)

    def _count(self) -> datetime:
        """The count room; when that was done."""
        miscounted, name = self._at(self.mistakes.box), ""
        if miscounted is not None:
            name = miscounted.boxes[0].name
            noted = f"a counter counts a note of the box {name} twice"
            self.planted.append(PlantedMistake("counters", miscounted.plan.name, count_room.MISCOUNTED, noted))
        return count_room.count(self.desks, self.cage, self.tables, name, self.now + HALF_AN_HOUR)

    def _redeem(self, at: datetime) -> None:
        """Redeem a player's marker."""
        for player, amount in self.tables[0].markers[:1]:
            self.cage.redeem(player, amount, f"{self.tables[0].plan.name}-1", at)

    def _at(self, place: int | None) -> DemoTable | None:
        """The table of this place on the floor."""
        return None if place is None else self.tables[place]

    @property
    def now(self) -> datetime:
        """Return the latest clock of a table."""
        return max(table.clock for table in self.tables)

    # --- the order of the evening -----------------------------------------------------------------------------

    def _progress(self, table: DemoTable) -> DayProgress:
        elapsed = (table.clock - self.opens).total_seconds() / (self.hours * 3_600)
        rounds = sum(each.rounds_played for each in self.tables)
        return DayProgress(min(1.0, elapsed), table.clock.strftime("%H:%M"), rounds, self.terminal.written)

    def _play_one(self, table: DemoTable) -> None:
        """A step: rounds overlap, and a table that is ahead waits for those whose clocks are behind."""
        if table.running is None:
            self._events_of_the_night(table)
            table.change_shoe()
            table.running = table.play_round()
        elif next(table.running, False) is False:
            table.running = None
            self._pay_jackpots(table)

    def _end_rounds(self, tables: Sequence[DemoTable]) -> None:
        """Play until the rounds of these tables are over, the other tables alongside."""
        while running := [table for table in tables if table.running]:
            others = [table for table in self.tables if table not in tables]
            self._play_one(_next_of([*running, *others]) or running[0])

    def _catch_up(self, others: Sequence[DemoTable], with_: DemoTable) -> None:
        """Play the tables whose clocks are behind."""
        while (behind := _next_of(others)) and behind.clock < with_.clock:
            self._play_one(behind)

    def _events_of_the_night(self, table: DemoTable) -> None:
        """The second shift at half time; after some rounds a fill, a credit, and a mispay at one table."""
        if len(table.boxes) == 1 and table.clock >= self.opens + timedelta(hours=self.hours / 2):
            self._change_shift(table)
        if table.rounds_played == MISPAY_AFTER and table is self._at(self.mistakes.mispay):
            table.mispay_next = True
            self.planted.append(PlantedMistake("mispay", table.plan.name, -MISPAID_BY, "a dealer pays too much"))
        self._chips_go(table)

    def _chips_go(self, table: DemoTable) -> None:
        """Move chips to and from the cage."""
        if table.rounds_played == FILL_AFTER:
            self._fill(table, SHORT if table is self._at(self.mistakes.short_fill) else {})
        elif table.rounds_played == CREDIT_AFTER:
            self.cage.credit(table)

    def _change_shift(self, table: DemoTable) -> None:
        """The cage is counted with the first of them."""
        if all(len(each.boxes) == 1 for each in self.tables):
            self.cage.count(table.clock)
        table.change_shift(demo_house_setup.SHIFTS[1], SECURITY)

    def _fill(self, table: DemoTable, short: dict[int, int], chips: dict[int, int] = FILL) -> None:
        slip = self.cage.fill(table, short, chips)
        if short:
            shortage = f"of the fill {slip} two chips do not arrive"
            self.planted.append(PlantedMistake("fill", table.plan.name, -worth(short), shortage))

    # --- jackpots ---------------------------------------------------------------------------------------------

    def _jackpot_due(self, table: DemoTable) -> list[BlackjackTable]:
        """Return the tables of the next forced jackpot, when its time has come and their shoes hold the cards."""
        if not self.coming:
            return []
        at, names, up, forced = self.coming[0]
        elapsed = (table.clock - self.opens).total_seconds() / (self.hours * 3_600)
        tables = [table_named for name in names if isinstance(table_named := self.by_name[name], BlackjackTable)]
        cards = [up, *(card for two in forced.values() for card in two)]
        if table not in tables or elapsed < at:
            return []
        self._end_rounds(tables)
        if not all(self._can_force(each, forced, cards) for each in tables):
            return []
        self.coming.pop(0)
        for each in tables:
            each.force = (up, forced)
        return tables

    def _can_force(self, table: BlackjackTable, forced: Forced, cards: list[str]) -> bool:
        return len(table.players) > max(forced) and table.can_force(len(table.players), cards)

    def _play_together(self, tables: list[BlackjackTable]) -> None:
        """Rounds that overlap: a step at one table, a step at the next, and so on, each a little later."""
        _align_tables(tables)
        others = [table for table in self.tables if table not in tables]
        self._catch_up(others, tables[0])
        rounds = [table.play_round() for table in tables]
        while rounds:
            rounds = [each for each in rounds if next(each, False) is None]
            self._catch_up(others, tables[0])
        for table in tables:
            self._pay_jackpots(table)

    def _pay_jackpots(self, table: DemoTable) -> None:
        if not isinstance(table, BlackjackTable) or not table.hits:
            return
        for hit in table.hits:
            self._authorise(table, hit)
        for level, _round in dict.fromkeys((hit.level, hit.round) for hit in table.hits):
            self._fund(level, table)
        for hit in table.hits:
            paid = {"hit": hit.hit, "gaming_day": self.gaming_day, "tender": "cash"}
            self._at_progressive((CASHIER, ACCOUNTANT), "jackpot.pay", paid, table.clock)
        table.hits.clear()

    def _authorise(self, table: BlackjackTable, hit: HitDeclared) -> None:
        """Authorise a locked award by the inspector, and by surveillance where it must approve."""
        fields = {"hit": hit.hit, "amount_minor": self._locked_share(hit.hit)}
        self._at_progressive((table.plan.inspector, "s-801"), "hit.authorise", fields, table.clock)

    def _at_progressive(self, people: tuple[str, str], kind: str, data: dict[str, Any], at: datetime) -> None:
        path = f"progressives/{demo_house_setup.PROGRESSIVE}"
        self.cage.note(self.desks.agreed(path, people, kind, data, at))

    # --- the fund behind the meters (WA 455) --------------------------------------------------------------------

    def _fund(self, level: str, table: DemoTable) -> None:
        """A lock has restarted the meter with the house's seed: it was quarantined before, or it is now."""
        if not self.seeds_ahead[level]:
            self._deposit_seed(level, table.clock)
        self.seeds_ahead[level] -= 1

    def _deposit_seed(self, level: str, at: datetime) -> None:
        """The cage brings a seed, accounting agrees. The reserve's part of a seed stays in the fund on top."""
        self.deposits += 1
        self.seeds_ahead[level] += 1
        document = f"{demo_house_setup.PROGRESSIVE} fund {self.gaming_day}/{self.deposits}"
        data = {"level": level, "amount_minor": demo_house_setup.SEEDS[level], "document": document}
        self._at_progressive((CASHIER, ACCOUNTANT), "fund.deposit", data, at)

    def _locked_share(self, hit: str) -> int:
        deadline = time.monotonic() + SHARE_WITHIN_SECONDS
        while (share := self.share(hit)) is None:
            if time.monotonic() > deadline:
                raise TurnedDown(f"the hit {hit} was not locked within {SHARE_WITHIN_SECONDS:.0f} s: is the worker up?")
            time.sleep(0.05)
        return share


def _next_of(tables: Iterable[DemoTable]) -> DemoTable | None:
    """Return the running table whose clock is behind; None where all have finished."""
    playing = [table for table in tables if table.running or not table.finished()]
    return min(playing, key=lambda table: (table.clock, table.plan.name), default=None)


def _table(
    number: int,
    plan: demo_house_setup.TablePlan,
    terminal: DemoTerminal,
    seed: int | str,
    hours: float,
    gaming_day: str,
) -> DemoTable:
    if plan.game != "roulette":
        return _TABLES[plan.game](plan, terminal, seed, hours, gaming_day)
    start = int.from_bytes(hashlib.sha256(f"{seed}/{number}".encode()).digest()[:4]) % len(recorded_spins())
    return RouletteTable(plan, terminal, seed, hours, start, gaming_day)


def _align_tables(tables: list[BlackjackTable]) -> None:
    """Change the shoes that need it, then align the clocks of the tables with the order of their requests."""
    for table in tables:
        table.change_shoe()
    latest = max(table.clock for table in tables)
    for index, table in enumerate(tables):
        table.clock = latest + index * AFTER_ANOTHER
