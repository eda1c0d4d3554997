"""Bets that a screen without signal takes off the layout: as the rules of the game do."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import pytest

from events.games.craps.craps_bet_struct_and_validity import AfterWin, CrapsBet
from events.games.craps.roll_results import roll
from events.games.craps.ruleset import POINTS, rules
from events.games.roulette.layout import EVEN_CHANCES, TYPES
from events.rules.game_declaration_and_registry import at_tables
from events.rules.screen_declarations import BetsOff

ROLLS = tuple((first, second) for first, second in product(range(1, 7), repeat=2) if first <= second)
LINES = {"pass", "dont_pass", "pass_odds", "dont_pass_odds"}
AFTER_WIN: tuple[AfterWin, ...] = ("down", "stay")


def has(bet: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    return all(bet.get(name) == value for name, value in data.items())


def left(
    ends: Iterable[BetsOff], bet: Mapping[str, Any], do: str, value: Any = None, *, is_first: bool = True
) -> dict[str, Any] | None:
    """Return the bet after an action, or None if it left the layout, as `afterAction` of the script does."""
    valid = [
        end
        for end in ends
        if end.do == do
        and end.is_first in (None, is_first)
        and (not end.values or value in end.values)
        and any(has(bet, data) for data in end.bets)
        and not (end.unless and has(bet, end.unless))
    ]
    if any(not end.becomes for end in valid):
        return None
    return dict(bet) | dict(valid[0].becomes) if valid else dict(bet)


@pytest.mark.parametrize("ruleset", ["craps-gr", "craps-by"])
def test_a_roll_leaves_the_bets_that_the_rules_leave(ruleset: str) -> None:
    game, screen = rules(ruleset), at_tables()["craps"].screen
    assert screen is not None
    ends = screen.offline_bets(ruleset)
    compared = 0
    for wager, number, working, after in product(game.bets(), (None, *POINTS), (None, True, False), AFTER_WIN):
        rule = game.bet(wager).rule
        if wager in LINES or (working is not None and not rule.player_decides):
            continue
        if (after == "stay" and not rule.may_stay) or not _lies(rule.form, rule.number, number, rule.pays):
            continue
        for point, dice in product((None, *POINTS), ROLLS):
            bet = CrapsBet("b", wager, 1, number, working=working, after_win=after)
            data = {"wager": wager, "number": number, "working": working, "after_win": after}
            [stays] = roll(game, point, [bet], dice).bets or [None]
            own = left(ends, data, "dice.roll", dice, is_first=point is None)
            assert (own is None) == (stays is None), (data, point, dice)
            if stays is not None and own is not None:
                assert own["number"] == stays.number, (data, point, dice)
            compared += 1
    assert compared > 5_000
    assert all(left(ends, {"wager": wager}, "round.open") is None for wager in LINES & set(game.bets()))
    assert left(ends, {"wager": "hardway", "number": 6}, "round.open") is not None or "hardway" not in game.bets()


def _lies(form: str, own: int | None, number: int | None, pays: Mapping[int, str]) -> bool:
    if form == "one_roll" or own is not None:
        return number is None
    return number in pays or (number is None and form == "travelling")


@pytest.mark.parametrize("number", [0, 17])
def test_a_number_leaves_stakes_en_prison_only(number: int) -> None:
    screen = at_tables()["roulette"].screen
    assert screen is not None
    for wager in TYPES:
        bet = {"wager": wager, "on_zero": "prison" if wager in EVEN_CHANCES else None}
        stays = number == 0 and wager in EVEN_CHANCES
        assert (left(screen.offline_bets("roulette-french"), bet, "ball.land", number) is not None) == stays
        assert left(screen.offline_bets("roulette-american"), bet, "ball.land", number) is None
    halved = {"wager": "red", "on_zero": None}
    assert left(screen.offline_bets("roulette-french"), halved, "ball.land", 0) is None


@pytest.mark.parametrize("game", ["blackjack", "baccarat"])
def test_cards_end_every_bet_with_the_round(game: str) -> None:
    screen = at_tables()[game].screen
    assert screen is not None
    assert left(screen.offline_bets(game), {"wager": "main"}, "round.open") is None
    assert left(screen.offline_bets(game), {"wager": "main"}, "round.end") is not None
