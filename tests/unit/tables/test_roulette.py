"""Roulette at the table: phases, limits found late, no spin, and every refusal with its clause."""

from typing import Any

from events.envelope import Who
from events.tables.event_types.rounds import BetSettled
from tests.support.tables.in_memory_tables import INSPECTOR, TableInMemory, opened, roulette_table


def bet(name: str, wager: str = "red", amount: int = 1_000, player: str = "Ann", **fields: Any) -> dict[str, Any]:
    return {"bet": name, "wager": wager, "amount_minor": amount, "player": player, "seat": 1, **fields}


def spun(table: TableInMemory, wheel: str = "ccw", ball: str = "cw") -> TableInMemory:
    return table.ask("ball.launch", wheel=wheel, ball=ball)


def with_bets(*bets: dict[str, Any], ruleset: str = "roulette-french", **limits: Any) -> TableInMemory:
    table = roulette_table(ruleset, **limits).ask("round.open")
    for bet_ in bets:
        table.ask("bet.place", **bet_)
    return table


def landed(table: TableInMemory, number: int) -> TableInMemory:
    return spun(table).ask("bets.close").ask("ball.land", number=number)


class TestRouletteBets:
    def test_are_taken_while_the_ball_runs_and_not_after(self) -> None:  # P.3
        table = spun(with_bets(bet("a"))).ask("bet.place", **bet("b")).ask("bets.close")
        table.refused("bet.place", **bet("c"), clause="roulette-french P.3")
        table.fact("bet.place", **bet("c"), irregular="roulette-french P.3")
        assert (table.settled("c").outcome, table.settled("c").returned_minor) == ("void", 1_000)
        table.ask("ball.land", number=1).end().chips_are_conserved()

    def test_lie_on_places_of_the_layout(self) -> None:  # P.7
        table = with_bets()
        table.refused("bet.place", **bet("x", "split", numbers=[1, 5]), clause="roulette-french P.7")
        table.refused("bet.place", **bet("x", "two_dozens", which=1), clause="roulette-french P.7")

    def test_are_not_below_the_minimum(self) -> None:  # L
        with_bets().both("bet.place", **bet("x", "red", 400), clause="roulette-french L")

    def test_half_or_prison_is_a_french_choice(self) -> None:  # B
        table = with_bets(ruleset="roulette-american")
        table.refused("bet.place", **bet("x", on_zero="half"), clause="roulette-american B")

    def test_what_lies_plays_after_no_more_bets(self) -> None:  # P.3
        table = spun(with_bets(bet("a"), bet("b"))).ask("bets.close")
        table.both("bet.withdraw", bet="a", clause="roulette-french P.3")
        table.chips_are_conserved()

    def test_an_assistant_touches_no_chips(self) -> None:  # P.6
        ass = Who(person="al", roles=frozenset({"dealer"}), factor_s=0)
        table = with_bets(bet("a", "red")).lead("staff.assign", post="assistant", person="al")
        table.both("bet.place", who=ass, **bet("x"), clause="roulette-french P.6")


LIMITS: dict[str, Any] = {"maxima_minor": {"straight": 10_000, "red": 180_000}}


class TestOverTheMaximum:
    def over(self, number: int) -> TableInMemory:
        table = with_bets(**LIMITS)
        big = bet("x", "straight", 12_000, numbers=[7])
        table.refused("bet.place", **big, clause="roulette-french I.1")
        table.fact("bet.place", **big, irregular="roulette-french I.1")
        return landed(table, number)

    def test_found_late_on_a_win_pays_the_maximum_and_hands_back_the_excess(self) -> None:  # I.2
        table = self.over(7)
        assert table.settled("x").profit_minor == 350_000
        assert table.settled("x").returned_minor == 12_000
        table.end().chips_are_conserved()

    def test_found_late_on_a_loss_hands_back_the_excess(self) -> None:  # I.2
        table = self.over(8)
        assert (table.settled("x").profit_minor, table.settled("x").returned_minor) == (-10_000, 2_000)
        table.end().chips_are_conserved()

    def test_counts_all_that_a_player_has_on_the_place(self) -> None:  # ROU-6
        table = with_bets(bet("a", "straight", 8_000, numbers=[7]), **LIMITS)
        table.ask("bet.place", **bet("o", "straight", 8_000, player="Bob", numbers=[7]))
        table.fact("bet.place", **bet("b", "straight", 6_000, numbers=[7]), irregular="roulette-french I.1")
        table.fact("bet.place", **bet("c", "straight", 500, numbers=[7]), irregular="roulette-french I.1")
        landed(table, 8)
        assert [table.settled(name).profit_minor for name in "abco"] == [-8_000, -2_000, 0, -8_000]
        assert [table.settled(name).returned_minor for name in "abco"] == [0, 4_000, 500, 0]
        table.end().chips_are_conserved()

    def test_posted_maxima_lie_in_their_bands(self) -> None:  # L
        table = opened("roulette", "roulette-french")
        limits: dict[str, Any] = {"minimum_minor": 500, "maxima_minor": {"straight": 50_000}}
        table.both("limits.post", who=INSPECTOR, **limits, clause="roulette-french L")


class TestTheSpin:
    def test_the_wheel_turns_against_the_time_before(self) -> None:  # P.1, ROU-9
        table = landed(with_bets(), 4).end().ask("round.open")
        table.both("ball.launch", wheel="ccw", ball="cw", clause="roulette-french P.1")

    def test_a_ball_with_the_wheel_is_no_spin(self) -> None:  # P.2
        with_bets().both("ball.launch", wheel="cw", ball="cw", clause="roulette-french P.2")

    def test_fewer_than_four_turns_are_no_spin(self) -> None:  # P.2
        table = spun(with_bets()).ask("bets.close")
        table.both("ball.land", number=4, revolutions=3, clause="roulette-french P.2")
        spun(with_bets()).ask("bets.close").ask("ball.land", number=4, revolutions=4)

    def test_no_spin_leaves_the_bets_as_they_lie(self) -> None:  # P.2
        table = spun(with_bets(bet("a"))).ask("spin.call_off", reason="a chip fell into the wheel")
        assert (table.state.phase, set(table.state.bets)) == ("open", {"a"})
        spun(table, "cw", "ccw").ask("bets.close")

    def test_no_more_bets_is_called_before_the_ball_rests(self) -> None:  # P.3
        spun(with_bets(bet("a"))).both("ball.land", number=1, clause="roulette-french P.3")

    def test_losing_bets_come_first_then_columns_chances_dozens_and_numbers(self) -> None:  # P.5
        bets = [
            bet("n", "straight", numbers=[1]),
            bet("l", "black"),
            bet("d", "dozen", which=1),
            bet("e", "red"),
            bet("c", "column", which=1),
        ]
        table = landed(with_bets(*bets), 1)
        assert [event.bet for event in table.events if isinstance(event, BetSettled)] == list("lcedn")


class TestPrison:
    def test_a_stake_stays_through_zeros_and_is_freed(self) -> None:  # B, ROU-2
        table = landed(with_bets(bet("a", on_zero="prison")), 0)
        assert table.state.bets["a"].zeros == 1
        table.end().ask("round.open")
        spun(table, "cw", "ccw").ask("bets.close").ask("ball.land", number=1)
        assert table.settled("a").outcome == "released"
        table.end().chips_are_conserved()
        assert table.players["Ann"] == 0
        table.replays()

    def test_the_last_coup_must_be_cashed(self) -> None:  # ROU-4
        table = spun(with_bets(bet("a", on_zero="prison"))).ask("bets.close").ask("ball.land", number=0, last_coup=True)
        assert (table.settled("a").outcome, table.settled("a").returned_minor) == ("half", 500)
