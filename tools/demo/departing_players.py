"""Players who go: some walk on to another table with their chips, some keep them, most change them at the cage."""

from datetime import datetime
from random import Random

from tools.demo.cage import DemoCage
from tools.demo.invented_players import Player
from tools.demo.table_base_class import DemoTable

WALKS_ON, KEEPS, SITS_DOWN = 0.25, 0.1, 0.5


class Guests:
    """Guests between the tables, with their chips and last table."""

    def __init__(self, seed: int | str, cage: DemoCage) -> None:
        self.random = Random(f"{seed}/guests")  # noqa: S311 - players, not secrets
        self.cage = cage
        self.walking: list[tuple[str, int, str]] = []
        self.gone_home: list[tuple[str, int]] = []  # players with their chips

    def leaves(self, table: DemoTable, player: Player) -> None:
        """Let a player leave with the present chips."""
        if player.chips <= 0:
            return
        if not table.finished() and self.random.random() < WALKS_ON:
            self.walking.append((player.name, player.chips, table.plan.name))
        elif self.random.random() >= KEEPS:
            self.cage.cash_out(player.name, player.chips, table.clock)
        else:
            self.gone_home.append((player.name, player.chips))

    def arrives(self, table: DemoTable, player: Player) -> None:
        """Seat a player, perhaps one who comes from another table."""
        others = [guest for guest in self.walking if guest[2] != table.plan.name]
        if others and self.random.random() < SITS_DOWN:
            self.walking.remove(others[0])
            player.name, player.chips, _ = others[0]

    def go_home(self, at: datetime) -> None:
        """Let players who are still at a closed table change their chips."""
        for name, chips, _ in self.walking:
            self.cage.cash_out(name, chips, at)
        self.walking.clear()
