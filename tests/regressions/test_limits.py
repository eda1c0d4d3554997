"""Posted limits: a bet's own minimum, and the difference between two sides that must balance."""

from typing import Any

import pytest

from tests.support.tables.in_memory_tables import (
    INSPECTOR,
    TableInMemory,
    baccarat_table,
    blackjack_table,
    craps_table,
    opened,
    roulette_table,
)


def bet(name: str, wager: str, amount: int, **fields: Any) -> dict[str, Any]:
    return {"bet": name, "wager": wager, "amount_minor": amount, "player": "Ann", "seat": 1, **fields}


def between_rounds(game: str, ruleset: str) -> TableInMemory:
    return opened(game, ruleset)


class TestABetsOwnMinimum:
    def test_lets_its_maximum_lie_below_the_tables_minimum(self) -> None:  # Trilux from 1.00 to 7.00, table of 10.00
        limits: dict[str, Any] = {"maxima_minor": {"trilux": 700}, "minima_minor": {"trilux": 100}}
        table = blackjack_table(None, minimum_minor=1_000, **limits).ask("round.open")
        table.ask("bet.place", **bet("m", "main", 1_000, box=1))
        table.refused("bet.place", **bet("t", "trilux", 800, box=1), clause="blackjack-trilux L.1")
        table.ask("bet.place", **bet("t", "trilux", 700, box=1))

    @pytest.mark.parametrize("minima", [{}, {"main": 100}, {"trilux": 800}])
    def test_is_the_one_its_maximum_is_held_against(self, minima: dict[str, int]) -> None:
        table = between_rounds("blackjack", "blackjack-trilux")
        limits = {"minimum_minor": 1_000, "maxima_minor": {"trilux": 700}, "minima_minor": minima}
        table.invalid("limits.post", who=INSPECTOR, field="data.maxima_minor", **limits)

    def test_holds_in_craps(self) -> None:
        table = craps_table("craps-by", minima_minor={"any7": 100}).ask("bet.place", **bet("a", "any7", 100))
        table.refused("bet.place", **bet("b", "eleven", 100), clause="craps-by L")

    def test_holds_for_the_main_bet_of_blackjack(self) -> None:
        table = blackjack_table(None, minimum_minor=1_000, minima_minor={"main": 500}).ask("round.open")
        table.refused("bet.place", **bet("m", "main", 400, box=1), clause="blackjack-trilux L.1")
        table.ask("bet.place", **bet("m", "main", 500, box=1))

    @pytest.mark.parametrize("ruleset", ["roulette-american", "roulette-french"])
    def test_holds_at_a_wheel(self, ruleset: str) -> None:
        table = roulette_table(ruleset, minima_minor={"straight": 100}).ask("round.open")
        table.refused("bet.place", **bet("s", "straight", 90, numbers=[7]), clause=f"{ruleset} L")
        table.ask("bet.place", **bet("s", "straight", 100, numbers=[7]))
        table.refused("bet.place", **bet("r", "red", 100), clause=f"{ruleset} L")


class TestTheMaximumDifference:
    def test_of_nothing_keeps_both_sides_equal(self) -> None:  # 001 6.1
        table = baccarat_table(maxima_minor={"difference": 0}).ask("round.open")
        table.ask("bet.place", **bet("p", "player", 1_000)).ask("bet.place", **bet("b", "banker", 1_500))
        table.both("bets.close", clause="baccarat L.1")

    def test_of_nothing_is_kept_by_lowering_bets(self) -> None:
        table = baccarat_table(maxima_minor={"difference": 0}).ask("round.open")
        table.ask("bet.place", **bet("p", "player", 1_000)).ask("bet.place", **bet("b", "banker", 1_500))
        table.ask("bets.reduce", apply=True).ask("bets.close")
        assert table.state.bets["b"].stake == 1_000

    def test_is_no_bet_and_has_no_minimum(self) -> None:
        baccarat_table(minimum_minor=1_000, maxima_minor={"difference": 400})

    def test_is_the_only_maximum_of_nothing(self) -> None:
        table = between_rounds("baccarat", "baccarat")
        limits = {"minimum_minor": 500, "maxima_minor": {"tie": 0}}
        table.invalid("limits.post", who=INSPECTOR, field="data.maxima_minor", **limits)


class TestTheMaximumOfTrilux:
    """The maximum is at most fifty times its minimum. The desk checks this when the limits are posted."""

    def test_is_held_against_its_own_minimum(self) -> None:
        table = between_rounds("blackjack", "blackjack-trilux")
        limits: dict[str, Any] = {"maxima_minor": {"trilux": 5_001}, "minima_minor": {"trilux": 100}}
        table.both("limits.post", who=INSPECTOR, minimum_minor=500, clause="blackjack-trilux L.1", **limits)

    def test_is_held_against_the_tables_minimum_where_it_has_none_of_its_own(self) -> None:
        table = between_rounds("blackjack", "blackjack-trilux")
        limits: dict[str, Any] = {"minimum_minor": 500, "maxima_minor": {"trilux": 25_001}}
        table.both("limits.post", who=INSPECTOR, clause="blackjack-trilux L.1", **limits)
        table.lead("limits.post", minimum_minor=500, maxima_minor={"trilux": 25_000})
