"""A gaming day of a history: as the demo's, but begun with the content of the last one, and without a forced jackpot.

Trays are filled when they run low and return their surplus. Mistakes are drawn from the seed. So are the players who go
home with chips, and bring them back the day after.
"""

from dataclasses import replace
from datetime import date, datetime
from random import Random

import msgspec

from events.rules.chip_sums_by_denomination import total_pieces, worth
from tools.demo import demo_house_setup
from tools.demo.cage import FILL
from tools.demo.gaming_day_play import SHORT, DemoDay, Share
from tools.demo.history.state_between_gaming_days import HistoryPlan, HistoryState, pieces
from tools.demo.http_terminal import DemoTerminal
from tools.demo.planted_mistakes import Mistakes
from tools.demo.table_base_class import DemoTable, in_chips

STAKES, PURSE = 5, 0.6  # times the demo's: two hours have the drop of an evening
WEEK = (0.8, 0.8, 0.8, 0.9, 1.3, 1.5, 0.9)  # of an evening's hours, Monday first
LOW, HIGH = 0.75, 1.25  # of the float that a table has by its plan
OFTEN = {"mispay": 0.10, "short_fill": 0.05, "closer": 0.05, "box": 0.15}  # a day
FLOATS = {plan_.name: worth(plan_.opener) for plan_ in demo_house_setup.TABLES}
STRANGERS = 200  # a table has fewer players a day than that: regulars come once a week


class HistoryDay(DemoDay):
    """Day of `plan` that follows a state."""

    jackpots = ()

    def __init__(
        self, terminal: DemoTerminal, plan: HistoryPlan, gaming_day: str, state: HistoryState, share: Share
    ) -> None:
        when = date.fromisoformat(gaming_day)
        drawn = f"{plan.seed}/{gaming_day}"
        self.state = state
        plans = _plans(plan, when, state)
        self.mistakes = _mistakes(Random(f"{drawn}/mistakes"), len(plans))  # noqa: S311 - a game, not secrets
        super().__init__(terminal, drawn, plan.hours * WEEK[when.weekday()], share, gaming_day, plans)
        self.guests.walking = [(name, chips, "") for name, chips in state.walking]
        for place, table in enumerate(self.tables):
            table.in_tray, table.purse = in_tray, PURSE
            table.seen_players = 10_000 * (place + 1) + STRANGERS * (when.toordinal() % 7)
        if state.days:
            self.cage.chips, self.cage.cash, self.cage.marker = dict(state.chips), state.cash, state.marker
            self.seeds_ahead = dict(state.seeds_ahead)

    def leaves(self) -> HistoryState:
        """Return the state for the next day, without the store's position and the clock."""
        return msgspec.structs.replace(
            self.state,
            days=self.state.days + 1,
            gaming_day=self.gaming_day,
            trays={table.plan.name: table.closer for table in self.tables},
            chips=pieces(self.cage.chips),
            cash=self.cage.cash,
            marker=self.cage.marker,
            walking=self.guests.gone_home,
            seeds_ahead=self.seeds_ahead,
            rounds=self.state.rounds + sum(table.rounds_played for table in self.tables),
        )

    def _open(self) -> None:
        if not self.state.days:
            return super()._open()
        self.cage.open_again(self.opens)
        self._open_tables()
        return None

    def _chips_go(self, table: DemoTable) -> None:
        wanted_chips = FLOATS[table.plan.name]
        if table.float_minor < LOW * wanted_chips:
            chips = self._spare(wanted_chips - table.float_minor)
            self._fill(table, self._lost(table, chips), chips)
        elif table.float_minor > HIGH * wanted_chips:
            surplus = in_chips(table.float_minor - wanted_chips)
            self.cage.credit(table, {int(denomination): count for denomination, count in surplus.items()})

    def _spare(self, amount: int) -> dict[int, int]:
        """Chips of about this amount, the largest first, never more than half of the cage's of a kind."""
        chips: dict[int, int] = {}
        for denomination in sorted(self.cage.chips, reverse=True):
            count = min(self.cage.chips[denomination] // 2, amount // denomination)
            chips[denomination], amount = count, amount - count * denomination
        return pieces(chips) or FILL

    def _lost(self, table: DemoTable, chips: dict[int, int]) -> dict[int, int]:
        """Return the part of a fill that does not arrive: once a night, by the seed."""
        if table is not self._at(self.mistakes.short_fill) or any(
            chips.get(denomination, 0) < count for denomination, count in SHORT.items()
        ):
            return {}
        self.mistakes = replace(self.mistakes, short_fill=None)
        return SHORT

    def _redeem(self, at: datetime) -> None:
        """Redeem the markers of players before they go home."""
        for table in self.tables:
            for number, (player, amount) in enumerate(table.markers, start=1):
                self.cage.redeem(player, amount, f"{table.plan.name}-{self.gaming_day}-{number}", at)


def _plans(plan: HistoryPlan, when: date, state: HistoryState) -> list[demo_house_setup.TablePlan]:
    """Return the tables at the beginning of the day: with the last counted trays, and rotated dealers."""
    tables = [table_plan for table_plan in demo_house_setup.TABLES if not plan.tables or table_plan.name in plan.tables]
    dealers = [table_plan.dealer for table_plan in demo_house_setup.TABLES]
    return [
        replace(
            table_plan,
            opener=state.trays.get(table_plan.name, table_plan.opener),
            minimum=STAKES * table_plan.minimum,
            maxima={name: STAKES * most for name, most in table_plan.maxima.items()},
            dealer=dealers[(place + when.toordinal()) % len(dealers)],
        )
        for place, table_plan in enumerate(tables)
    ]


def in_tray(amount: int) -> dict[str, int]:
    """Return an amount as pieces of a tray: small chips as needed, the rest in the fewest."""
    small: dict[int, int] = {}
    for denomination, count in demo_house_setup.FLOAT.items():
        small[denomination] = min(count, (amount - worth(small)) // (2 * denomination))
    rest = {int(denomination): count for denomination, count in in_chips(amount - worth(small)).items()}
    return {str(denomination): count for denomination, count in total_pieces(small, rest).items()}


def _mistakes(random: Random, tables: int) -> Mistakes:
    """Return the mistakes of the night, and their tables."""
    return Mistakes(
        **{name: random.randrange(tables) if random.random() < often else None for name, often in OFTEN.items()}
    )
