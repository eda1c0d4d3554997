"""Craps at the table, with the cases of `settle`.

They cover chips, the owners of odds bets, come bets in their box, and rounds without a shooter.
"""

from typing import Any

import pytest
from msgspec.structs import replace

from events.games.cases import answer
from events.tables.event_types.rounds import BetPlaced, BetRestaked, BetWithdrawn, RoundEnded
from events.tables.event_types.session import SessionOpened
from events.tables.main_table_decider import evolve
from tests.support.tables.in_memory_tables import DAY, INSPECTOR, TableInMemory, craps_table, opened

RULESETS = ("craps-gr", "craps-by")


def bet(name: str, wager: str, amount: int = 500, player: str = "Ann", seat: int = 1, **fields: Any) -> dict[str, Any]:
    return {"bet": name, "wager": wager, "amount_minor": amount, "player": player, "seat": seat, **fields}


def on(point: int, ruleset: str = "craps-by", stake: int = 500, **limits: Any) -> TableInMemory:
    """A pass bet, and its point."""
    table = craps_table(ruleset, **limits).ask("bet.place", **bet("p", "pass", stake))
    return table.ask("dice.offer").ask("dice.roll", dice=[point // 2, point - point // 2])


class TestChips:
    """craps-by B.2, B.6: amounts in chips are counted in the smallest chip of the table."""

    def test_odds_are_rounded_up_to_whole_chips(self) -> None:  # pass 5 -> odds 6 on 5 and 9
        on(5).refused("bet.place", **bet("o", "pass_odds", 700, base="p"), clause="craps-by B.2")
        on(5).ask("bet.place", **bet("o", "pass_odds", 600, base="p"))

    @pytest.mark.parametrize(("point", "most"), [(4, 500), (5, 600), (6, 500), (8, 500), (9, 600), (10, 500)])
    def test_the_odds_of_the_texts_own_example(self, point: int, most: int) -> None:
        [most_odds] = answer(
            {"ruleset": "craps-by", "given": {"kind": "odds_max", "side": "right", "flat": 5, "number": point}}
        ).values()
        assert most_odds * 100 == most
        table = on(point).ask("bet.place", **bet("o", "pass_odds", most, base="p"))
        table.refused("bet.place", **bet("o2", "pass_odds", 100, base="p"), clause="craps-by B.2")

    def test_a_place_bet_is_a_multiple_of_chips_not_of_cents(self) -> None:
        table = on(5).both("bet.place", **bet("six", "place", 606, number=6), clause="craps-by B.6")
        table.ask("bet.place", **bet("eight", "place", 600, number=8))
        table.refused("bet.restake", bet="eight", amount_minor=650, clause="craps-by B.6")

    def test_a_table_without_a_chip_counts_in_its_openers_smallest(self) -> None:
        table = opened("craps", "craps-by")
        assert (table.state.chip, table.last(SessionOpened).chip_minor) == (500, None)

    def test_a_denomination_of_which_there_is_no_chip_does_not_count(self) -> None:
        table = TableInMemory("craps", "craps-by")
        table.lead("session.open", gaming_day=DAY, opener={"25": 0, "100": 4, "500": 3})
        assert table.state.chip == 100

    def test_an_installed_chip_stands_in_the_session(self) -> None:
        table = opened("craps", "craps-by", chip_minor=25)
        assert (table.state.chip, table.last(SessionOpened).chip_minor) == (25, 25)


class TestOdds:
    @pytest.mark.parametrize("ruleset", RULESETS)
    def test_go_with_ones_own_flat_bet_only(self, ruleset: str) -> None:
        clause = {"craps-gr": "craps-gr B.13", "craps-by": "craps-by B.2"}[ruleset]
        table = on(6, ruleset)
        table.refused("bet.place", **bet("o", "pass_odds", 500, "Bob", 2, base="p"), clause=clause)
        table.fact("bet.place", irregular=clause, **bet("o", "pass_odds", 500, "Bob", 2, base="p"))
        assert "o" not in table.state.bets, "it is no bet: the fact is an irregularity alone"
        table.ask("bet.place", **bet("o", "pass_odds", 500, base="p"))

    @pytest.mark.parametrize("ruleset", RULESETS)
    def test_settle_says_the_same_of_players_it_is_told(self, ruleset: str) -> None:
        flat = {"id": "a", "type": "pass", "stake": 5, "player": "Ann"}
        odds = {"id": "b", "type": "pass_odds", "stake": 5, "base": "a", "player": "Bob"}
        inputs = {"kind": "rolls", "point": 6, "bets": [flat, odds], "rolls": [[3, 3]]}
        assert "another player's" in answer({"ruleset": ruleset, "given": inputs})["error"]
        inputs["bets"] = [flat, {**odds, "player": "Ann"}]
        assert answer({"ruleset": ruleset, "given": inputs})["on_table"] == []

    def test_are_not_corrected_to_another_player(self) -> None:
        table = on(6).ask("bet.place", **bet("o", "pass_odds", 500, base="p"))
        about: dict[str, Any] = {"reason": "Bob's", "corrects": f"{table.state.stream}@9", "player": "Bob"}
        table.refused("bet.correct", who=INSPECTOR, bet="o", clause="craps-by B.2", **about)
        table.refused("bet.correct", who=INSPECTOR, bet="p", clause="craps-by B.1", **about)


class TestComeBets:
    @pytest.mark.parametrize("ruleset", RULESETS)
    @pytest.mark.parametrize("name", ["come", "dont_come"])
    def test_do_not_lie_in_their_box_on_a_come_out(self, ruleset: str, name: str) -> None:
        inputs = {"kind": "rolls", "point": None, "bets": [{"id": "a", "type": name, "stake": 10}], "rolls": [[2, 4]]}
        assert answer({"ruleset": ruleset, "given": inputs}).keys() == {"error"}
        clause = {"craps-gr": {"come": "B.3", "dont_come": "B.4"}, "craps-by": {"come": "B.3", "dont_come": "B.5"}}
        craps_table(ruleset).refused("bet.place", **bet("a", name), clause=f"{ruleset} {clause[ruleset][name]}")

    @pytest.mark.parametrize("ruleset", RULESETS)
    def test_that_have_travelled_do(self, ruleset: str) -> None:
        travelled = {"id": "a", "type": "come", "stake": 10, "number": 5}
        inputs = {"kind": "rolls", "point": None, "bets": [travelled], "rolls": [[2, 3]]}
        [roll] = answer({"ruleset": ruleset, "given": inputs})["rolls"]
        assert roll["resolutions"] == [{"bet": "a", "outcome": "win", "profit": 10}]

    @pytest.mark.parametrize("ruleset", RULESETS)
    def test_that_lie_in_their_box_are_settled_at_a_point(self, ruleset: str) -> None:
        inputs = {"kind": "rolls", "point": 8, "bets": [{"id": "a", "type": "come", "stake": 10}], "rolls": [[2, 4]]}
        [roll] = answer({"ruleset": ruleset, "given": inputs})["rolls"]
        assert roll["resolutions"] == [{"bet": "a", "outcome": "stands", "profit": 0, "number": 6}]


class TestARoundThatNobodyPlays:
    @pytest.mark.parametrize("ruleset", RULESETS)
    def test_is_ended_and_the_table_closes(self, ruleset: str) -> None:
        table = craps_table(ruleset).ask("bet.place", **bet("p", "dont_pass")).ask("bet.withdraw", bet="p")
        table.ask("round.end")
        assert table.last(RoundEnded).round == 1
        table.lead("session.close", closer={"500": 2_000, "2500": 400}).replays()

    def test_is_not_over_while_a_bet_lies(self) -> None:
        craps_table().ask("bet.place", **bet("p", "pass")).refused("round.end", clause="craps phase")

    def test_is_not_over_after_a_throw(self) -> None:
        table = on(6, "craps-gr").fact("bet.withdraw", bet="p", irregular="craps-gr B.5")
        assert not table.state.bets
        table.refused("round.end", clause="craps phase")

    def test_is_not_over_while_the_dice_are_offered(self) -> None:
        table = craps_table().fact("dice.offer", irregular="craps-gr P.12")
        table.refused("round.end", clause="craps phase")


def test_odds_that_were_taken_behind_another_players_bet_play_on() -> None:
    """Odds recorded before this rule keep their validity. A replay does not judge them again."""
    table = on(6)
    ours = table.ask("bet.place", **bet("o", "pass_odds", 500, base="p")).last(BetPlaced)
    theirs = replace(ours, player="Bob", bet="q")
    table.state = evolve(table.state, theirs)
    table.ask("dice.offer").ask("dice.roll", dice=[3, 3])
    assert (table.settled("q").outcome, table.settled("q").profit_minor) == ("win", 600)


class TestTheFractionOfACommission:
    """craps-by B.7, B.8: the table takes whole minor units, and gives back the paid amount."""

    def test_is_not_asked_for(self) -> None:
        table = (
            on(5).ask("bet.place", **bet("b", "buy", 505, number=6)).ask("bet.place", **bet("l", "lay", 505, number=9))
        )
        assert (table.state.bets["b"].commission, table.state.bets["l"].commission) == (25, 16)  # of 25.25 and 16.83...
        table.ask("bet.withdraw", bet="b")
        assert table.last(BetWithdrawn).commission_minor == 25
        table.chips_are_conserved()

    def test_is_not_gathered_by_raising_the_bet(self) -> None:
        table = on(5).ask("bet.place", **bet("b", "buy", 505, number=6)).ask("bet.restake", bet="b", amount_minor=519)
        assert (table.last(BetRestaked).commission_minor, table.state.bets["b"].commission) == (0, 25)
        table.ask("bet.restake", bet="b", amount_minor=520).chips_are_conserved()
        assert (table.last(BetRestaked).commission_minor, table.state.bets["b"].commission) == (1, 26)
