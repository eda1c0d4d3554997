"""Baccarat at the table: fixed faults, one test each."""

from typing import Any

from events.games.baccarat import table_procedure_and_limit_rules
from events.games.baccarat.rules import BaccaratBet
from tests.support.tables.in_memory_tables import baccarat_table as table_of


def bet(name: str, wager: str, amount: int, player: str, seat: int) -> dict[str, Any]:
    return {"bet": name, "wager": wager, "amount_minor": amount, "player": player, "seat": seat}


def test_a_reduction_brings_the_sides_inside_the_limit_to_the_last_cent() -> None:
    """Each stake rounded down would leave Banker a cent short of Player, where no difference is allowed."""
    table = table_of(minimum_minor=1, maxima_minor={"difference": 0}).ask("round.open")
    for laid in (
        bet("b", "banker", 100, "Ann", 1),
        bet("c", "banker", 100, "Bob", 2),
        bet("p", "player", 199, "Cid", 3),
    ):
        table.ask("bet.place", **laid)
    table.ask("bets.reduce")
    assert {name: lies.stake for name, lies in table.state.bets.items()} == {"b": 100, "c": 99, "p": 199}
    table.ask("bets.close").chips_are_conserved()


def test_what_rounding_leaves_over_goes_to_the_largest_fractions() -> None:
    bets = [
        BaccaratBet("a", "player", 100),
        BaccaratBet("b", "player", 250),
        BaccaratBet("c", "player", 350),
        BaccaratBet("x", "banker", 99),
    ]
    reduction = table_procedure_and_limit_rules.max_difference(1, bets)
    assert str(reduction.factor) == "1/7"
    assert {name: str(stake) for name, stake in reduction.stakes.items()} == {
        "a": "100/7",
        "b": "250/7",
        "c": "50",
        "x": "99",
    }
    assert table_procedure_and_limit_rules.whole_stakes(reduction) == {"a": 14, "b": 36, "c": 50, "x": 99}
