"""Random gaming days with many voucher bets at a roulette table, and corrections of their settlements."""

import json
from collections.abc import Iterable, Iterator
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
            profit = self.random.choice((-stake, stake))
            data = {"bet": event.data.bet, "settled_in": event.data.round, "amount_minor": stake, "reason": "seen"}
            day = event.subject.rpartition("/")[2]
            self.do("tables", TABLE, "paul", "settlement.correct", day, profit_minor=profit, **data)

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


def corrected_losses(lines: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield the vouchers in each corrected loss, as recorded and by the tender of the bet in its round.

    Bets that were changed on the layout are left out: of those only a part may be a voucher.
    """
    placed: dict[tuple[str, int, str], str] = {}
    for line in lines:
        event = json.loads(line)
        data = event["data"]
        bet = event["subject"], data.get("round", 0), data.get("bet", "")
        if event["type"] == "bet.placed.v1":
            placed[bet] = data.get("tender", "")
        elif event["type"] in ("bet.corrected.v1", "bet.restaked.v1"):
            placed.pop(bet, None)
        elif event["type"] == "settlement.corrected.v1" and bet in placed:
            is_voucher = placed[bet] == "promotional"
            yield data.get("vouchers_minor", 0), max(0, -data["profit_minor"]) * is_voucher


def _is_of_vouchers(settlement: BetSettled) -> bool:
    return settlement.table == TABLE and settlement.bet in "abc"
