"""The demo's roulette tables: recorded numbers, one after another."""

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

from tools.demo.demo_house_setup import GAMING_DAY, TablePlan
from tools.demo.http_terminal import DemoTerminal
from tools.demo.invented_players import roulette_bets
from tools.demo.table_base_class import DemoTable, settled_in

WHEEL = Path(__file__).parent / "data" / "online_wheel.csv"


@cache
def recorded_spins() -> tuple[int, ...]:
    """The recorded numbers, oldest first (source: data/README.md)."""
    with WHEEL.open(newline="") as file:
        return tuple(int(row["number"]) for row in csv.DictReader(file))


class RouletteTable(DemoTable):
    """Players bet, the ball runs, the recorded number falls. `start` is where in the recording the night begins."""

    game = "roulette"
    round_seconds = 105
    paying_seconds = 30  # of them

    def __init__(
        self,
        plan: TablePlan,
        terminal: DemoTerminal,
        seed: int | str,
        hours: float,
        start: int,
        gaming_day: str = GAMING_DAY,
    ) -> None:
        super().__init__(plan, terminal, seed, hours, gaming_day)
        self.spin = start
        self.wheel: Literal["cw", "ccw"] = "cw"

    def play_round(self) -> Iterator[None]:
        """Play one spin."""
        self.rounds_played += 1
        buyins = self.seat_players()
        actions = [*buyins, self.act("round.open"), *self._bets()]
        self.wheel = "ccw" if self.wheel == "cw" else "cw"
        ball = "cw" if self.wheel == "ccw" else "ccw"
        actions += [self.act("ball.launch", {"wheel": self.wheel, "ball": ball})]
        if self.random.random() < 0.01:
            actions += self._no_spin(ball)
        self.send(actions)
        self.pass_time(60)
        yield
        closed = self.act("bets.close")
        self.pass_time(15)
        number = recorded_spins()[self.spin % len(recorded_spins())]
        self.spin += 1
        landed = {"number": number, "last_coup": self._is_last()}
        events = self.send([closed, self.act("ball.land", landed)])
        self.pass_time(self.paying_seconds)
        yield
        self.send([*self.payments(settled_in(events)), self.act("round.end")])

    def _is_last(self) -> bool:
        """Return whether the table closes after this round is paid."""
        return (self.closes - self.clock).total_seconds() <= self.paying_seconds

    def _no_spin(self, ball: str) -> list[dict[str, Any]]:
        called = self.act("spin.call_off", {"reason": "a chip fell into the wheel"})
        return [called, self.act("ball.launch", {"wheel": self.wheel, "ball": ball})]

    def _bets(self) -> list[dict[str, Any]]:
        french = self.plan.ruleset == "roulette-french"
        bets = []
        for player in self.players.values():
            for number, bet in enumerate(roulette_bets(self.random, player, french), 1):
                name = f"{self.rounds_played}-{player.seat}-{number}"
                bets.append(self.act("bet.place", {**bet, "bet": name, "player": player.name, "seat": player.seat}))
        return bets
