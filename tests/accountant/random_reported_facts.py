"""Random gaming days with many reported facts, for any state of a table, the cage or a box."""

from typing import Any

from tests.accountant.random_gaming_days import PLAYS, RandomFloor
from tests.accountant.random_jackpot_events import DAYS


class ReportedFactsFloor(RandomFloor):
    """Random days, some of whose facts fit no state."""

    def step(self) -> None:
        """Something happens, or is reported."""
        if self.random.random() < 0.6:
            super().step()
            return
        self.random.choice((self._at_table, self._at_table, self._of_money, self._of_boxes, self._in_cage))()

    def fact(self, table: str, kind: str, /, **data: Any) -> Any:
        return self.lead(table, kind, _intent="fact", **data)

    def _at_table(self) -> None:
        """A part of a round, out of turn."""
        table = self.random.choice((*PLAYS,))
        if (state := self.state(table)) is None:
            return
        bet = self.random.choice([*state.bets, *state.returned, "nobody's"])
        closer = {"1": max(0, state.float_minor + self.off())}
        later = [day for day in DAYS if day > state.gaming_day]
        self.number += 1
        steps: list[tuple[str, dict[str, Any]]] = [
            ("round.open", {}),
            ("round.end", {}),
            ("bets.close", {}),
            ("deal.complete", {}),
            ("payment.make", {"bet": bet, "amount_minor": self.random.choice((500, 1_000, -300))}),
            ("payment.make", {"bet": bet, "amount_minor": 700, "won_in": max(1, state.round - 1)}),
            ("bet.withdraw", {"bet": bet}),
            ("ball.land", {"number": self.random.randrange(37)}),
            ("dice.roll", {"dice": [3, self.random.randint(1, 6)]}),
            ("card.deal", {"to": "dealer", "card": "9C"}),
            *([("session.close", {"closer": closer})] if self.random.random() < 0.3 else []),
            *([("session.roll", {"gaming_day": later[0], "closer": closer})] if later and self.number % 5 == 0 else []),
        ]
        kind, data = self.random.choice(steps)
        self.fact(table, kind, **data)

    def _of_money(self) -> None:
        """Report money at any tables, closed ones too, and of any days."""
        table, kind = self.table(), self.random.choice(("fill", "credit"))
        slip = self.random.choice(self.slips)[1] if self.slips else 1
        chips = self.random.choice(({}, {"500": self.random.randint(1, 9)}))
        steps: list[tuple[str, dict[str, Any]]] = [
            ("fill.receive" if kind == "fill" else "credit.send", {"slip": slip, "chips": chips}),
            ("buyin.make", {"seat": 1, "player": "Ann", "amount_minor": 2_500}),
            ("chips.exchange", {"chips_out": {"500": 1}, "chips_in": {"100": self.random.choice((4, 5))}}),
            ("shift.count", {"chips": {"500": 3_000}, "witness": "sid", "next_shift": "day"}),
        ]
        step, data = self.random.choice(steps)
        self.fact(table, step, **data)

    def _of_boxes(self) -> None:
        """Put, remove or count boxes in an impossible order: one over another, one twice, or one that was never put."""
        table = self.table()
        if (state := self.state(table)) is None:
            return
        self.number += 1
        known = [box for of, _, box in self.boxes if of == table][-3:]
        box = self.random.choice([*known, f"w{self.number}"])
        if self.random.random() < 0.3 and state.has_boxes and box != state.box:
            day, about = state.gaming_day, {"table": table, "drop_box": box, "cash": {"100": 25}}
            self.do("days", "", "cora", "count.enter", day, _intent="fact", **about)
            self.do("days", "", "carl", "count.verify", day, _intent="fact", **about)
        elif self.random.random() < 0.5:
            self.fact(table, "drop.put", drop_box=box)
        else:
            box = self.random.choice([state.box, *state.hanging]) if state.box is not None else box
            self.fact(table, "drop.remove", drop_box=box, witness="sid")
            self.boxes.append((table, state.gaming_day, box))

    def _in_cage(self) -> None:
        self.number += 1
        chips = {"500": self.random.randint(1, 9)}
        slip = self.random.choice(self.slips)[1] if self.slips else 1
        steps: list[tuple[str, dict[str, Any]]] = [
            ("cage.cash_out", {"chips": chips, "player": "Ann"}),
            ("cage.cash_in", {"chips": chips, "player": "Ann"}),
            ("marker.redeem", {"marker": f"m{self.number}", "player": "Ann", "amount_minor": 500}),
            ("credit.receive", {"slip": self.random.choice((slip, 99)), "chips": chips}),
            ("cage.count", {"chips": chips, "cash_minor": 5_000_000}),
        ]
        step, data = self.random.choice(steps)
        self.do("cage", "", "cage", step, _intent="fact", **data)
