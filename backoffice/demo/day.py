"""The demo's gaming day: every game, one clock, jackpots that are forced into it, and the cage that pays them.

One thread plays everything in the order of the clock, so that the same seed gives the same order of events in the
store, and with it the same meters and the same books, whatever happens to the processes meanwhile.
"""

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from backoffice.demo import house
from backoffice.demo.baccarat import BaccaratTable
from backoffice.demo.blackjack import BlackjackTable, Forced
from backoffice.demo.craps import CrapsTable
from backoffice.demo.roulette import RouletteTable, recorded_spins
from backoffice.demo.table import OPENS, DemoTable
from backoffice.demo.terminal import Terminal, TurnedDown
from events import approvals
from events.tables.types.progressive import HitDeclared

_TABLES: dict[str, type[BlackjackTable] | type[BaccaratTable] | type[CrapsTable]] = {
    "blackjack": BlackjackTable,
    "baccarat": BaccaratTable,
    "craps": CrapsTable,
}
Share = Callable[[str], int | None]
SHARE_WITHIN_SECONDS = 60.0
MISSING_CHIP = 2_500  # the closing count of one table does not find it

# (share of the evening, tables, the dealer's card, cards by box): all of these rounds hit.
JACKPOTS: tuple[tuple[float, tuple[str, ...], str, Forced], ...] = (
    (0.20, ("BJ1",), "7H", {0: ("7D", "7H"), 1: ("7H", "7D")}),  # two Minors in one round: shared
    (0.45, ("BJ1", "BJ2"), "7S", {0: ("7S", "7S")}),  # a Major at each table, one after the other
    (0.70, ("BJ2",), "7D", {1: ("7D", "7D")}),  # the Mega
    (0.85, ("BJ2",), "7C", {0: ("7S", "7C")}),  # a Minor, alone
)


@dataclass(frozen=True)
class Progress:
    """How far the day is, for whoever shows it."""

    share: float
    clock: str
    rounds: int
    events: int


class Day:
    """A day on the floor. `share` tells a hit's locked share as the read models have it, or None."""

    def __init__(self, terminal: Terminal, seed: int, hours: float, share: Share) -> None:
        self.terminal = terminal
        self.share = share
        self.hours = hours
        self.tables: list[DemoTable] = []
        spins = len(recorded_spins())
        for number, plan in enumerate(house.TABLES):
            if plan.game == "roulette":
                start = int.from_bytes(hashlib.sha256(f"{seed}/{number}".encode()).digest()[:4]) % spins
                self.tables.append(RouletteTable(plan, terminal, seed, hours, start))
            else:
                self.tables.append(_TABLES[plan.game](plan, terminal, seed, hours))
        self.by_name = {table.plan.name: table for table in self.tables}
        self.coming = list(JACKPOTS)
        self.desk_actions = 0
        self.seeds_ahead = dict.fromkeys(house.SEEDS, 0)  # by level: deposited, and not yet used by a lock
        self.deposits = 0

    def play(self) -> Iterator[Progress]:
        """Open, play until closing time, close and count; yields now and then."""
        for level in house.SEEDS:
            self._deposit_seed(level)
        for each in self.tables:
            each.open()
        while table := self._next_table():
            yield self._progress(table)
            together = self._jackpot_due(table)
            if together:
                self._play_together(together)
            else:
                self._play_one(table)
        for index, each in enumerate(self.tables):
            each.close(MISSING_CHIP if index == 1 else 0)
        yield self._progress(self.tables[0])

    # --- the order of the evening -----------------------------------------------------------------------------

    def _next_table(self) -> DemoTable | None:
        playing = [table for table in self.tables if not table.finished()]
        return min(playing, key=lambda table: (table.clock, table.plan.name), default=None)

    def _progress(self, table: DemoTable) -> Progress:
        gone = (table.clock - OPENS).total_seconds() / (self.hours * 3_600)
        rounds = sum(each.rounds_played for each in self.tables)
        return Progress(min(1.0, gone), table.clock.strftime("%H:%M"), rounds, self.terminal.written)

    def _play_one(self, table: DemoTable) -> None:
        self._events_of_the_night(table)
        for _ in table.play_round():
            pass
        self._pay_jackpots(table)

    def _events_of_the_night(self, table: DemoTable) -> None:
        """A fill at the thirtieth round, a credit at the sixtieth, one mispay at one table."""
        number = self.tables.index(table) + 1
        if table.rounds_played == 30:
            table.fill(slip=100 + number)
        elif table.rounds_played == 60:
            table.credit(slip=200 + number)
        table.mispay_next = table.rounds_played == 12 and number == 1

    # --- jackpots ---------------------------------------------------------------------------------------------

    def _jackpot_due(self, table: DemoTable) -> list[BlackjackTable]:
        """The tables of the next forced jackpot, when its time has come and their shoes hold the cards."""
        if not self.coming:
            return []
        at, names, up, forced = self.coming[0]
        gone = (table.clock - OPENS).total_seconds() / (self.hours * 3_600)
        tables = [found for name in names if isinstance(found := self.by_name[name], BlackjackTable)]
        cards = [up, *(card for two in forced.values() for card in two)]
        if table not in tables or gone < at or not all(self._can_force(each, forced, cards) for each in tables):
            return []
        self.coming.pop(0)
        for each in tables:
            each.force = (up, forced)
        return tables

    def _can_force(self, table: BlackjackTable, forced: Forced, cards: list[str]) -> bool:
        return len(table.players) > max(forced) and table.can_force(len(table.players), cards)

    def _play_together(self, tables: list[BlackjackTable]) -> None:
        """Rounds that overlap: a step at one table, a step at the next, and so on."""
        rounds = [table.play_round() for table in tables]
        while rounds:
            rounds = [each for each in rounds if next(each, False) is None]
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
            paid = {"hit": hit.hit, "gaming_day": house.GAMING_DAY, "tender": "cash"}
            self._send("c-401", self._desk("jackpot.pay", paid, table))
        table.hits.clear()

    def _authorise(self, table: BlackjackTable, hit: HitDeclared) -> None:
        """The inspector authorises what the reconciler locked, surveillance agrees where it must."""
        share = self._locked_share(hit.hit)
        wanted = self._desk("hit.authorise", {"hit": hit.hit, "amount_minor": share}, table)
        self._agreed(table.plan.inspector, wanted, "s-801", table)

    def _agreed(self, person: str, wanted: dict[str, Any], other: str, table: DemoTable | None = None) -> None:
        """Ask for something, and have the other person agree where that is needed."""
        for event in self._send(person, wanted):
            if isinstance(event.data, approvals.ApprovalRequested):
                data = {"request": event.data.request, "content": event.data.content}
                self._send(other, self._desk("approval.give", data, table))

    # --- the fund behind the meters (WA 455) --------------------------------------------------------------------

    def _fund(self, level: str, table: DemoTable) -> None:
        """A lock has restarted the meter with the house's seed: it was put aside before, or it is now."""
        if not self.seeds_ahead[level]:
            self._deposit_seed(level, table)
        self.seeds_ahead[level] -= 1

    def _deposit_seed(self, level: str, table: DemoTable | None = None) -> None:
        """The cage brings a seed, accounting agrees. The reserve's part of a seed stays in the fund on top."""
        self.deposits += 1
        self.seeds_ahead[level] += 1
        document = f"{house.PROGRESSIVE} fund {house.GAMING_DAY}/{self.deposits}"
        data = {"level": level, "amount_minor": house.SEEDS[level], "document": document}
        self._agreed("c-401", self._desk("fund.deposit", data, table), "k-601", table)

    # --- the desk -----------------------------------------------------------------------------------------------

    def _locked_share(self, hit: str) -> int:
        deadline = time.monotonic() + SHARE_WITHIN_SECONDS
        while (share := self.share(hit)) is None:
            if time.monotonic() > deadline:
                raise TurnedDown(f"the hit {hit} was not locked within {SHARE_WITHIN_SECONDS:.0f} s: is the worker up?")
            time.sleep(0.05)
        return share

    def _desk(self, kind: str, data: dict[str, Any], table: DemoTable | None = None) -> dict[str, Any]:
        """An action of the progressive, with its next key."""
        self.desk_actions += 1
        clock = (table.clock if table else OPENS).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        key = f"{house.PROGRESSIVE}:{house.GAMING_DAY}:{self.desk_actions}"
        return {"type": kind, "key": key, "intent": "ask", "time": clock, "data": data}

    def _send(self, person: str, action: dict[str, Any]) -> list[Any]:
        return self.terminal.send(f"progressives/{house.PROGRESSIVE}", person, [action])
