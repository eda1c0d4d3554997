"""Random gaming days with many corrections of recorded bets: of kind, number, stake, player, seat and box.

At the craps table CB1 buy and lay bets have a commission at the stake.
"""

from typing import Any, ClassVar

from events.games.craps.ruleset import POINTS
from events.tables.table_session_state_structs import Bet
from tests.accountant.random_gaming_days import PLAYS, RandomFloor
from tests.accountant.random_house_actions import GAMES
from tests.property.test_tables import PLAYERS

KINDS = {
    "roulette": ("red", "black", "odd", "even"),
    "craps": ("buy", "lay", "place", "pass", "field"),
    "baccarat": ("player", "banker", "tie"),
    "blackjack": ("main", "trilux", "blazing7s"),
}


class CorrectedBets(RandomFloor):
    """Random days. A quarter of the steps lays a bet on a number at craps, a half corrects a bet on a layout."""

    games: ClassVar = {**GAMES, "CB1": ("craps", "craps-by")}
    plays: ClassVar = {**PLAYS, "CB1": "craps-by"}

    def step(self) -> None:
        """Act as `RandomFloor` does, lay a bet on a number, or correct a bet."""
        self.random.choice((super().step, self._bet_on_number, self._correct_bet, self._correct_bet))()

    def _bet_on_number(self) -> None:
        self.number += 1
        stake, kind = self.random.choice((2_000, 4_000)), self.random.choice(("buy", "lay", "place"))
        bet: dict[str, Any] = {"bet": f"n{self.number}", "wager": kind, "amount_minor": stake, **self._player()}
        self.lead("CB1", "bet.place", number=self.random.choice(POINTS), _intent="fact", **bet)

    def _player(self) -> dict[str, Any]:
        seat = self.random.randrange(3)
        return {"player": PLAYERS[seat], "seat": seat + 1}

    def _correct_bet(self) -> None:
        table = self.random.choice((*self.plays, "CB1", "CB1"))
        state = self.state(table)
        if state is None or not state.bets:
            return
        bet = self.random.choice([*state.bets.values()])
        self.correct_bet(table, bet=bet.id, **self._true(state.game, bet))

    def correct_bet(self, table: str, **data: Any) -> None:
        """Correct a bet on the layout."""
        state = self.state(table)
        assert state is not None
        self._correct(table, state, {"reason": "by the camera", **data})

    def _true(self, game: str, bet: Bet) -> dict[str, Any]:
        """Return the true bet: of another kind or amount, of another player, or in another box."""
        kind: dict[str, Any] = {"wager": self.random.choice(KINDS[game])}
        if game == "craps":
            kind["number"] = self.random.choice(POINTS)
        if game == "blackjack":
            kind["box"] = self.random.randint(1, 3)
        return self.random.choice(
            (kind, kind, {"amount_minor": bet.stake * 2}, self._player(), {**kind, **self._player()})
        )
