"""The demo's cage: chips and cash, slips for the tables' requests, players who change chips. It opens, counts and
closes.

It keeps its own account of its content from its movements. Each count compares the house's expected amount with that.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from events.controls.slip_issued_event import SlipIssued
from events.envelope import AnyEnvelope
from events.progressives.event_types import EnvyPaid, FundDeposited, JackpotPaid
from events.rules.chip_sums_by_denomination import taken_away, total_pieces, worth
from tools.demo import demo_house_setup
from tools.demo.people_away_from_tables import ACCOUNTANT, CASHIER, SECURITY, Desks
from tools.demo.table_base_class import DemoTable, in_chips

ISSUED = {1: 500, 5: 500, 25: 500, 50: 2_000, 100: 8_000, 500: 20_000, 2_500: 12_000, 10_000: 3_000, 50_000: 300}
CASH = 40_000_000
FILL = {500: 200, 2_500: 80}
CREDIT = {10_000: 40}
ON_THE_WAY = timedelta(seconds=20)


class DemoCage:
    """Cage of the demo and its actions. `markers` may be redeemed, each with its player."""

    def __init__(self, desks: Desks, plans: Sequence[demo_house_setup.TablePlan] = demo_house_setup.TABLES) -> None:
        self.desks = desks
        self.plans = plans
        self.chips: dict[int, int] = {}
        self.cash, self.marker = CASH, 0
        self.cashed_out = 0

    def open(self, at: datetime) -> None:
        """Open its first day: the count opens the books, then the house's chips are brought in."""
        self._do("cage.open", {"gaming_day": self.desks.gaming_day, "chips": {}, "cash_minor": self.cash}, at)
        issued = {"chips": _by_denomination(ISSUED), "way": "brought in", "reason": "opening of the house"}
        self.desks.agreed("house", (CASHIER, ACCOUNTANT), "chips.issue", issued, at)
        self.chips = dict(ISSUED)
        for plan in self.plans:  # the first float of each table comes from here
            self.chips = taken_away(self.chips, plan.opener)

    def open_again(self, at: datetime) -> None:
        """Open any other day, with the content at the last close."""
        self._do("cage.open", {"gaming_day": self.desks.gaming_day, **self._counted()}, at)

    # --- slips --------------------------------------------------------------------------------------------------------

    def fill(self, table: DemoTable, short: dict[int, int] | None = None, chips: dict[int, int] = FILL) -> int:
        """Send chips to a table by a slip, and return its number. `short`: missing chips when they are counted
        there.
        """
        slip = self._issue(table, "fill", chips)
        self.chips = taken_away(self.chips, chips)
        table.receive(slip, taken_away(chips, short or {}))
        return slip

    def credit(self, table: DemoTable, chips: dict[int, int] = CREDIT) -> int:
        """Chips from a table, by a slip. Its number."""
        slip = self._issue(table, "credit", chips)
        table.send_back(slip, chips)
        self._do("credit.receive", {"slip": slip, "chips": _by_denomination(chips)}, table.clock + ON_THE_WAY)
        self.chips = total_pieces(self.chips, chips)
        return slip

    def _issue(self, table: DemoTable, kind: str, chips: dict[int, int]) -> int:
        request = table.ask(f"{kind}.request", chips)
        issued = self._do("slip.issue", {"request": request, "runner": SECURITY}, table.clock)
        table.pass_time(int(ON_THE_WAY.total_seconds()))
        return next(event.data.slip for event in issued if isinstance(event.data, SlipIssued))

    # --- the window ---------------------------------------------------------------------------------------------------

    def cash_out(self, player: str, amount: int, at: datetime) -> None:
        """Pay cash for a player's chips."""
        chips = {int(denomination): count for denomination, count in in_chips(amount).items()}
        self._do("cage.cash_out", {"chips": _by_denomination(chips), "player": player}, at)
        self.chips, self.cash = total_pieces(self.chips, chips), self.cash - amount
        self.cashed_out += amount

    def redeem(self, player: str, amount: int, number: str, at: datetime) -> None:
        """A marker goes back to its player for cash."""
        self._do("marker.redeem", {"marker": number, "player": player, "amount_minor": amount}, at)
        self.cash, self.marker = self.cash + amount, self.marker - amount

    def note(self, events: list[AnyEnvelope]) -> None:
        """Deduct jackpots, envy and deposits into funds, which are paid from here."""
        for event in events:
            if isinstance(event.data, FundDeposited):
                self.cash -= event.data.amount_minor
            elif isinstance(event.data, JackpotPaid | EnvyPaid) and event.data.tender == "cash":
                self.cash -= event.data.net_minor

    def take(self, cash: int, marker: int) -> None:
        """Take the count room's money from a box."""
        self.cash, self.marker = self.cash + cash, self.marker + marker

    # --- counts -------------------------------------------------------------------------------------------------------

    def count(self, at: datetime) -> None:
        """Count the cage during the day."""
        self._do("cage.count", self._counted(), at)

    def close(self, at: datetime) -> None:
        """Close the cage for the day."""
        self._do("cage.close", self._counted(), at)

    def _counted(self) -> dict[str, Any]:
        return {
            "chips": _by_denomination(self.chips),
            "cash_minor": self.cash,
            "marker_minor": self.marker,
            "witness": SECURITY,
        }

    def _do(self, kind: str, data: dict[str, Any], at: datetime) -> list[AnyEnvelope]:
        return self.desks.do("cage", CASHIER, kind, data, at)


def _by_denomination(chips: dict[int, int]) -> dict[str, int]:
    assert worth(chips) >= 0
    return {str(denomination): count for denomination, count in chips.items()}
