"""Craps at the table: the dice, the shooter, bets across throws, and every refusal with its clause."""

from typing import Any

import pytest

from events.games.craps.event_types import (
    BetMoved,
    DiceChosen,
    DiceRolled,
    PointMade,
    PointSet,
    RollCalledOff,
    SevenOut,
)
from events.tables.event_types.rounds import BetSettled
from events.tables.event_types.session import IrregularityRecorded
from tests.support.tables.in_memory_tables import FIVE, INSPECTOR, TableInMemory, craps_table, opened


def bet(
    name: str, wager: str, amount: int = 1_000, player: str = "Ann", seat: int = 1, **fields: Any
) -> dict[str, Any]:
    return {"bet": name, "wager": wager, "amount_minor": amount, "player": player, "seat": seat, **fields}


def line(ruleset: str = "craps-gr", **limits: Any) -> TableInMemory:
    """A come-out with the shooter's pass bet."""
    return craps_table(ruleset, **limits).ask("bet.place", **bet("p", "pass"))


def throw(table: TableInMemory, first: int, second: int) -> TableInMemory:
    """Pay the winnings due, offer the dice, throw."""
    return table.pay().ask("dice.offer").ask("dice.roll", dice=[first, second])


def numbered() -> TableInMemory:
    """Return a come-out with five numbered dice. The shooter chose the first two."""
    five = [{"serial": f"K{number}", "colour": "red"} for number in range(1, 6)]
    return line().lead("dice.put", dice=five).ask("dice.choose", places=[0, 1])


def kinds(table: TableInMemory) -> list[str]:
    """The irregularities, as they came."""
    return [event.kind for event in table.events if isinstance(event, IrregularityRecorded)]


def on_six(ruleset: str = "craps-gr", **limits: Any) -> TableInMemory:
    return throw(line(ruleset, **limits), 2, 4)


class TestTheRound:
    def test_a_natural_wins_and_ends_the_round(self) -> None:
        table = throw(line(), 3, 4)
        assert (table.settled("p").outcome, table.settled("p").profit_minor, table.state.phase) == (
            "win",
            1_000,
            "settled",
        )
        table.end().chips_are_conserved()
        assert table.players["Ann"] == 1_000

    def test_the_point_is_set_made_and_the_shooter_keeps_the_dice(self) -> None:
        table = on_six()
        assert (table.last(PointSet).point, table.state.phase) == (6, "open")
        throw(throw(table, 1, 2), 3, 3)
        assert table.last(PointMade).point == 6
        table.end().ask("round.open").ask("bet.place", **bet("p2", "pass")).ask("dice.offer")

    def test_a_seven_out_passes_the_dice_to_the_left(self) -> None:  # P.5, GRC-8
        table = on_six().ask("bet.place", **bet("f", "field", player="Bob", seat=3))
        throw(table, 3, 4)
        assert table.last(SevenOut).point == 6
        assert table.settled("p").profit_minor == -1_000
        table.end().ask("round.open").ask("bet.place", **bet("q", "pass", player="Bob", seat=3))
        table.ask("bet.place", **bet("r", "pass"))
        table.refused("dice.offer", clause="craps-gr P.5")
        table.both("shooter.appoint", seat=1, player="Ann", clause="craps-gr P.5")

    def test_who_declines_is_passed_over(self) -> None:  # P.5
        table = throw(on_six(), 3, 4).end().ask("round.open")
        table.ask("bet.place", **bet("q", "pass", player="Bob", seat=3))
        table.ask("bet.place", **bet("r", "dont_pass", player="Cid", seat=5))
        table.refused("shooter.appoint", seat=5, player="Cid", clause="craps-gr P.5")
        table.ask("shooter.decline", seat=3, player="Bob").ask("shooter.appoint", seat=5, player="Cid")

    def test_a_round_needs_its_staff(self) -> None:  # P.2
        table = opened("craps", "craps-by").refused
        table("round.open", clause="craps-by P.4")

    def test_dues_are_paid_before_the_next_throw(self) -> None:
        table = on_six().ask("bet.place", **bet("f", "field"))
        table.ask("dice.offer").ask("dice.roll", dice=[1, 2])
        table.both("dice.offer", clause="house payment")


class TestTheDice:
    def test_five_dice_lie_on_the_table(self) -> None:  # P.7
        table = opened("craps", "craps-gr")
        table.both("dice.put", dice=FIVE[:4], who=INSPECTOR, clause="craps-gr P.7")

    def test_in_belarus_all_are_of_one_colour_and_series(self) -> None:  # P.2
        mixed = [*FIVE[:4], {"serial": "K17", "colour": "blue"}]
        opened("craps", "craps-by").both("dice.put", dice=mixed, who=INSPECTOR, clause="craps-by P.2")
        opened("craps", "craps-gr").lead("dice.put", dice=mixed)

    def test_the_shooter_takes_two(self) -> None:
        table = line()
        assert table.last(DiceChosen).serials == ("K17", "K17")
        table.refused("dice.choose", places=[1, 1], clause="craps-gr P.7")
        table.invalid("dice.choose", places=[1, 5], field="data.places")

    def test_a_greek_shooter_may_change_them_a_belarusian_keeps_his(self) -> None:  # P.7, P.12
        on_six().ask("dice.choose", places=[1, 2])
        on_six("craps-by").both("dice.choose", places=[1, 2], clause="craps-by P.12")

    def test_a_change_of_all_five_asks_for_a_new_choice(self) -> None:  # P.8
        table = on_six("craps-by").lead("dice.put", dice=FIVE, reason="a chipped die")
        table.refused("dice.offer", clause="craps-by P.2")
        table.ask("dice.choose", places=[1, 2]).ask("dice.offer")

    def test_no_dice_are_thrown_that_were_not_offered(self) -> None:
        line().both("dice.roll", dice=[3, 4], clause="craps-gr P.6")
        line("craps-by").both("dice.roll", dice=[3, 4], clause="craps-by P.7")

    def test_a_throw_names_the_dice_that_the_shooter_took(self) -> None:  # P.7
        assert throw(numbered(), 2, 4).last(DiceRolled).serials == ("K1", "K2")
        called_off = numbered().ask("dice.offer").ask("roll.call_off", seen={"cocked": True})
        assert called_off.last(RollCalledOff).serials == ("K1", "K2")

    def test_dice_that_somebody_read_must_be_those_that_the_shooter_took(self) -> None:  # P.7
        table = numbered().ask("dice.offer")
        table.both("dice.roll", dice=[2, 4], serials=["K2", "K4"], clause="craps-gr P.7")
        assert (table.last(DiceRolled).serials, kinds(table)) == (("K2", "K4"), ["dice not taken"])
        table.ask("dice.offer").ask("dice.roll", dice=[1, 2], serials=["K2", "K1"])

    @pytest.mark.parametrize("read", [["K1", "X9"], ["K1", "K1"]])
    def test_a_foreign_die_is_recorded_and_the_throw_stands(self, read: list[str]) -> None:  # P.7
        table = numbered().ask("dice.offer")
        table.both("dice.roll", dice=[3, 4], serials=read, clause="craps-gr P.7")
        assert (kinds(table), table.settled("p").profit_minor) == (["foreign die"], 1_000)
        assert table.last(DiceRolled).serials == tuple(read)
        off = numbered().ask("dice.offer").both("roll.call_off", detail="foreign", serials=read, clause="craps-gr P.7")
        assert (kinds(off), off.last(RollCalledOff).serials) == (["foreign die"], tuple(read))

    def test_the_shooter_needs_a_line_bet(self) -> None:  # P.12
        craps_table().both("dice.offer", clause="craps-gr P.12")
        craps_table("craps-by").ask("bet.place", **bet("f", "field")).refused("dice.offer", clause="craps-by P.9")

    def test_nobody_throws_before_a_shooter_is_appointed(self) -> None:
        table = opened("craps", "craps-gr")
        table.lead("dice.put", dice=FIVE).ask("round.open")
        table.refused("dice.choose", places=[0, 1], clause="craps-gr P.5")


class TestNoRoll:
    def test_it_counts_for_nothing_and_bets_are_taken_again(self) -> None:  # P.9
        table = line().ask("dice.offer").ask("roll.call_off", seen={"in_dice_bowl": True})
        assert table.last(RollCalledOff).reasons == ("in_dice_bowl",)
        assert (table.state.phase, set(table.state.bets)) == ("open", {"p"})
        table.ask("bet.place", **bet("f", "field")).ask("dice.offer")

    def test_a_throw_that_must_not_count_is_no_roll(self) -> None:  # P.8-P.9, I.1
        line().ask("dice.offer").both("dice.roll", dice=[1, 2], seen={"past_middle": 1}, clause="craps-gr P.9")
        line("craps-by").ask("dice.offer").both("dice.roll", dice=[1, 2], seen={"hit_end": 1}, clause="craps-by I.1")

    def test_a_die_off_the_table_mixes_all_five_in_belarus(self) -> None:  # I.1
        table = line("craps-by").ask("dice.offer").ask("roll.call_off", seen={"off_table": True})
        table.refused("dice.offer", clause="craps-by P.2")
        table.ask("dice.choose", places=[2, 4]).ask("dice.offer")
        line().ask("dice.offer").ask("roll.call_off", seen={"off_table": True}).ask("dice.offer")

    def test_it_needs_a_reason(self) -> None:
        line().ask("dice.offer").invalid("roll.call_off", field="data")

    def test_the_boxman_may_take_the_dice_away_in_greece(self) -> None:  # P.10
        table = on_six().ask("bet.place", **bet("f", "field", player="Bob", seat=3))
        table.lead("dice.take_away", reason="he slides them").ask("shooter.appoint", seat=3, player="Bob")
        on_six("craps-by").both("dice.take_away", reason="he slides them", who=INSPECTOR, clause="craps-by P.7")


class TestCrapsBets:
    def test_none_is_taken_once_the_dice_are_offered_in_greece(self) -> None:  # P.11, GRC-12
        table = line().ask("dice.offer")
        table.refused("bet.place", **bet("f", "field"), clause="craps-gr P.11")
        table.fact("bet.place", **bet("f", "field"), irregular="craps-gr P.11")
        assert (table.settled("f").outcome, table.settled("f").returned_minor) == ("void", 1_000)
        assert "f" not in table.state.bets
        line("craps-by").ask("dice.offer").ask("bet.place", **bet("f", "field"))

    @pytest.mark.parametrize(
        ("ruleset", "wager", "clause"),
        [
            ("craps-gr", "pass", "B.1"),
            ("craps-gr", "dont_pass", "B.2"),
            ("craps-by", "pass", "B.1"),
            ("craps-by", "dont_pass", "B.4"),
        ],
    )
    def test_line_bets_are_made_before_the_come_out(self, ruleset: str, wager: str, clause: str) -> None:
        on_six(ruleset).refused("bet.place", **bet("x", wager), clause=f"{ruleset} {clause}")

    def test_come_bets_need_a_point(self) -> None:  # B.3, GRC-15
        line().refused("bet.place", **bet("c", "come"), clause="craps-gr B.3")
        line("craps-by").refused("bet.place", **bet("c", "dont_come"), clause="craps-by B.5")

    def test_only_these_bets_exist(self) -> None:  # P.13
        line().refused("bet.place", **bet("x", "lay", number=4), clause="craps-gr P.13")
        line("craps-by").refused("bet.place", **bet("x", "horn"), clause="craps-by B")

    def test_a_come_bet_travels_and_lies_on_into_the_next_round(self) -> None:  # B.3
        table = on_six().ask("bet.place", **bet("c", "come"))
        throw(table, 4, 5)
        assert (table.last(BetMoved).number, table.state.bets["c"].number) == (9, 9)
        throw(table, 3, 3).end()
        assert set(table.state.bets) == {"c"}
        table.ask("round.open").ask("bet.place", **bet("p2", "pass"))
        throw(table, 4, 5)
        assert table.settled("c").outcome == "win"
        table.chips_are_conserved()
        table.replays()

    def test_contract_bets_stay(self) -> None:  # B.5, B.1, BYC-11
        on_six().both("bet.withdraw", bet="p", clause="craps-gr B.5")
        on_six("craps-by").both("bet.withdraw", bet="p", clause="craps-by B.1")
        line("craps-by").ask("bet.withdraw", bet="p")

    def test_a_dont_bet_comes_down_with_its_odds(self) -> None:  # GRC-10, GRC-18
        table = line().ask("bet.place", **bet("d", "dont_pass", player="Bob", seat=2))
        throw(table, 2, 4).ask("bet.place", **bet("o", "dont_pass_odds", 1_200, player="Bob", seat=2, base="d"))
        table.ask("bet.withdraw", bet="d")
        assert set(table.state.bets) == {"p"}
        assert table.players["Bob"] == 0

    def test_odds_go_with_their_flat_bet_up_to_its_limit(self) -> None:  # L.3, B.13
        table = on_six()
        table.refused("bet.place", **bet("o", "pass_odds"), clause="craps-gr B.13")
        table.both("bet.place", **bet("o", "pass_odds", 1_500, base="p"), clause="craps-gr L.3")
        table = on_six().ask("bet.place", **bet("o", "pass_odds", base="p"))
        throw(table, 1, 5)
        assert table.settled("o").profit_minor == 1_200

    def test_there_are_no_odds_on_the_dont_side_in_belarus(self) -> None:  # BYC-10
        on_six("craps-by").refused("bet.place", **bet("o", "dont_pass_odds", base="p"), clause="craps-by B")

    def test_place_bets_are_off_on_the_come_out_unless_the_player_says_otherwise(self) -> None:  # B.19
        table = (
            line()
            .ask("bet.place", **bet("a", "place", 1_200, number=6))
            .ask("bet.place", **bet("b", "place", 1_200, number=8))
        )
        table.ask("bet.instruct", bet="b", working=True)
        throw(table, 3, 4)
        assert "a" in table.state.bets
        assert table.settled("b").profit_minor == -1_200

    def test_what_is_always_in_play_cannot_be_switched(self) -> None:  # GRC-9, B.8
        table = line().ask("bet.place", **bet("h", "hardway", number=8))
        table.refused("bet.instruct", bet="h", working=False, clause="craps-gr B.9")
        table.refused("bet.place", **bet("g", "field", working=True), clause="craps-gr B.6")
        table.refused("bet.place", **bet("g", "field", after_win="stay"), clause="craps-gr B.6")
        table.invalid("bet.instruct", bet="h", field="data")

    def test_place_bets_in_belarus_are_whole_multiples(self) -> None:  # B.6
        table = line("craps-by")
        table.both("bet.place", **bet("a", "place", 1_000, number=6), clause="craps-by B.6")

    def test_buy_and_lay_cost_a_commission_that_comes_back_with_the_bet(self) -> None:  # B.7, B.8, BYC-7
        table = on_six("craps-by").ask("bet.place", **bet("b", "buy", 2_000, number=4))
        table.ask("bet.place", **bet("l", "lay", 4_000, number=4))
        assert [table.state.bets[name].commission for name in "bl"] == [100, 100]
        assert table.players["Ann"] == -1_000 - 2_100 - 4_100
        table.chips_are_conserved()
        table.ask("bet.withdraw", bet="l")
        throw(table, 2, 2).pay()
        assert table.players["Ann"] == -1_000 - 100 + 4_000
        table.chips_are_conserved()

    def test_same_bet_press_and_down(self) -> None:  # B.6, BYC-14
        table = on_six("craps-by").ask("bet.place", **bet("x", "place", 600, number=8, after_win="stay"))
        throw(table, 4, 4)
        assert (table.settled("x").profit_minor, table.settled("x").remaining_minor) == (700, 600)
        table.ask("bet.press", bet="x")
        assert (table.state.bets["x"].stake, table.state.due["x"].amount) == (1_200, 100)
        table.chips_are_conserved()
        throw(table, 4, 4).pay().ask("bet.withdraw", bet="x")
        assert table.players["Ann"] == -1_000 - 600 + 100 + 1_400 + 1_200
        table.chips_are_conserved()
        table.replays()

    def test_what_has_not_won_is_not_pressed_and_greece_has_no_press(self) -> None:  # B.6, GRC-13
        table = on_six("craps-by").ask("bet.place", **bet("x", "place", 600, number=8))
        table.refused("bet.press", bet="x", clause="craps-by B.6")
        table = on_six().ask("bet.place", **bet("x", "place", 600, number=8, after_win="stay"))
        throw(table, 4, 4).refused("bet.press", bet="x", clause="craps-gr B.17")

    def test_a_combination_is_a_bet_on_each_number(self) -> None:  # B.6
        table = on_six("craps-by").ask(
            "combination.place", bet="in", name="inside", unit_minor=100, player="Ann", seat=1
        )
        assert {name: bet.stake for name, bet in table.state.bets.items() if name != "p"} == {
            "in-5": 500,
            "in-6": 600,
            "in-8": 600,
            "in-9": 500,
        }
        on_six().refused(
            "combination.place", bet="i", name="inside", unit_minor=1, player="A", seat=1, clause="craps-gr B.17"
        )

    def test_winners_are_paid_before_new_bets_in_belarus(self) -> None:  # P.14
        table = on_six("craps-by").ask("bet.place", **bet("f", "field"))
        table.ask("dice.offer").ask("dice.roll", dice=[1, 2])
        table.both("bet.place", **bet("g", "field"), clause="craps-by P.14")

    def test_losing_bets_are_settled_first_then_by_kind(self) -> None:  # P.14
        table = on_six("craps-by").ask("bet.place", **bet("x", "place", 1_000, number=9))
        table.ask("bet.place", **bet("f", "field")).ask("bet.place", **bet("e", "eleven"))
        throw(table, 4, 5)
        order = [event.bet for event in table.events if isinstance(event, BetSettled)]
        assert order == ["e", "f", "x"]

    def test_a_bet_is_raised_and_lowered_with_its_commission(self) -> None:
        table = on_six("craps-by").ask("bet.place", **bet("b", "buy", 2_000, number=4))
        table.ask("bet.restake", bet="b", amount_minor=3_000)
        assert table.state.bets["b"].commission == 150
        table.ask("bet.restake", bet="b", amount_minor=1_000)
        assert table.players["Ann"] == -1_000 - 1_050
        table.chips_are_conserved()
        table.both("bet.restake", bet="p", amount_minor=2_000, clause="craps-by B.1")


class TestLimits:
    def test_the_maximum_is_100_to_1000_times_the_minimum(self) -> None:  # L.1
        table = opened("craps", "craps-gr")
        limits: dict[str, Any] = {"minimum_minor": 500, "maxima_minor": {"maximum": 40_000}}
        table.both("limits.post", **limits, who=INSPECTOR, clause="craps-gr L.1")

    def test_a_multiple_chance_keeps_to_its_band(self) -> None:  # L.2
        table = opened("craps", "craps-gr")
        limits: dict[str, Any] = {"minimum_minor": 500, "maxima_minor": {"maximum": 50_000, "any7": 40_000}}
        table.both("limits.post", **limits, who=INSPECTOR, clause="craps-gr L.2")

    def test_stakes_keep_to_minimum_and_maximum(self) -> None:  # L.1, L.5
        table = line(maxima_minor={"maximum": 50_000})
        table.both("bet.place", **bet("a", "field", 400), clause="craps-gr L.1")
        table.both("bet.place", **bet("b", "field", 50_500), clause="craps-gr L.1")
        table.ask("bet.place", **bet("c", "place", 60_000, number=6))
        table.both("bet.place", **bet("d", "place", 50_500, number=5), clause="craps-gr L.1")

    def test_what_a_player_has_on_a_place_counts(self) -> None:
        table = line(maxima_minor={"maximum": 50_000}).ask("bet.place", **bet("a", "field", 30_000))
        table.refused("bet.place", **bet("b", "field", 30_000), clause="craps-gr L.1")
        table.ask("bet.place", **bet("c", "field", 30_000, player="Bob", seat=2))

    def test_what_a_player_has_on_a_place_counts_also_when_a_bet_there_is_raised(self) -> None:
        table = line(maxima_minor={"maximum": 50_000}).ask("bet.place", **bet("a", "field", 30_000))
        table.ask("bet.place", **bet("b", "field", 10_000))
        table.both("bet.restake", bet="b", amount_minor=20_500, clause="craps-gr L.1")
        table.ask("bet.restake", bet="a", amount_minor=20_000)

    def test_a_place_that_two_bets_fill_is_not_pressed(self) -> None:
        table = on_six("craps-by", maxima_minor={"maximum": 50_000})
        for name in ("x", "y"):
            table.ask("bet.place", **bet(name, "place", 18_000, number=8, after_win="stay"))
        throw(table, 4, 4)
        table.refused("bet.press", bet="x", clause="craps-by L")
