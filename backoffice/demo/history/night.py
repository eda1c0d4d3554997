"""A gaming day of a history: as the demo's, but begun with what the last one left, and never with a forced jackpot.

Trays are filled when they run low and give back what they have too much; what goes wrong is drawn from the seed, and
so is who goes home with chips, and comes back with them the day after.
"""

from dataclasses import replace
from datetime import date, datetime
from random import Random

import msgspec

from backoffice.demo import house
from backoffice.demo.cage import FILL
from backoffice.demo.day import SHORT, Day, Share
from backoffice.demo.history.kept import Kept, Plan, pieces
from backoffice.demo.planted import Mistakes
from backoffice.demo.table import DemoTable, in_chips
from backoffice.demo.terminal import Terminal
from events.chips import added, worth

STAKES, PURSE = 5, 0.6  # times the demo's: two hours have the drop of an evening
WEEK = (0.8, 0.8, 0.8, 0.9, 1.3, 1.5, 0.9)  # of an evening's hours, Monday first
LOW, HIGH = 0.75, 1.25  # of the float that a table has by its plan
OFTEN = {"mispay": 0.10, "short_fill": 0.05, "closer": 0.05, "box": 0.15}  # a day
FLOATS = {one.name: worth(one.opener) for one in house.TABLES}
STRANGERS = 200  # a table has fewer players a day than that: regulars come once a week


class Night(Day):
    """One day of `plan` behind what was `kept`."""

    jackpots = ()

    def __init__(self, terminal: Terminal, plan: Plan, gaming_day: str, kept: Kept, share: Share) -> None:
        when = date.fromisoformat(gaming_day)
        drawn = f"{plan.seed}/{gaming_day}"
        self.kept = kept
        plans = _plans(plan, when, kept)
        self.mistakes = _mistakes(Random(f"{drawn}/mistakes"), len(plans))  # noqa: S311 - a game, not secrets
        super().__init__(terminal, drawn, plan.hours * WEEK[when.weekday()], share, gaming_day, plans)
        self.guests.walking = [(name, chips, "") for name, chips in kept.walking]
        for place, table in enumerate(self.tables):
            table.in_tray, table.purse = in_tray, PURSE
            table.seen_players = 10_000 * (place + 1) + STRANGERS * (when.toordinal() % 7)
        if kept.days:
            self.cage.chips, self.cage.cash, self.cage.marker = dict(kept.chips), kept.cash, kept.marker
            self.seeds_ahead = dict(kept.seeds_ahead)

    def leaves(self) -> Kept:
        """What the next day begins with; where the store and the clock stand is not known here."""
        return msgspec.structs.replace(
            self.kept,
            days=self.kept.days + 1,
            gaming_day=self.gaming_day,
            trays={table.plan.name: table.closer for table in self.tables},
            chips=pieces(self.cage.chips),
            cash=self.cage.cash,
            marker=self.cage.marker,
            walking=self.guests.kept,
            seeds_ahead=self.seeds_ahead,
            rounds=self.kept.rounds + sum(table.rounds_played for table in self.tables),
        )

    def _open(self) -> None:
        if not self.kept.days:
            return super()._open()
        self.cage.open_again(self.opens)
        self._open_tables()
        return None

    def _chips_go(self, table: DemoTable) -> None:
        wanted = FLOATS[table.plan.name]
        if table.float_minor < LOW * wanted:
            chips = self._spare(wanted - table.float_minor)
            self._fill(table, self._lost(table, chips), chips)
        elif table.float_minor > HIGH * wanted:
            surplus = in_chips(table.float_minor - wanted)
            self.cage.credit(table, {int(one): count for one, count in surplus.items()})

    def _spare(self, amount: int) -> dict[int, int]:
        """Chips of about this amount, the largest first, never more than half of the cage's of a kind."""
        found: dict[int, int] = {}
        for one in sorted(self.cage.chips, reverse=True):
            count = min(self.cage.chips[one] // 2, amount // one)
            found[one], amount = count, amount - count * one
        return pieces(found) or FILL

    def _lost(self, table: DemoTable, chips: dict[int, int]) -> dict[int, int]:
        """What of a fill does not arrive: once a night, where the seed says so."""
        if table is not self._at(self.mistakes.short_fill) or any(
            chips.get(one, 0) < count for one, count in SHORT.items()
        ):
            return {}
        self.mistakes = replace(self.mistakes, short_fill=None)
        return SHORT

    def _redeem(self, at: datetime) -> None:
        """Whoever owes something has it back before he goes home."""
        for table in self.tables:
            for number, (player, amount) in enumerate(table.markers, start=1):
                self.cage.redeem(player, amount, f"{table.plan.name}-{self.gaming_day}-{number}", at)


def _plans(plan: Plan, when: date, kept: Kept) -> list[house.TablePlan]:
    """The tables as they begin the day: with the tray that was counted last, and dealers that change places."""
    tables = [one for one in house.TABLES if not plan.tables or one.name in plan.tables]
    dealers = [one.dealer for one in house.TABLES]
    return [
        replace(
            one,
            opener=kept.trays.get(one.name, one.opener),
            minimum=STAKES * one.minimum,
            maxima={name: STAKES * most for name, most in one.maxima.items()},
            dealer=dealers[(place + when.toordinal()) % len(dealers)],
        )
        for place, one in enumerate(tables)
    ]


def in_tray(amount: int) -> dict[str, int]:
    """An amount as it lies in a tray: of the small chips what belongs there, the rest in the fewest."""
    small: dict[int, int] = {}
    for one, count in house.FLOAT.items():
        small[one] = min(count, (amount - worth(small)) // (2 * one))
    rest = {int(one): count for one, count in in_chips(amount - worth(small)).items()}
    return {str(one): count for one, count in added(small, rest).items()}


def _mistakes(random: Random, tables: int) -> Mistakes:
    """What goes wrong tonight, and at which table."""
    return Mistakes(
        **{name: random.randrange(tables) if random.random() < often else None for name, often in OFTEN.items()}
    )
