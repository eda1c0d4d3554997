"""Craps around the throw: making and taking down bets, sizes, regular throws, the shooter, staff and dice."""

from fractions import Fraction
from typing import Any

import pytest

from events.errors import Invalid, Refused
from events.games.craps.craps_bet_struct_and_validity import CrapsBet, lie
from events.games.craps.craps_bet_struct_and_validity import commission as craps_commission
from events.games.craps.lawful_bet_changes import (
    BettingTable,
    after_win,
    may_place,
    no_roll,
    offer_dice,
    place,
    remove,
    restake,
    switch,
)
from events.games.craps.lawful_bet_changes import throw as craps_throw
from events.games.craps.roll_results import roll
from events.games.craps.ruleset import CrapsRules, rules
from events.games.craps.table_limits_and_size_checks import TableLimits, check_size, check_table, combo, odds_max, press
from events.games.craps.table_limits_and_size_checks import limits as craps_limits
from events.games.craps.throw_validity_and_next_shooter import (
    Throw,
    ThrownDie,
    check_dice,
    check_shooter,
    missing_staff,
    next_shooter,
    pay_order,
    throw_check,
)

GREEK = rules("craps-gr")
BELARUS = rules("craps-by")
BOTH = pytest.mark.parametrize("game", [GREEK, BELARUS], ids=lambda game: game.name)


def table(game: CrapsRules, point: int | None, *bets: CrapsBet) -> BettingTable:
    return BettingTable(point, lie(game, point, bets))


class TestPlacing:
    @BOTH
    @pytest.mark.parametrize(
        ("point", "bet", "clause"),
        [
            (6, CrapsBet("a", "pass", 10), "B.1"),
            (6, CrapsBet("a", "dont_pass", 10), "B."),
            (None, CrapsBet("a", "come", 10), "B.3"),
            (None, CrapsBet("a", "dont_come", 10), "B."),
            (6, CrapsBet("a", "come", 10, 5), "B.3"),
            (None, CrapsBet("a", "pass_odds", 10, base="f"), "B."),
            (6, CrapsBet("a", "pass_odds", 10, base="zz"), "B."),
        ],
    )
    def test_is_refused_with_its_clause(self, game: CrapsRules, point: int | None, bet: CrapsBet, clause: str) -> None:
        with pytest.raises(Refused) as refusal:
            may_place(game, table(game, point, CrapsBet("f", "pass", 10)), bet)
        assert f"{game.name} {clause}" in refusal.value.clause

    @BOTH
    @pytest.mark.parametrize("point", [None, 6])
    @pytest.mark.parametrize("name", ["place", "hardway", "field", "big6", "any7", "craps12"])
    def test_at_any_time(self, game: CrapsRules, point: int | None, name: str) -> None:
        number = 8 if name in ("place", "hardway") else None
        assert place(game, BettingTable(point), CrapsBet("a", name, 12, number)).bets[0].id == "a"

    @BOTH
    def test_twice_under_one_id_is_no_bet(self, game: CrapsRules) -> None:
        with pytest.raises(Invalid, match="id"):
            place(game, table(game, None, CrapsBet("a", "pass", 10)), CrapsBet("a", "field", 5))

    def test_odds_know_their_number(self) -> None:
        at = table(GREEK, 6, CrapsBet("c", "come", 5, 9), CrapsBet("p", "pass", 5))
        assert may_place(GREEK, at, CrapsBet("x", "come_odds", 5, base="c")).number == 9
        assert may_place(GREEK, at, CrapsBet("x", "pass_odds", 5, base="p")).number == 6

    def test_ends_when_the_dice_are_offered(self) -> None:  # P.11
        offered = offer_dice(BettingTable(6))
        with pytest.raises(Refused, match=r"P\.11"):
            place(GREEK, offered, CrapsBet("a", "field", 5))
        assert place(GREEK, no_roll(offered), CrapsBet("a", "field", 5)).bets
        assert place(GREEK, craps_throw(GREEK, offered, (1, 2))[0], CrapsBet("a", "field", 5)).bets

    def test_may_go_on_in_belarus_until_the_throw(self) -> None:
        assert place(BELARUS, offer_dice(BettingTable(6)), CrapsBet("a", "field", 5)).bets


class TestTakingDown:
    @pytest.mark.parametrize("point", [None, 6])
    @pytest.mark.parametrize("bet", [CrapsBet("a", "pass", 10), CrapsBet("a", "come", 10, 5)])
    def test_greek_contract_bets_stay(self, point: int | None, bet: CrapsBet) -> None:  # B.5
        with pytest.raises(Refused, match=r"B\.5"):
            remove(GREEK, table(GREEK, point, bet), "a")

    def test_belarusian_contract_bets_stay_while_a_point_is_on(self) -> None:  # BYC-11
        assert remove(BELARUS, table(BELARUS, None, CrapsBet("a", "pass", 10)), "a")[1] == 10
        for point, bet in [
            (6, CrapsBet("a", "pass", 10)),
            (6, CrapsBet("a", "come", 10)),
            (None, CrapsBet("a", "come", 10, 5)),
        ]:
            with pytest.raises(Refused, match=r"B\.1"):
                remove(BELARUS, table(BELARUS, point, bet), "a")

    def test_takes_the_odds_along(self) -> None:  # GRC-18
        at = table(
            GREEK,
            6,
            CrapsBet("d", "dont_pass", 10),
            CrapsBet("o1", "dont_pass_odds", 12, base="d"),
            CrapsBet("o2", "dont_pass_odds", 6, base="d"),
            CrapsBet("x", "field", 5),
        )
        after, returned = remove(GREEK, at, "d")
        assert ([bet.id for bet in after.bets], returned) == (["x"], 28)

    def test_of_odds_leaves_the_flat_bet(self) -> None:
        at = table(GREEK, 6, CrapsBet("p", "pass", 10), CrapsBet("o", "pass_odds", 10, base="p"))
        after, returned = remove(GREEK, at, "o")
        assert ([bet.id for bet in after.bets], returned) == (["p"], 10)

    @pytest.mark.parametrize(
        ("bet", "commission"),
        [
            (CrapsBet("a", "buy", 20, 5), 1),
            (CrapsBet("a", "buy", 30, 4), Fraction(3, 2)),
            (CrapsBet("a", "lay", 40, 4), 1),
            (CrapsBet("a", "lay", 456, 8), 19),
            (CrapsBet("a", "place", 20, 5), 0),
        ],
    )
    def test_gives_the_commission_back(self, bet: CrapsBet, commission: Any) -> None:  # B.7, BYC-7
        assert craps_commission(BELARUS, bet) == commission
        assert remove(BELARUS, table(BELARUS, None, bet), "a")[1] == bet.stake + commission

    @BOTH
    def test_of_nothing_is_invalid(self, game: CrapsRules) -> None:
        with pytest.raises(Invalid):
            remove(game, BettingTable(), "a")


class TestWishes:
    @BOTH
    def test_switch_a_place_bet_on(self, game: CrapsRules) -> None:
        at = switch(game, table(game, None, CrapsBet("a", "place", 12, 6)), "a", True)
        assert craps_throw(game, at, (3, 3))[1].resolutions[0].profit == 14

    @BOTH
    @pytest.mark.parametrize("name", ["pass", "field"])
    def test_do_not_switch_what_always_plays(self, game: CrapsRules, name: str) -> None:
        with pytest.raises(Refused, match="always in play"):
            switch(game, table(game, None, CrapsBet("a", name, 10)), "a", False)

    @BOTH
    def test_leave_a_winner_up(self, game: CrapsRules) -> None:
        at = after_win(game, table(game, 6, CrapsBet("a", "place", 12, 6)), "a", stay=True)
        assert craps_throw(game, at, (3, 3))[0].bets[0].stake == 12
        with pytest.raises(Refused):
            after_win(game, table(game, 6, CrapsBet("a", "field", 12)), "a", stay=True)


class TestRestaking:
    def test_a_place_bet(self) -> None:
        at = table(BELARUS, 6, CrapsBet("a", "place", 12, 6))
        assert restake(BELARUS, at, "a", 24).bets[0].stake == 24
        assert restake(BELARUS, at, "a", 6).bets[0].stake == 6

    @pytest.mark.parametrize(
        ("point", "bet"),
        [(6, CrapsBet("a", "pass", 10)), (6, CrapsBet("a", "dont_pass", 10)), (6, CrapsBet("a", "come", 10, 5))],
    )
    def test_no_line_bet_once_its_number_is_known(self, point: int, bet: CrapsBet) -> None:  # GRC-10
        with pytest.raises(Refused):
            restake(GREEK, table(GREEK, point, bet), "a", 20)

    def test_a_contract_bet_grows_before_the_throw_but_never_shrinks(self) -> None:
        at = table(GREEK, None, CrapsBet("a", "pass", 10))
        assert restake(GREEK, at, "a", 20).bets[0].stake == 20
        with pytest.raises(Refused, match=r"B\.5"):
            restake(GREEK, at, "a", 5)
        with pytest.raises(Refused, match=r"P\.11"):
            restake(GREEK, offer_dice(at), "a", 20)


class TestSizes:
    def test_greek_bands(self) -> None:
        limits = craps_limits(GREEK, 5, 200)
        assert (limits.valid, limits.table_max) == (True, 1000)
        assert limits.multi["hard4_10"] == (Fraction(1000, 7), Fraction(3000, 7))
        assert limits.multi["craps2_12"] == (Fraction(100, 3), 100)
        assert limits.multi["horn"] == (250, 750)
        assert limits.place["place"] == {4: 1000, 5: 1000, 6: 1200, 8: 1200, 9: 1000, 10: 1000}
        assert limits.place["place_wrong"] == {4: 2200, 5: 1600, 6: 1250, 8: 1250, 9: 1600, 10: 2200}

    @pytest.mark.parametrize(("multiple", "valid"), [(99, False), (100, True), (1000, True), (1001, False)])
    def test_the_multiple(self, multiple: int, valid: bool) -> None:
        assert craps_limits(GREEK, 1, multiple).valid is valid

    def test_belarus_has_none_in_figures(self) -> None:
        with pytest.raises(Refused):
            craps_limits(BELARUS, 1, 100)

    @pytest.mark.parametrize(
        ("side", "flat", "number", "most"),
        [("right", 25, 8, 25), ("wrong", 37, 9, Fraction(111, 2)), ("wrong", 5, 10, 10), ("wrong", 10, 6, 12)],
    )
    def test_greek_odds(self, side: Any, flat: int, number: int, most: Any) -> None:
        assert odds_max(GREEK, side, flat, number) == most

    @pytest.mark.parametrize(
        ("flat", "number", "most"),
        [(5, 4, 5), (5, 5, 6), (5, 6, 5), (6, 9, 6), (6, 8, 10), (1, 6, 5), (1, 9, 2), (7, 10, 7)],
    )
    def test_belarusian_odds(self, flat: int, number: int, most: int) -> None:
        assert odds_max(BELARUS, "right", flat, number) == most

    def test_no_odds_there(self) -> None:
        with pytest.raises(Refused, match=r"B\.2"):
            odds_max(BELARUS, "wrong", 5, 6)
        with pytest.raises(Refused):
            odds_max(GREEK, "right", 5, 7)
        with pytest.raises(Invalid):
            odds_max(GREEK, "right", 0, 6)

    @pytest.mark.parametrize(
        ("limits", "wrong"),
        [
            (TableLimits(5, 500), ""),
            (TableLimits(5, 5000, {"horn": 1250}), ""),
            (TableLimits(5, 499), r"L\.1"),
            (TableLimits(5, 5001), r"L\.1"),
            (TableLimits(5, 5000, {"horn": 1249}), r"L\.2"),
            (TableLimits(5, 5000, {"horn": 3751}), r"L\.2"),
        ],
    )
    def test_of_a_table(self, limits: TableLimits, wrong: str) -> None:
        if not wrong:
            check_table(GREEK, limits)
        else:
            with pytest.raises(Refused, match=wrong):
                check_table(GREEK, limits)

    @pytest.mark.parametrize(
        ("game", "bet", "fits"),
        [
            (GREEK, CrapsBet("x", "field", 5), True),
            (GREEK, CrapsBet("x", "field", 4), False),
            (GREEK, CrapsBet("x", "field", 1001), False),
            (GREEK, CrapsBet("x", "place", 1200, 6), True),
            (GREEK, CrapsBet("x", "place", 1201, 6), False),
            (GREEK, CrapsBet("x", "place_wrong", 2200, 4), True),
            (GREEK, CrapsBet("x", "place_wrong", 2201, 4), False),
            (GREEK, CrapsBet("x", "hardway", 300, 6), True),
            (GREEK, CrapsBet("x", "hardway", 400, 6), False),
            (GREEK, CrapsBet("x", "pass_odds", 10, base="p"), True),
            (GREEK, CrapsBet("x", "pass_odds", 11, base="p"), False),
            (GREEK, CrapsBet("x", "dont_pass_odds", 12, base="d"), True),
            (GREEK, CrapsBet("x", "dont_pass_odds", 13, base="d"), False),
            (BELARUS, CrapsBet("x", "place", 12, 6), True),
            (BELARUS, CrapsBet("x", "place", 10, 6), False),
            (BELARUS, CrapsBet("x", "place", 12, 5), False),
        ],
    )
    def test_of_a_bet(self, game: CrapsRules, bet: CrapsBet, fits: bool) -> None:
        at = table(game, 6, CrapsBet("d", "dont_pass", 10), CrapsBet("p", "pass", 10))
        laid = may_place(game, at, bet)
        if fits:
            check_size(game, TableLimits(5, 1000), at, laid)
        else:
            with pytest.raises(Refused):
                check_size(game, TableLimits(5, 1000), at, laid)

    def test_count_what_lies_there_already(self) -> None:
        with pytest.raises(Refused, match="over the maximum"):
            check_size(GREEK, TableLimits(5, 500), BettingTable(), CrapsBet("x", "field", 300), already=300)


class TestPressAndCombinations:
    @pytest.mark.parametrize(("choice", "after", "in_hand"), [("same", 18, 21), ("press", 36, 3), ("down", 0, 39)])
    def test_press(self, choice: Any, after: int, in_hand: int) -> None:
        done = press(BELARUS, 6, 18, choice)
        assert (done.profit, done.stake_after, done.to_player) == (21, after, in_hand)

    @pytest.mark.parametrize(("number", "stake", "choice"), [(7, 18, "same"), (6, 0, "same"), (6, 6, "double")])
    def test_no_press(self, number: int, stake: int, choice: Any) -> None:
        with pytest.raises((Refused, Invalid)):
            press(BELARUS, number, stake, choice)

    def test_combinations(self) -> None:
        assert combo(BELARUS, "inside", 5) == {5: 25, 6: 30, 8: 30, 9: 25}
        with pytest.raises(Refused):
            combo(BELARUS, "upside", 5)
        with pytest.raises(Invalid):
            combo(BELARUS, "inside", 0)

    def test_greece_knows_neither(self) -> None:
        with pytest.raises(Refused):
            press(GREEK, 6, 6, "press")
        with pytest.raises(Refused):
            combo(GREEK, "inside", 1)


class TestThrows:
    @pytest.mark.parametrize(
        ("throw", "reasons"),
        [
            (Throw(2, 1), set()),
            (Throw(1, 1), {"not_past_middle"}),
            (Throw(2, 0), {"end_not_hit"}),
            (Throw(0, 0, slid=True), {"not_past_middle", "end_not_hit", "slid"}),
            (Throw(2, 1, in_dice_bowl=True), {"in_dice_bowl"}),
            (Throw(2, 1, off_dice_bowl=True, in_chip_bank=True), {"off_dice_bowl", "in_chip_bank"}),
        ],
    )
    def test_greek(self, throw: Throw, reasons: set[str]) -> None:
        assert set(throw_check(GREEK, throw)) == reasons

    @pytest.mark.parametrize(
        ("throw", "reasons"),
        [
            (Throw(hit_end=2), set()),
            (Throw(hit_end=1), {"end_not_hit"}),
            (Throw(past_middle=0, hit_end=2, slid=True), set()),
            (Throw(cocked=True, off_table=True), {"cocked", "off_table"}),
        ],
    )
    def test_belarusian(self, throw: Throw, reasons: set[str]) -> None:
        assert set(throw_check(BELARUS, throw)) == reasons

    def test_three_dice_are_none(self) -> None:
        with pytest.raises(Invalid):
            throw_check(GREEK, Throw(hit_end=3))


class TestShooter:
    seats = ("p1", "p2", "p3")

    @pytest.mark.parametrize(
        ("current", "dice_pass", "declines", "shooter"),
        [
            (None, False, (), "p1"),
            (None, False, ("p1",), "p2"),
            ("p2", False, (), "p2"),
            ("p2", False, ("p2",), "p3"),
            ("p2", True, (), "p3"),
            ("p3", True, (), "p1"),
            ("p3", True, ("p1", "p2"), "p3"),
            ("p3", True, ("p1", "p2", "p3"), None),
        ],
    )
    def test_goes_round(self, current: str | None, dice_pass: bool, declines: Any, shooter: str | None) -> None:
        turn = next_shooter(self.seats, current, declines, dice_pass=dice_pass)
        assert (turn.shooter, turn.line_bet_needed) == (shooter, shooter is not None)

    def test_must_sit_somewhere(self) -> None:
        assert next_shooter((), None, (), dice_pass=False).shooter is None
        with pytest.raises(Invalid):
            next_shooter(self.seats, "p9", (), dice_pass=True)

    @pytest.mark.parametrize(("game", "clause"), [(GREEK, r"P\.12"), (BELARUS, r"P\.9")])
    def test_needs_a_line_bet(self, game: CrapsRules, clause: str) -> None:
        check_shooter(game, [CrapsBet("a", "dont_pass", 10)])
        with pytest.raises(Refused, match=clause):
            check_shooter(game, [CrapsBet("a", "field", 10)])


class TestProcedure:
    five = tuple(ThrownDie("A17", "red") for _ in range(5))

    @BOTH
    def test_two_of_five_dice(self, game: CrapsRules) -> None:
        check_dice(game, self.five, (0, 3))
        for on_table, chosen in [(self.five[:4], (0, 1)), (self.five, (0,)), (self.five, (1, 1))]:
            with pytest.raises(Refused):
                check_dice(game, on_table, chosen)
        with pytest.raises(Invalid):
            check_dice(game, self.five, (0, 5))

    def test_belarusian_dice_are_alike(self) -> None:
        mixed = (*self.five[:4], ThrownDie("B20", "red"))
        check_dice(GREEK, mixed, (0, 4))
        with pytest.raises(Refused, match=r"P\.2"):
            check_dice(BELARUS, mixed, (0, 4))

    def test_staff(self) -> None:
        assert missing_staff(GREEK, "mini", {"boxman": 1, "dealer": 1}) == {}
        assert missing_staff(GREEK, "full", {"boxman": 1, "dealer": 1}) == {"dealer": 1, "stickman": 1}
        with pytest.raises(Invalid):
            missing_staff(GREEK, "huge", {})

    def test_losing_bets_first_place_bets_last(self) -> None:  # craps-by P.14
        bets = lie(
            BELARUS,
            6,
            [
                CrapsBet("a", "place", 12, 8, after_win="stay"),
                CrapsBet("b", "big8", 5),
                CrapsBet("c", "come", 5, 8),
                CrapsBet("d", "any7", 5),
                CrapsBet("e", "hardway", 5, 8),
                CrapsBet("f", "pass", 5),
                CrapsBet("g", "field", 5),
            ],
        )
        outcome = roll(BELARUS, 6, bets, (4, 4))
        assert pay_order(BELARUS, outcome, {bet.id: bet for bet in bets}) == ["d", "g", "e", "b", "c", "a"]
