"""The demo's craps tables: seeded dice, a shooter who passes the dice on, line, odds, place, field and come bets."""

from collections.abc import Iterator
from typing import Any

from events.games.craps.event_types import DiceRolled
from tools.demo.demo_house_setup import GAMING_DAY, TablePlan
from tools.demo.http_terminal import DemoTerminal
from tools.demo.invented_players import Player
from tools.demo.table_base_class import DemoTable, settled_in

POSTS = (("second dealer", "d-121"), ("stickman", "d-122"), ("manager", "b-301"))


class CrapsTable(DemoTable):
    """A round is from a come-out to the decision of its point."""

    game = "craps"
    seats = 8
    round_seconds = 45
    arrivals = 0.15

    def __init__(
        self, plan: TablePlan, terminal: DemoTerminal, seed: int | str, hours: float, gaming_day: str = GAMING_DAY
    ) -> None:
        super().__init__(plan, terminal, seed, hours, gaming_day)
        self.shooter: Player | None = None
        self.seat = 0
        self.on_line: list[Player] = []
        self.bets_made = 0
        self.dice_on_table = False
        self.chosen = False

    def play_round(self) -> Iterator[None]:
        """Play one come-out and the throws until its point is decided."""
        self.rounds_played += 1
        if not self.dice_on_table:
            self._begin()
        buyins = self.seat_players()
        actions = [*buyins, self.act("round.open"), *self._line_bets(), *self._give_dice()]
        while True:
            if self.random.random() < 0.02:
                actions += [self.act("dice.offer"), self._no_roll()]
            self.pass_time(20)
            dice = [self.random.randint(1, 6), self.random.randint(1, 6)]
            events = self.send([*actions, self.act("dice.offer"), self.act("dice.roll", {"dice": dice})])
            self.pass_time(self.round_seconds - 20)
            yield
            pay = self.payments(settled_in(events))
            rolled = next(event.data for event in events if isinstance(event.data, DiceRolled))
            if rolled.point_after is None:
                self._after(rolled)
                self.send([*pay, self.act("round.end")])
                return
            actions = [*pay, *self._more_bets(rolled.point_after, first=rolled.point is None)]

    # --- dice and shooter -----------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """The other croupiers, and five dice of one series."""
        self.dice_on_table = True
        posts = [self.act("staff.assign", {"post": post, "person": person}) for post, person in POSTS]
        dice = [{"serial": f"S-{self.plan.name}", "colour": "red"} for _ in range(5)]
        self.send([*posts, self.act("dice.put", {"dice": dice, "reason": "opening"})], self.plan.inspector)

    def _give_dice(self) -> list[dict[str, Any]]:
        if self.shooter is not None and self.chosen:
            return []
        actions = []
        if self.shooter is None:
            self.shooter = self._next_shooter()
            data = {"seat": self.shooter.seat, "player": self.shooter.name}
            actions.append(self.act("shooter.appoint", data))
        self.chosen = True
        return [*actions, self.act("dice.choose", {"places": [0, 3]})]

    def _next_shooter(self) -> Player:
        """Return the next player clockwise who has a bet on the line; in the demo every player takes the dice."""
        seats = sorted(player.seat for player in self.on_line)
        self.seat = next((seat for seat in seats if seat > self.seat), seats[0])
        return self.players[self.seat]

    def _no_roll(self) -> dict[str, Any]:
        return self.act("roll.call_off", {"seen": {"hit_end": 0}, "detail": "the dice fell short"})

    def _after(self, rolled: DiceRolled) -> None:
        """Pass the dice after a seven-out; the shooter may leave the table then."""
        if rolled.seven_out:
            self.shooter = None
            self.chosen = False

    def may_leave(self, player: Player) -> bool:
        """Return whether the player may leave: never with the dice in hand."""
        return player is not self.shooter

    def finished(self) -> bool:
        """Return whether the night is over: the last shooter throws until a seven-out, which clears the layout."""
        return super().finished() and self.shooter is None

    # --- bets -----------------------------------------------------------------------------------------------------

    def _bet(self, player: Player, wager: str, stake: int, **options: Any) -> list[dict[str, Any]]:
        if stake > player.chips:
            return []
        player.chips -= stake
        self.bets_made += 1
        data = {"bet": f"b{self.bets_made}", "wager": wager, "amount_minor": stake, "player": player.name, **options}
        return [self.act("bet.place", {**data, "seat": player.seat})]

    def _line_bets(self) -> list[dict[str, Any]]:
        """Place the line bets of all players; the shooter always has one."""
        actions: list[dict[str, Any]] = []
        self.on_line = [player for player in self.players.values() if player.chips >= player.unit]
        for player in self.on_line:
            wager = "pass" if player is self.shooter or self.random.random() < 0.85 else "dont_pass"
            actions += self._bet(player, wager, player.unit)
        return actions

    def _more_bets(self, point: int, *, first: bool) -> list[dict[str, Any]]:
        """Field, place, any craps and come, as the mood takes them."""
        actions: list[dict[str, Any]] = []
        for player in self.players.values():
            mood = self.random.random()
            if mood < 0.15:
                actions += self._bet(player, "field", player.unit)
            elif mood < 0.30 and first:
                number = self.random.choice([n for n in (4, 5, 6, 8, 9, 10) if n != point])
                stake = player.unit * 6 // 5 if number in (6, 8) else player.unit
                actions += self._bet(player, "place", stake, number=number)
            elif mood < 0.36:
                actions += self._bet(player, "any_craps", self.plan.minimum)
            elif mood < 0.42:
                actions += self._bet(player, "come", player.unit)
        return actions
