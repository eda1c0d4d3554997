"""Roulette at the table, with the cases of `settle`: a choice at every zero, maxima by player, and the last coup."""

from typing import Any

import pytest

from tests.support.tables.in_memory_tables import INSPECTOR, WATCH, TableInMemory, baccarat_table, roulette_table


def red(name: str = "a", amount: int = 8_000, player: str = "Ann", **fields: Any) -> dict[str, Any]:
    return {"bet": name, "wager": "red", "amount_minor": amount, "player": player, "seat": 1, **fields}


def spun(table: TableInMemory, number: int, **fields: Any) -> TableInMemory:
    """Spin until the ball rests, and open a round first if none is open."""
    if table.state.phase == "idle":
        table.ask("round.open")
    wheel = "cw" if table.state.play.turned == "ccw" else "ccw"
    table.ask("ball.launch", wheel=wheel, ball="ccw" if wheel == "cw" else "cw")
    return table.ask("bets.close").ask("ball.land", number=number, **fields)


def zero(on_zero: str | None = "prison", ruleset: str = "roulette-french", **limits: Any) -> TableInMemory:
    """80.00 on red, and the first zero."""
    wish: dict[str, Any] = {"on_zero": on_zero} if on_zero else {}
    return spun(roulette_table(ruleset, **limits).ask("round.open").ask("bet.place", **red(**wish)), 0)


def second_zero() -> TableInMemory:
    return spun(zero().end(), 0)


def outcome(table: TableInMemory) -> tuple[str, int, int, int]:
    bet = table.settled("a")
    return bet.outcome, bet.profit_minor, bet.returned_minor, bet.remaining_minor


class TestTheChoiceAtEveryZero:
    """002 §6b"""

    def test_half_is_taken_back_at_the_second_zero(self) -> None:
        table = second_zero().ask("bet.instruct", bet="a", on_zero="half")
        assert outcome(table) == ("half", -6_000, 2_000, 0)
        table.end().chips_are_conserved()
        assert table.players["Ann"] == -6_000
        table.replays()

    def test_and_is_reported_as_a_fact(self) -> None:
        table = second_zero().fact("bet.instruct", bet="a", on_zero="half")
        assert outcome(table) == ("half", -6_000, 2_000, 0)

    def test_and_is_told_before_the_ball_falls(self) -> None:
        for phase in range(4):  # between rounds, open, spinning, no more bets
            table = zero().end()
            steps: list[tuple[str, dict[str, Any]]] = [
                ("round.open", {}),
                ("ball.launch", {"wheel": "cw", "ball": "ccw"}),
                ("bets.close", {}),
                ("ball.land", {"number": 0}),
            ]
            steps.insert(phase, ("bet.instruct", {"bet": "a", "on_zero": "half"}))
            for kind, data in steps:
                table.ask(kind, **data)
            assert outcome(table) == ("half", -6_000, 2_000, 0)

    def test_and_at_the_third(self) -> None:
        table = spun(second_zero().end(), 0).ask("bet.instruct", bet="a", on_zero="half")
        assert outcome(table) == ("half", -7_000, 1_000, 0)

    def test_is_taken_at_the_table_by_taking_the_half_back(self) -> None:
        table = second_zero().ask("bet.withdraw", bet="a")
        assert outcome(table) == ("half", -6_000, 2_000, 0)

    def test_prison_is_chosen_when_half_was_due(self) -> None:
        table = zero(None)
        assert outcome(table) == ("half", -4_000, 4_000, 0)
        table.ask("bet.instruct", bet="a", on_zero="prison")
        assert outcome(table) == ("prison", 0, 0, 8_000)
        assert table.state.bets["a"].zeros == 1
        spun(table.end(), 1).end().chips_are_conserved()
        assert (outcome(table), table.players["Ann"]) == (("released", 0, 8_000, 0), 0)
        table.replays()

    def test_is_free_until_the_round_ends_and_counts_each_zero_once(self) -> None:
        table = second_zero()
        for choice in ("half", "prison", "prison", "half", "prison"):
            table.ask("bet.instruct", bet="a", on_zero=choice).chips_are_conserved()
            table.replays()
        assert table.state.bets["a"].zeros == 2
        spun(table.end(), 1)
        assert outcome(table) == ("released", -4_000, 4_000, 0)

    def test_leaves_an_excess_over_the_maximum_out(self) -> None:  # ROU-12
        for choice, other in (("half", "prison"), ("prison", "half")):
            table = roulette_table(minimum_minor=10, maxima_minor={"red": 3_601}).ask("round.open")
            table.fact("bet.place", irregular="roulette-french I.1", **red(on_zero=choice))
            spun(table, 0).ask("bet.instruct", bet="a", on_zero=other)
            excess = {"half": 0, "prison": 4_399}[other]
            # An odd stake: half of it is rounded down.
            expected = ("half", -1_801, 1_800, 0) if other == "half" else ("prison", 0, excess, 3_601)
            assert outcome(table) == expected
            table.end().chips_are_conserved()

    def test_is_taken_back_with_a_void_round(self) -> None:
        for choices in (["half"], ["half", "prison"], []):
            table = second_zero()
            for choice in choices:
                table.ask("bet.instruct", bet="a", on_zero=choice)
            table.approved("round.void", round=2, reason="the ball was touched", by=WATCH)
            assert (table.state.bets["a"].zeros, table.state.bets["a"].stake) == (1, 8_000)
            table.chips_are_conserved()
            table.replays()

    def test_is_none_where_no_zero_fell(self) -> None:
        table = spun(roulette_table().ask("round.open").ask("bet.place", **red()), 2)
        table.refused("bet.instruct", bet="a", on_zero="half", clause="roulette-french B")

    def test_is_none_after_the_third(self) -> None:  # ROU-3
        table = spun(spun(second_zero().end(), 0).end(), 0)
        table.refused("bet.instruct", bet="a", on_zero="half", clause="roulette-french B")

    def test_is_none_on_the_last_coup(self) -> None:  # ROU-4
        table = spun(zero().end(), 0, last_coup=True)
        assert outcome(table) == ("half", -6_000, 2_000, 0)
        table.refused("bet.instruct", bet="a", on_zero="prison", clause="roulette-french B")

    def test_is_none_in_the_american_game(self) -> None:
        table = roulette_table("roulette-american").ask("round.open").ask("bet.place", **red())
        table.refused("bet.instruct", bet="a", on_zero="half", clause="roulette-american B")
        spun(table, 0).refused("bet.instruct", bet="a", on_zero="half", clause="roulette-american B")

    def test_is_for_even_chances(self) -> None:
        table = roulette_table().ask("round.open").ask("bet.place", **{**red(), "wager": "dozen", "which": 1})
        table.refused("bet.instruct", bet="a", on_zero="half", clause="roulette-french B")
        table.invalid("bet.instruct", bet="a", working=True, field="data")

    def test_is_over_when_the_round_is(self) -> None:
        """After the round, the player can only decide at the next zero. A half already paid is an irregularity."""
        table = second_zero().end().both("bet.withdraw", bet="a", clause="roulette-french B")
        assert outcome(table) == ("half", -6_000, 2_000, 0)
        table.chips_are_conserved()
        table.replays()


class TestTheLastCoup:
    def test_is_the_last(self) -> None:  # ROU-4
        table = spun(roulette_table(), 3, last_coup=True).end()
        table.both("round.open", clause="roulette-french B")

    def test_was_none_when_it_is_void(self) -> None:
        table = spun(roulette_table(), 3, last_coup=True)
        table.approved("round.void", round=1, reason="the ball was touched", by=WATCH)
        table.ask("round.open")


class TestMaximaByPlayer:
    """ROU-6"""

    def limited(self) -> TableInMemory:
        table = roulette_table(maxima_minor={"straight": 10_000}).ask("round.open")
        own = {"wager": "straight", "minimum_minor": 1_000, "maximum_minor": 15_000}
        return table.lead("limit.mark", player="Bob", seat=2, **own)

    def seven(self, name: str, player: str, amount: int) -> dict[str, Any]:
        return {**red(name, amount, player), "wager": "straight", "numbers": [7]}

    def test_are_two_for_one_kind_of_bet_in_one_round(self) -> None:
        table = self.limited()
        table.refused("bet.place", **self.seven("a", "Ann", 12_000), clause="roulette-french I.1")
        table.ask("bet.place", **self.seven("b", "Bob", 12_000))
        table.refused("bet.place", **self.seven("b2", "Bob", 4_000), clause="roulette-french I.1")

    def test_come_with_a_minimum(self) -> None:
        table = self.limited().ask("bet.place", **self.seven("a", "Ann", 500))
        table.refused("bet.place", **self.seven("b", "Bob", 500), clause="roulette-french L")

    def test_are_paid_on_where_an_excess_was_found_late(self) -> None:  # I.2
        table = self.limited()
        for name, player in (("a", "Ann"), ("b", "Bob")):
            table.fact("bet.place", irregular="roulette-french I.1", **self.seven(name, player, 20_000))
        spun(table, 7)
        assert (table.settled("a").profit_minor, table.settled("b").profit_minor) == (350_000, 525_000)
        assert (table.settled("a").returned_minor, table.settled("b").returned_minor) == (20_000, 20_000)
        table.end().chips_are_conserved()
        table.replays()

    @pytest.mark.parametrize(
        ("wrong", "field"),
        [
            ({"wager": None}, "data.wager"),
            ({"wager": "two_dozens"}, "data.wager"),
            ({"minimum_minor": 16_000}, "data.maximum_minor"),
        ],
    )
    def test_name_a_kind_of_bet_and_a_span(self, wrong: dict[str, Any], field: str) -> None:
        own = {"wager": "straight", "minimum_minor": 500, "maximum_minor": 15_000, **wrong}
        data = {name: value for name, value in own.items() if value is not None}
        roulette_table().invalid("limit.mark", who=INSPECTOR, player="Bob", seat=2, field=field, **data)

    def test_lie_in_their_band(self) -> None:  # L
        own: dict[str, Any] = {"player": "Bob", "seat": 2, "wager": "straight", "minimum_minor": 500}
        roulette_table().both("limit.mark", who=INSPECTOR, **own, maximum_minor=15_001, clause="roulette-french L")

    def test_do_not_change_while_the_ball_runs(self) -> None:
        table = roulette_table().ask("round.open").ask("ball.launch", wheel="cw", ball="ccw")
        own: dict[str, Any] = {
            "player": "Bob",
            "seat": 2,
            "wager": "straight",
            "minimum_minor": 500,
            "maximum_minor": 15_000,
        }
        table.refused("limit.mark", who=INSPECTOR, **own, clause="roulette phase")

    def test_stay_when_the_wheel_turns_and_a_spin_is_called_off(self) -> None:
        table = spun(self.limited(), 3).end().ask("round.open").ask("ball.launch", wheel="cw", ball="ccw")
        table.ask("spin.call_off", reason="a chip").ask("bet.place", **self.seven("b", "Bob", 12_000))

    def test_at_baccarat_are_for_both_sides(self) -> None:
        own = {"player": "Bob", "seat": 2, "wager": "player", "minimum_minor": 500, "maximum_minor": 15_000}
        baccarat_table().invalid("limit.mark", who=INSPECTOR, field="data.wager", **own)
