"""Properties of craps for any bets and any throws."""

from contextlib import suppress
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.errors import PitledgerError
from events.games.cases import kinds
from events.games.craps.craps_bet_struct_and_validity import CrapsBet, commission, lie
from events.games.craps.lawful_bet_changes import BettingTable, remove, throw
from events.games.craps.roll_results import ThrowOutcome, roll
from events.games.craps.ruleset import POINTS, CrapsRules, rules

GAMES = [rules("craps-gr"), rules("craps-by")]
DICE = st.tuples(st.integers(1, 6), st.integers(1, 6))
POINT = st.sampled_from([None, *POINTS])
STAY: list[Literal["stay", "down"]] = ["stay", "down"]
LATER = {"come", "dont_come"}


@st.composite
def tables(draw: st.DrawFn) -> tuple[CrapsRules, BettingTable]:
    """Draw a table with up to a dozen valid bets. Odds bets come with their flat bets."""
    game, point = draw(st.sampled_from(GAMES)), draw(POINT)
    bets: list[CrapsBet] = []
    for place in range(draw(st.integers(0, 8))):
        bets += _bets(draw, game, point, f"b{place:02}")
    return game, BettingTable(point, lie(game, point, bets))


def _bets(draw: st.DrawFn, game: CrapsRules, point: int | None, id_: str) -> list[CrapsBet]:
    name = draw(st.sampled_from(game.bets()))
    rule = game.bet(name).rule
    stake, wish = draw(st.integers(1, 500)), draw(st.sampled_from([None, True, False]))
    stay = draw(st.sampled_from(STAY))
    if rule.form != "odds":
        numbers = [*POINTS] if name in LATER else [*rule.pays]
        number = draw(st.sampled_from(numbers)) if rule.form in ("number", "travelling", "hardway") else None
        return [CrapsBet(id_, name, stake, number, working=wish, after_win=stay)]
    if rule.base not in LATER and point is None:
        return []
    number = draw(st.sampled_from(POINTS)) if rule.base in LATER else None
    return [
        CrapsBet(f"{id_}f", rule.base, 10, number),
        CrapsBet(id_, name, stake, base=f"{id_}f", working=wish, after_win=stay),
    ]


def only(outcome: ThrowOutcome, id_: str) -> Any:
    return next(done for done in outcome.resolutions if done.bet == id_)


@given(tables(), DICE)
def test_every_bet_is_resolved_once_and_leaves_when_decided(
    at: tuple[CrapsRules, BettingTable], dice: tuple[int, int]
) -> None:
    game, table = at
    after, outcome = throw(game, table, dice)
    assert [done.bet for done in outcome.resolutions] == [bet.id for bet in table.bets]
    left = {bet.id for bet in after.bets}
    for bet in table.bets:
        done = only(outcome, bet.id)
        stays = done.outcome == "stands" or (done.outcome == "win" and bet.after_win == "stay" and bet.id in left)
        assert (bet.id in left) == stays
        assert (done.outcome == "win") == (done.profit > 0)
        assert done.profit == (-bet.stake if done.outcome == "lose" else max(done.profit, 0))


@given(tables(), DICE)
def test_odds_never_outlive_their_flat_bet(at: tuple[CrapsRules, BettingTable], dice: tuple[int, int]) -> None:
    game, table = at
    after, _ = throw(game, table, dice)
    left = {bet.id for bet in after.bets}
    assert all(bet.base in left for bet in after.bets if game.bet(bet.type).rule.form == "odds")
    assert lie(game, after.point, after.bets) == after.bets


@given(tables(), DICE)
def test_bets_do_not_touch_each_other(at: tuple[CrapsRules, BettingTable], dice: tuple[int, int]) -> None:
    game, table = at
    together = roll(game, table.point, table.bets, dice)
    for bet in table.bets:
        assert roll(game, table.point, (bet,), dice).resolutions == (only(together, bet.id),)


@given(tables(), DICE, st.integers(2, 50))
def test_profit_grows_with_the_stake(at: tuple[CrapsRules, BettingTable], dice: tuple[int, int], times: int) -> None:
    game, table = at
    for bet in table.bets:
        larger = CrapsBet(bet.id, bet.type, bet.stake * times, bet.number, bet.base, bet.working)
        once = only(roll(game, table.point, (bet,), dice), bet.id)
        assert only(roll(game, table.point, (larger,), dice), bet.id).profit == once.profit * times


@given(POINT, DICE, st.sampled_from(POINTS), st.booleans())
def test_right_and_wrong_are_opposites(point: int | None, dice: tuple[int, int], number: int, on: bool) -> None:
    opposite = {"win": "lose", "lose": "win", "stands": "stands", "push": "push"}
    pairs = [("place", "place_wrong", number)] + ([("pass", "dont_pass", None)] if dice != (6, 6) else [])
    for right, wrong, at in pairs:
        bets = lie(GAMES[0], point, [CrapsBet("r", right, 9, at, working=on), CrapsBet("w", wrong, 9, at, working=on)])
        outcome = roll(GAMES[0], point, bets, dice)
        assert only(outcome, "w").outcome == opposite[only(outcome, "r").outcome]


@given(tables(), st.data())
def test_what_comes_down_is_what_was_put_up(at: tuple[CrapsRules, BettingTable], data: st.DataObject) -> None:
    game, table = at
    bets = [bet for bet in table.bets if game.bet(bet.type).rule.contract == "never"]
    if not bets:
        return
    bet = data.draw(st.sampled_from(bets))
    after, returned = remove(game, table, bet.id)
    gone = [old for old in table.bets if old not in after.bets]
    assert {old.id for old in gone} == {bet.id} | {old.id for old in table.bets if old.base == bet.id}
    assert returned == sum(old.stake + commission(game, old) for old in gone)


WORDS = "id type stake number base working place remove roll bet on bar"
NAMES = (
    "point bets rolls events options minimum multiple flat number side stake choice name unit hit_end past_middle slid "
    "seats current declines dice_pass"
)
FIELDS = st.sampled_from(WORDS.split())
TOP = st.sampled_from(NAMES.split())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 13) | st.floats(0, 10) | st.sampled_from(["a", "pass", "place", "zz"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("ruleset", "kind"), [(ruleset, kind) for ruleset in ("craps-gr", "craps-by") for kind in kinds(ruleset)]
)
@given(given=st.dictionaries(TOP, JSON, max_size=6))
def test_anything_at_all_is_answered_or_refused(ruleset: str, kind: str, given: dict[str, Any]) -> None:
    with suppress(PitledgerError):
        assert isinstance(kinds(ruleset)[kind](given), dict)
