"""Craps throw by throw: what each bet does, by the clauses of the rule book."""

from fractions import Fraction
from typing import Any

import pytest

from events.errors import Invalid, Refused, Unknown
from events.games.craps.craps_bet_struct_and_validity import CrapsBet, lie
from events.games.craps.lawful_bet_changes import BettingTable, throw
from events.games.craps.roll_results import roll
from events.games.craps.ruleset import CrapsRules, CrapsSettings, rules

GREEK = rules("craps-gr")
BELARUS = rules("craps-by")
BOTH = pytest.mark.parametrize("game", [GREEK, BELARUS], ids=lambda game: game.name)


def id_of_value(value: object) -> str:
    """A test's name, the same in every process: a set from a file that was compiled before comes in another order."""
    return str(sorted(value)) if isinstance(value, set) else str(value)


def result(
    game: CrapsRules, point: int | None, bet: CrapsBet, dice: tuple[int, int], *flat: CrapsBet
) -> tuple[str, Any]:
    """Return outcome and profit of one bet on one throw, with its flat bet on the layout."""
    outcome = roll(game, point, lie(game, point, [*flat, bet]), dice)
    done = next(done for done in outcome.resolutions if done.bet == bet.id)
    return done.outcome, done.profit


def totals(game: CrapsRules, point: int | None, bet: CrapsBet) -> dict[str, set[int]]:
    """The totals by which a bet is decided, by outcome (dice as soft as can be)."""
    totals_: dict[str, set[int]] = {}
    for total in range(2, 13):
        outcome, _ = result(game, point, bet, (min(total - 1, 6), total - min(total - 1, 6)))
        totals_.setdefault(outcome, set()).add(total)
    return totals_


@BOTH
@pytest.mark.parametrize(
    ("bet", "point", "wins", "loses"),
    [
        (CrapsBet("a", "pass", 1), None, {7, 11}, {2, 3, 12}),
        (CrapsBet("a", "pass", 1), 9, {9}, {7}),
        (CrapsBet("a", "dont_pass", 1), None, {2, 3}, {7, 11}),
        (CrapsBet("a", "dont_pass", 1), 9, {7}, {9}),
        (CrapsBet("a", "come", 1), 9, {7, 11}, {2, 3, 12}),
        (CrapsBet("a", "come", 1, 5), 9, {5}, {7}),
        (CrapsBet("a", "come", 1, 5), None, {5}, {7}),
        (CrapsBet("a", "dont_come", 1), 9, {2, 3}, {7, 11}),
        (CrapsBet("a", "dont_come", 1, 5), None, {7}, {5}),
        (CrapsBet("a", "field", 1), None, {2, 3, 4, 9, 10, 11, 12}, {5, 6, 7, 8}),
        (CrapsBet("a", "big6", 1), 9, {6}, {7}),
        (CrapsBet("a", "big8", 1), 9, {8}, {7}),
        (CrapsBet("a", "any7", 1), 9, {7}, {2, 3, 4, 5, 6, 8, 9, 10, 11, 12}),
        (CrapsBet("a", "eleven", 1), 9, {11}, {2, 3, 4, 5, 6, 7, 8, 9, 10, 12}),
        (CrapsBet("a", "any_craps", 1), 9, {2, 3, 12}, {4, 5, 6, 7, 8, 9, 10, 11}),
        (CrapsBet("a", "place", 1, 4), 9, {4}, {7}),
        (CrapsBet("a", "place", 1, 4), None, set(), set()),
        (CrapsBet("a", "place", 1, 4, working=True), None, {4}, {7}),
        (CrapsBet("a", "place", 1, 4, working=False), 9, {4}, {7}),
    ],
    ids=id_of_value,
)
def test_what_wins_and_loses(
    game: CrapsRules, bet: CrapsBet, point: int | None, wins: set[int], loses: set[int]
) -> None:
    totals_ = totals(game, point, bet)
    assert (totals_.get("win", set()), totals_.get("lose", set())) == (wins, loses)


@pytest.mark.parametrize(
    ("bet", "point", "wins", "loses"),
    [
        (CrapsBet("a", "under7", 1), None, {2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}),
        (CrapsBet("a", "over7", 1), None, {8, 9, 10, 11, 12}, {2, 3, 4, 5, 6, 7}),
        (CrapsBet("a", "horn", 1), None, {2, 3, 11, 12}, {4, 5, 6, 7, 8, 9, 10}),
        (CrapsBet("a", "place_wrong", 1, 8), 9, {7}, {8}),
        (CrapsBet("a", "place_wrong", 1, 8), None, set(), set()),
        (CrapsBet("a", "big6", 1), None, {6}, {7}),
    ],
    ids=id_of_value,
)
def test_greek_bets(bet: CrapsBet, point: int | None, wins: set[int], loses: set[int]) -> None:
    totals_ = totals(GREEK, point, bet)
    assert (totals_.get("win", set()), totals_.get("lose", set())) == (wins, loses)


@pytest.mark.parametrize(
    ("bet", "point", "wins", "loses"),
    [
        (CrapsBet("a", "buy", 20, 4), 9, {4}, {7}),
        (CrapsBet("a", "buy", 20, 4), None, set(), set()),
        (CrapsBet("a", "lay", 20, 4), None, {7}, {4}),
        (CrapsBet("a", "lay", 20, 4, working=False), None, {7}, {4}),
        (CrapsBet("a", "big6", 1), None, set(), set()),
        (CrapsBet("a", "big8", 1, working=True), None, {8}, {7}),
    ],
    ids=id_of_value,
)
def test_belarusian_bets(bet: CrapsBet, point: int | None, wins: set[int], loses: set[int]) -> None:
    totals_ = totals(BELARUS, point, bet)
    assert (totals_.get("win", set()), totals_.get("lose", set())) == (wins, loses)


PAYS = [
    ("place", 4, (1, 3), "9/5"),
    ("place", 9, (4, 5), "7/5"),
    ("place", 6, (1, 5), "7/6"),
    ("hardway", 4, (2, 2), 7),
    ("hardway", 6, (3, 3), 9),
    ("hardway", 8, (4, 4), 9),
    ("hardway", 10, (5, 5), 7),
    ("field", None, (1, 1), 2),
    ("field", None, (6, 6), 2),
    ("field", None, (4, 5), 1),
    ("any7", None, (3, 4), 4),
    ("eleven", None, (5, 6), 15),
    ("any_craps", None, (1, 2), 7),
    ("craps2", None, (1, 1), 30),
    ("craps3", None, (1, 2), 15),
    ("craps12", None, (6, 6), 30),
]


@BOTH
@pytest.mark.parametrize(("type_", "number", "dice", "profit"), PAYS)
def test_pays(game: CrapsRules, type_: str, number: int | None, dice: tuple[int, int], profit: int | str) -> None:
    assert result(game, 5, CrapsBet("a", type_, 1, number), dice) == ("win", Fraction(profit))


@pytest.mark.parametrize(
    ("game", "type_", "number", "dice", "profit"),
    [
        (GREEK, "horn", None, (1, 1), 4),
        (GREEK, "horn", None, (5, 6), 4),
        (GREEK, "under7", None, (1, 1), 1),
        (GREEK, "place_wrong", 4, (3, 4), "5/11"),
        (GREEK, "place_wrong", 5, (3, 4), "5/8"),
        (GREEK, "place_wrong", 6, (3, 4), "4/5"),
        (BELARUS, "buy", 4, (2, 2), 2),
        (BELARUS, "buy", 9, (4, 5), "3/2"),
        (BELARUS, "buy", 8, (4, 4), "6/5"),
        (BELARUS, "lay", 10, (3, 4), "1/2"),
        (BELARUS, "lay", 9, (3, 4), "2/3"),
        (BELARUS, "lay", 8, (3, 4), "5/6"),
    ],
)
def test_pays_of_one_ruleset(
    game: CrapsRules, type_: str, number: int | None, dice: tuple[int, int], profit: int | str
) -> None:
    assert result(game, 5, CrapsBet("a", type_, 1, number), dice) == ("win", Fraction(profit))


@BOTH
@pytest.mark.parametrize("dice", [(1, 5), (5, 1), (2, 4), (3, 4)])
def test_a_hard_six_loses_on_a_seven_and_on_a_soft_six(game: CrapsRules, dice: tuple[int, int]) -> None:
    assert result(game, None, CrapsBet("a", "hardway", 5, 6), dice) == ("lose", -5)


@BOTH
@pytest.mark.parametrize(
    ("type_", "flat", "point", "dice", "profit"),
    [
        ("pass_odds", "pass", 4, (1, 3), 20),
        ("pass_odds", "pass", 5, (1, 4), 15),
        ("pass_odds", "pass", 6, (1, 5), 12),
        ("pass_odds", "pass", 6, (3, 4), -10),
        ("come_odds", "come", 8, (4, 4), 12),
    ],
)
def test_odds_pay_true(game: CrapsRules, type_: str, flat: str, point: int, dice: tuple[int, int], profit: int) -> None:
    base = CrapsBet("f", flat, 10, point if flat == "come" else None)
    outcome = "win" if profit > 0 else "lose"
    assert result(game, point, CrapsBet("a", type_, 10, base="f"), dice, base) == (outcome, profit)


@pytest.mark.parametrize(("number", "profit"), [(4, 15), (5, 20), (6, 25), (8, 25), (9, 20), (10, 15)])
@pytest.mark.parametrize("flat", ["dont_pass", "dont_come"])
def test_laid_odds(flat: str, number: int, profit: int) -> None:
    base = CrapsBet("f", flat, 10, number if flat == "dont_come" else None)
    assert result(GREEK, number, CrapsBet("a", f"{flat}_odds", 30, base="f"), (3, 4), base) == ("win", profit)


class TestComeOddsOnTheComeOut:
    flat = CrapsBet("c", "come", 10, 5)
    odds = CrapsBet("o", "come_odds", 10, base="c")

    def test_are_handed_back_when_the_flat_bet_is_decided(self) -> None:  # GRC-5
        assert result(GREEK, None, self.odds, (3, 4), self.flat) == ("push", 0)
        assert result(GREEK, None, self.odds, (1, 4), self.flat) == ("push", 0)
        assert result(GREEK, None, self.odds, (1, 3), self.flat) == ("stands", 0)

    def test_play_where_the_player_asked(self) -> None:
        odds = CrapsBet("o", "come_odds", 10, base="c", working=True)
        assert result(GREEK, None, odds, (3, 4), self.flat) == ("lose", -10)
        assert result(GREEK, None, odds, (1, 4), self.flat) == ("win", 15)

    def test_play_in_belarus_unless_the_house_sets_otherwise(self) -> None:  # BYC-3
        assert result(BELARUS, None, self.odds, (1, 4), self.flat) == ("win", 15)
        off = rules("craps-by", CrapsSettings(off_on_come_out={"come_odds": True}))
        assert result(off, None, self.odds, (1, 4), self.flat) == ("push", 0)

    def test_leave_with_their_flat_bet(self) -> None:
        table = BettingTable(None, lie(GREEK, None, [self.flat, self.odds]))
        after, _ = throw(GREEK, table, (3, 4))
        assert after.bets == ()


@BOTH
def test_a_come_bet_travels(game: CrapsRules) -> None:
    outcome = roll(game, 6, (CrapsBet("c", "come", 10), CrapsBet("d", "dont_come", 10)), (1, 3))
    assert [(done.outcome, done.number) for done in outcome.resolutions] == [("stands", 4), ("stands", 4)]
    assert [bet.number for bet in outcome.bets] == [4, 4]


@BOTH
@pytest.mark.parametrize(
    ("point", "dice", "after", "seven_out"),
    [
        (None, (1, 1), None, False),
        (None, (3, 4), None, False),
        (None, (5, 6), None, False),
        (None, (2, 2), 4, False),
        (None, (5, 5), 10, False),
        (6, (2, 2), 6, False),
        (6, (5, 6), 6, False),
        (6, (3, 3), None, False),
        (6, (3, 4), None, True),
    ],
)
def test_the_point(
    game: CrapsRules, point: int | None, dice: tuple[int, int], after: int | None, seven_out: bool
) -> None:
    outcome = roll(game, point, (), dice)
    assert (outcome.come_out, outcome.point_after, outcome.seven_out) == (point is None, after, seven_out)


@BOTH
def test_a_winning_bet_stays_where_its_player_leaves_it(game: CrapsRules) -> None:
    bets = lie(
        game,
        6,
        [
            CrapsBet("c", "come", 10, 6, after_win="stay"),
            CrapsBet("down", "place", 12, 6),
            CrapsBet("f", "field", 5, after_win="stay"),
            CrapsBet("p", "pass", 10, after_win="stay"),
            CrapsBet("stay", "place", 12, 6, after_win="stay"),
        ],
    )
    outcome = roll(game, 6, bets, (1, 5))
    assert [bet.id for bet in outcome.bets] == ["p", "stay"]


@BOTH
@pytest.mark.parametrize("type_", ["dont_pass", "dont_come"])
def test_the_barred_twelve_is_a_tie(game: CrapsRules, type_: str) -> None:
    point = 6 if type_ == "dont_come" else None
    assert result(game, point, CrapsBet("a", type_, 10), (6, 6)) == ("push", 0)
    assert result(game, point, CrapsBet("a", type_, 10), (1, 1)) == ("win", 10)


def test_a_belarusian_house_may_bar_the_two() -> None:  # BYC-1
    game = rules("craps-by", CrapsSettings(bar=2))
    assert result(game, None, CrapsBet("a", "dont_pass", 10), (6, 6)) == ("win", 10)
    assert result(game, None, CrapsBet("a", "dont_pass", 10), (1, 1)) == ("push", 0)


class TestSettings:
    def test_choose_where_the_text_is_open(self) -> None:
        split_horn = {2: "27:4", 3: "3:1", 11: "3:1", 12: "27:4"}
        game = rules("craps-gr", CrapsSettings(pays={"horn": split_horn}))
        assert result(game, None, CrapsBet("a", "horn", 4), (1, 1)) == ("win", 27)
        big_on = rules("craps-by", CrapsSettings(off_on_come_out={"big6": False}))
        assert result(big_on, None, CrapsBet("a", "big6", 10), (3, 3)) == ("win", 10)

    @pytest.mark.parametrize(
        ("name", "settings"),
        [
            ("craps-gr", CrapsSettings(bar=2)),
            ("craps-by", CrapsSettings(bar=3)),
            ("craps-gr", CrapsSettings(off_on_come_out={"place": False})),
            ("craps-gr", CrapsSettings(off_on_come_out={"nonsense": False})),
            ("craps-by", CrapsSettings(pays={"place": {4: "2:1"}})),
            ("craps-gr", CrapsSettings(commission_again=True)),
        ],
    )
    def test_do_not_overrule_the_text(self, name: str, settings: CrapsSettings) -> None:
        with pytest.raises(Refused, match=name):
            rules(name, settings)

    def test_need_every_pay(self) -> None:
        with pytest.raises(Invalid):
            rules("craps-gr", CrapsSettings(pays={"horn": {2: "30:1"}}))
        with pytest.raises(Invalid):
            rules("craps-by", CrapsSettings(pays={"eleven": {11: "fifteen"}}))

    def test_may_say_what_holds_anyway(self) -> None:
        assert rules("craps-gr", CrapsSettings(bar=12, commission_again=False)).data.bar == 12

    def test_may_ask_the_commission_after_every_win(self) -> None:  # BYC-6
        game = rules("craps-by", CrapsSettings(commission_again=True))
        bets = lie(game, 6, [CrapsBet("b", "buy", 20, 5, after_win="stay")])
        (done,) = roll(game, 6, bets, (1, 4)).resolutions
        assert (done.profit, done.commission) == (30, 1)


@BOTH
@pytest.mark.parametrize("dice", [(0, 7), (7, 1), (1, 0), (1,), (1, 2, 3), [1, 2], None])
def test_dice_that_are_none(game: CrapsRules, dice: Any) -> None:
    with pytest.raises(Invalid, match="dice"):
        roll(game, None, (), dice)


def test_a_point_that_is_none() -> None:
    with pytest.raises(Invalid, match="point"):
        roll(GREEK, 7, (), (1, 2))


def test_there_is_no_other_craps() -> None:
    with pytest.raises(Unknown):
        rules("craps-xx")


@pytest.mark.parametrize(
    ("game", "bets"),
    [
        (GREEK, [CrapsBet("a", "buy", 20, 4)]),
        (GREEK, [CrapsBet("a", "lay", 20, 4)]),
        (BELARUS, [CrapsBet("a", "horn", 4)]),
        (BELARUS, [CrapsBet("a", "under7", 4)]),
        (BELARUS, [CrapsBet("a", "place_wrong", 4, 4)]),
        (BELARUS, [CrapsBet("f", "dont_pass", 4), CrapsBet("a", "dont_pass_odds", 4, base="f")]),
        (GREEK, [CrapsBet("a", "nonsense", 4)]),
        (GREEK, [CrapsBet("a", "place", 10, 7)]),
        (GREEK, [CrapsBet("a", "place", 10)]),
        (GREEK, [CrapsBet("a", "hardway", 10, 5)]),
        (GREEK, [CrapsBet("a", "come", 10, 7)]),
        (GREEK, [CrapsBet("a", "pass_odds", 10)]),
        (GREEK, [CrapsBet("a", "pass_odds", 10, base="zz")]),
        (GREEK, [CrapsBet("f", "dont_pass", 4), CrapsBet("a", "pass_odds", 10, base="f")]),
        (GREEK, [CrapsBet("f", "come", 4), CrapsBet("a", "come_odds", 10, base="f")]),
        (GREEK, [CrapsBet("f", "come", 4, 5), CrapsBet("a", "come_odds", 10, 6, base="f")]),
    ],
)
def test_what_cannot_lie_is_refused(game: CrapsRules, bets: list[CrapsBet]) -> None:
    with pytest.raises(Refused) as refusal:
        lie(game, 6, bets)
    assert refusal.value.clause.startswith(f"{game.name} ")
    assert refusal.value.source


@pytest.mark.parametrize(
    "bets", [[CrapsBet("a", "pass", 0)], [CrapsBet("a", "pass", -5)], [CrapsBet("a", "pass", 5)] * 2]
)
def test_what_cannot_be_read_is_invalid(bets: list[CrapsBet]) -> None:
    with pytest.raises(Invalid):
        lie(GREEK, None, bets)


def test_pass_odds_need_the_point() -> None:
    with pytest.raises(Refused, match=r"B\.13"):
        lie(GREEK, None, [CrapsBet("f", "pass", 10), CrapsBet("a", "pass_odds", 10, base="f")])
