"""The demo's baccarat tables: seeded shoes of eight packs, opened by burning, dealt as the table of play says."""

from collections.abc import Iterator
from typing import Any

from events.games.baccarat import rules as baccarat
from events.games.baccarat import table_procedure_and_limit_rules
from events.rules.cards import packs
from tools.demo.demo_house_setup import GAMING_DAY, TablePlan
from tools.demo.http_terminal import DemoTerminal
from tools.demo.table_base_class import DemoTable, settled_in

PACKS = 8
CUT_AT = 20  # cards left in the shoe when the cut card comes


class BaccaratTable(DemoTable):
    """Punto banco, with commission or without."""

    game = "baccarat"
    round_seconds = 60
    arrivals = 0.05

    def __init__(
        self, plan: TablePlan, terminal: DemoTerminal, seed: int | str, hours: float, gaming_day: str = GAMING_DAY
    ) -> None:
        super().__init__(plan, terminal, seed, hours, gaming_day)
        self.shoe: list[str] = []
        self.shoes = 0

    def play_round(self) -> Iterator[None]:
        """Play one coup."""
        self.rounds_played += 1
        self.change_shoe()
        buyins = self.seat_players()
        actions = [*buyins, self.act("round.open"), *self._bets(), self.act("bets.close")]
        self.pass_time(25)
        actions += self._deal()
        events = self.send(actions)
        self.pass_time(self.round_seconds - 25)
        yield
        cut = [self.act("cut_card.reach")] if len(self.shoe) < CUT_AT else []
        self.send([*cut, *self.payments(settled_in(events)), self.act("round.end")])

    def change_shoe(self) -> None:
        """Put in a shoe shuffled ahead and sealed; the first card is shown, and as many are burnt as its value."""
        if len(self.shoe) >= CUT_AT:
            return
        self.shoes += 1
        self.shoe = packs(PACKS)
        self.random.shuffle(self.shoe)
        name = f"{self.plan.name}-{self.shoes}"
        first_card = self.shoe.pop(0)
        del self.shoe[: table_procedure_and_limit_rules.burn(first_card).face_down]
        self.send(
            [
                self.act("shoe.load", {"shoe": name, "packs": PACKS, "seal": f"seal-{name}"}),
                self.act("shoe.burn", {"card": first_card}),
            ],
            self.plan.inspector,
        )
        self.pass_time(240)

    def _bets(self) -> list[dict[str, Any]]:
        """Player or banker, now and then a tie or a pair."""
        actions = []
        for player in self.players.values():
            side = self.random.choice(("player", "banker", "banker"))
            wagers = [(side, player.unit * self.random.choice((1, 1, 2, 3)))]
            if self.random.random() < 0.15:
                wagers.append((self.random.choice(("tie", "player_pair", "banker_pair")), self.plan.minimum))
            for wager, stake in wagers:
                if stake > player.chips:
                    continue
                player.chips -= stake
                name = f"{self.rounds_played}-{player.seat}-{wager}"
                bet = {"bet": name, "wager": wager, "amount_minor": stake, "player": player.name, "seat": player.seat}
                actions.append(self.act("bet.place", bet))
        return actions

    def _deal(self) -> list[dict[str, Any]]:
        hands: dict[str, list[str]] = {"player": [], "banker": []}
        actions = []
        while (side := baccarat.next_to(hands["player"], hands["banker"])) is not None:
            hands[side].append(self.shoe.pop(0))
            actions.append(self.act("card.deal", {"to": side, "card": hands[side][-1]}))
        return actions
