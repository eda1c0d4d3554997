"""Blazing 7's as the guide (004) has it: who may bet, what sevens pay, how a meter is shared, envy, and the odds."""

from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from events.errors import Invalid, Refused
from events.games.blazing7s import json_case_settlement, par
from events.games.blazing7s import rules as blazing7s
from events.games.blazing7s.par import PlayAssumptions, fixed_return, funding, percent
from events.games.blazing7s.rules import LevelSettings
from events.progressives import envy, hit_locks_of_a_level, jackpot_hit_facts_in_fold, meter, round_facts_fold_steps
from events.progressives.meter import contributed_units, displayed_minor, meter_after_shares
from events.progressives.sharing_policies import policy
from events.rules.bonus_hand_counts_by_packs import counts, probability

RULES = blazing7s.rules()


@pytest.mark.parametrize(
    ("cards", "class_"),
    [
        ("7D 7D 7D", "mega"),
        ("7H 7H 7H", "major"),
        ("7S 7S 7S", "major"),
        ("7D 7D 7H", "minor"),
        ("7S 7C 7C", "minor"),
        ("7D 7S 7H", "three7"),
        ("7D 7S 8H", "two7"),
        ("7D 8S 7H", "one7"),
        ("8D 7S 2H", "one7"),
        ("8D 8S 7H", "none"),
    ],
)
def test_the_line_of_the_table(cards: str, class_: str) -> None:
    first, second, dealer = cards.split()
    assert blazing7s.classify([first, second], dealer) == class_
    assert blazing7s.classify([second, first], dealer) == class_


def test_only_two_cards_of_the_player_count() -> None:
    with pytest.raises(Refused, match="first two cards"):
        blazing7s.classify(["7D", "7D", "7D"], "7D")


@pytest.mark.parametrize(
    ("class_", "to_one", "for_one"),
    [
        ("three7", (100_000, 100_500), (99_500, 100_000)),
        ("two7", (12_500, 13_000), (12_000, 12_500)),
        ("one7", (1_000, 1_500), (500, 1_000)),
        ("none", (-500, 0), (-500, 0)),
    ],
)
def test_fixed_pays(class_: blazing7s.Class, to_one: tuple[int, int], for_one: tuple[int, int]) -> None:
    assert blazing7s.settle_fixed(RULES, class_, 500) == to_one
    assert blazing7s.settle_fixed(replace(RULES, basis="for"), class_, 500) == for_one


@pytest.mark.parametrize("class_", blazing7s.LEVELS)
def test_a_hit_is_not_paid_from_the_float(class_: blazing7s.Class) -> None:
    with pytest.raises(Refused, match="paid by the device"):
        blazing7s.settle_fixed(RULES, class_, 500)


@pytest.mark.parametrize(
    ("wants", "holder"),
    [
        ((), None),
        ((True, True), "p0"),
        ((False, True), "p1"),
        ((False, False, True), "p2"),
        ((False,) * 3 + (True,), None),
    ],
)
def test_the_right_passes_down_the_box(wants: tuple[bool, ...], holder: str | None) -> None:
    box = [(f"p{i}", want) for i, want in enumerate(wants)]
    assert blazing7s.right_holder(RULES, box) == holder
    assert blazing7s.right_holder(RULES, box, dealing_started=True) is None


def test_a_bet_that_may_not_be() -> None:
    box = [("Ann", False), ("Bob", True)]
    blazing7s.check_bet(RULES, box, "Bob", 500)
    for player, stake, armed, lying, clause in (
        ("Ann", 500, False, 0, "P.2"),
        ("Bob", 700, False, 0, "L.1"),
        ("Bob", 500, True, 0, "P.1"),
        ("Bob", 500, False, 1, "P.2"),
    ):
        with pytest.raises(Refused) as caught:
            blazing7s.check_bet(RULES, box, player, stake, armed=armed, bets_on_box=lying)
        assert caught.value.clause == f"blazing7s {clause}"


def test_fifteen_to_twenty_per_cent_are_withheld() -> None:
    assert blazing7s.withhold(RULES, Fraction(3, 20), 333) == (Fraction(999, 20), Fraction(5661, 20))
    assert blazing7s.withhold(RULES, Fraction(1, 5), 500) == (100, 400)
    for rate in (Fraction(149, 1000), Fraction(201, 1000)):
        with pytest.raises(Refused, match="15 to 20 %"):
            blazing7s.withhold(RULES, rate, 500)


def test_a_meter_keeps_what_cannot_be_shared() -> None:
    held = 1000 + contributed_units(Fraction(1, 7), [500, 250])
    assert (held, displayed_minor(held)) == (Fraction(7750, 7), 1107)
    each = policy("split").share(displayed_minor(held), 2)
    assert (each, meter_after_shares(held, Fraction(200), 2 * each)) == (553, 200 + Fraction(8, 7))
    with pytest.raises(Invalid):
        _awarded([])


def _awarded(winners: list[str]) -> dict[str, Any]:
    events = [{"award": {"tier": "mega", "winners": winners}}]
    return json_case_settlement.progressive(
        "blazing7s", {"pools": {"mega": {"value": "7750/7", "seed": 200, "rate": 0}}, "events": events}
    )


@pytest.mark.parametrize(
    ("source", "name", "house"),
    [
        (envy, "due_envy", jackpot_hit_facts_in_fold),
        (envy, "best", jackpot_hit_facts_in_fold),
        (meter, "contributed_units", round_facts_fold_steps),
        (meter, "displayed_minor", hit_locks_of_a_level),
        (meter, "meter_after_shares", hit_locks_of_a_level),
    ],
)
def test_settle_and_the_house_run_the_same_functions(source: Any, name: str, house: Any) -> None:
    assert getattr(json_case_settlement, name) is getattr(house, name) is getattr(source, name)


def test_envy_is_for_the_others_at_the_table() -> None:
    low_and_high = {"Ann": 0, "Bob": 1, "Cy": 0}
    inputs: dict[str, Any] = {
        "participants": [{"id": player, "level": level} for player, level in low_and_high.items()],
        "winners": [{"id": "Ann", "tier": "mega"}, {"id": "Bob", "tier": "minor"}],
    }
    assert json_case_settlement.envy("blazing7s", inputs)["envy"] == {"Ann": 2_500, "Bob": 100_000, "Cy": 52_500}
    with_own = json_case_settlement.envy("blazing7s", inputs | {"envy_to_winner": True})["envy"]
    assert with_own == {"Ann": 52_500, "Bob": 105_000, "Cy": 52_500}


def test_odds_with_six_packs() -> None:
    """One hand in 250,666 is the Mega: 6 * 5 * 4 of 312 * 311 * 310 deals."""
    assert 1 / probability(blazing7s.classify, 6, "mega") == 250_666
    ways = {
        class_: count // 3 for class_, count in counts(blazing7s.classify, 6).items() if class_ not in ("one7", "none")
    }
    assert (ways["mega"], ways["major"], ways["minor"], ways["three7"]) == (20, 60, 360, 1584)


@pytest.mark.parametrize(
    ("packs", "to_one", "for_one"), [(4, "0.624", "0.476"), (5, "0.627", "0.479"), (6, "0.628", "0.480")]
)
def test_fixed_return(packs: int, to_one: str, for_one: str) -> None:
    """The maker's tables say "for one": http://user-casino.com/games/blackjack/side-bets/blazing-7s/ ."""
    assert round(fixed_return(RULES, packs), 3) == Fraction(to_one)
    assert round(fixed_return(replace(RULES, basis="for"), packs), 3) == Fraction(for_one)


def test_every_share_of_the_stake_is_accounted_for() -> None:
    for packs in (4, 5, 6):
        sheet = funding(RULES, packs)
        assert sum(row.share for row in sheet.rows) == 1
        assert sheet.warnings == ()
    assert [row.label for row in sheet.rows] == [
        *("fixed pays", "mega meter", "mega reserve", "major meter", "minor meter", "seeds", "envy", "house")
    ]


def test_the_sheet_by_hand() -> None:
    """One level that can be won, one stake, three bets a round: each figure is one multiplication."""
    none, mega = LevelSettings(0, 0, 0), LevelSettings(1_000_000, 150_000, 2_000)
    rules = replace(RULES, levels={"mega": mega, "major": none, "minor": none}, stakes=(1000, 1000))
    sheet = funding(rules, 6, PlayAssumptions(bets_a_round=Fraction(3), high_share=Fraction(0)))
    shares = {row.label: row.share for row in sheet.rows}
    assert shares["seeds"] == Fraction(1000, 250_666) - Fraction(2, 1000)
    envy = Fraction(2, 1000) * (Fraction(50_000 + 3 * 12_500, 250_666) + Fraction(360 * 2_500, 5_013_320))
    assert shares["envy"] == envy
    assert sheet.meter_when_hit["mega"] == 1_000_000 + 150 * 250_666
    assert sheet.bets_between_hits["mega"] == 250_666


def test_a_sheet_that_does_not_add_up_says_so() -> None:
    greedy = replace(RULES, withhold_ppm=200_000, levels=RULES.levels | {"major": LevelSettings(5_000_000, 65_000, 0)})
    assert [warning.split(",")[0] for warning in funding(greedy, 6).warnings] == [
        "fixed pays",
        "after seeds and envy the house is left with 8.06 %",
    ]
    out_of_band = replace(RULES, withhold_ppm=210_000, levels=RULES.levels | {"major": LevelSettings(0, 0, 0)})
    assert [warning.split(",")[0] for warning in funding(out_of_band, 4).warnings] == [
        "the contribution rate",
        "the rate withheld",
    ]


def test_a_shoe_of_eight_packs_is_refused() -> None:
    with pytest.raises(Refused, match="4 to 6 packs"):
        funding(RULES, 8)


def test_par_lists_odds_and_sheet() -> None:
    assert [edge.condition for edge in par.edges("blazing7s")] == [
        f"{packs} packs, fixed pays to 1" for packs in (4, 5, 6)
    ]
    labels = [line.label for line in par.lines("blazing7s")]
    assert "5 packs: mega" in labels
    assert "5 packs: house" in labels
    assert percent(Fraction(-1, 30)) == "-3.33 %"
