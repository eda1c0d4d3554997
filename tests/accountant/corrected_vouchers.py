"""Random gaming days with many voucher bets at a roulette table, and corrections of their settlements."""

from typing import Any

from events.tables.event_types.rounds import BetSettled
from tests.accountant.random_gaming_days import RandomFloor

TABLE = "FR1"


class CorrectedVouchers(RandomFloor):
    """Random days. Half of the steps play a round with vouchers, correct a settlement, or count a box with too many
    vouchers. A name of a bet comes again in later rounds."""

    def step(self) -> None:
        """Act as `RandomFloor` does, or about vouchers."""
        ways = {super().step: 2, self._play_round: 3, self._correct_settlement: 2, self._count: 1}
        self.random.choices([*ways], [*ways.values()])[0]()

    def _play_round(self) -> None:
        self._until_idle(TABLE)
        self.lead(TABLE, "round.open")
        for name in self.random.sample("abc", k=2):
            tender = {"tender": "promotional"} if self.random.random() < 0.7 else {}
            about: dict[str, Any] = {"player": "Ann", "seat": 1, **tender}
            self.lead(TABLE, "bet.place", bet=name, wager="red", amount_minor=1_000, **about)
        self._until_idle(TABLE)

    def _correct_settlement(self) -> None:
        settlements = [event for event in self.decided if _is_of_vouchers(event.data)]
        if settlements:
            event = self.random.choice(settlements)
            stake = self.random.choice((0, 500, 3_000))
            data = {"bet": event.data.bet, "settled_in": event.data.round, "amount_minor": stake, "reason": "seen"}
            day = event.subject.rpartition("/")[2]
            self.do("tables", TABLE, "paul", "settlement.correct", day, profit_minor=-stake, **data)

    def _count(self) -> None:
        """Remove the box, count it with more vouchers than it may hold, and put another."""
        state = self.state(TABLE)
        if state is None or state.box is None:
            self.box()
            return
        if self.lead(TABLE, "drop.remove", drop_box=state.box, witness="sid"):
            about = {"table": TABLE, "drop_box": state.box, "cash": {}, "promotional_minor": 700_000}
            self.do("days", "", "cora", "count.enter", state.gaming_day, **about)
            self.do("days", "", "carl", "count.verify", state.gaming_day, **about)
            self.number += 1
            self.lead(TABLE, "drop.put", drop_box=f"x{self.number}")


def _is_of_vouchers(settlement: BetSettled) -> bool:
    return settlement.table == TABLE and settlement.bet in "abc"
