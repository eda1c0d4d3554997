"""Bets that rolls take off the craps layout, for a screen without signal: read from the results of the rolls."""

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any, NamedTuple, TypeAlias

from events.games.craps.craps_bet_struct_and_validity import CrapsBet
from events.games.craps.roll_results import Dice, roll
from events.games.craps.ruleset import POINTS, BetRule, CrapsRules, rules
from events.games.craps.table_picture import IN_BOX, cloth_fields
from events.rules.screen_declarations import BetsOff
from events.rules.taken_ruleset_version_struct import Numbers
from events.runtime.cache_until_declarations_change import cached_until_forgotten

ROLLS: tuple[Dice, ...] = tuple(combinations_with_replacement(range(1, 7), 2))
Wish: TypeAlias = bool | None  # whether the player has his bet on for a come-out; None: the house rule


class DecisiveRolls(NamedTuple):
    """The rolls after which a bet is off the layout, and those after which it is unless it stays after a win."""

    always: tuple[Dice, ...]
    unless_it_stays: tuple[Dice, ...]


@cached_until_forgotten
def offline_bets(plays: Numbers) -> tuple[BetsOff, ...]:
    """Return the bets that each roll takes off the layout or moves to a number. Line bets end with their round."""
    game = rules(plays)
    lines = tuple({"wager": wager} for wager, rule in game.data.bets.items() if _ends_with_round(game, rule))
    return (BetsOff(do="round.open", bets=lines), *_decided_bets(game), *_moves(game))


def _ends_with_round(game: CrapsRules, rule: BetRule) -> bool:
    return rule.form == "line" or (rule.form == "odds" and game.bet(rule.base).rule.form == "line")


def _decided_bets(game: CrapsRules) -> Iterator[BetsOff]:
    by_rolls: dict[tuple[bool | None, tuple[Dice, ...], bool], list[dict[str, Any]]] = {}
    for wager, rule in game.data.bets.items():
        if _ends_with_round(game, rule):
            continue
        for number in _numbers(rule):
            for is_first, data, decided in _by_roll(game, wager, number):
                for rolls, unless_it_stays in ((decided.always, False), (decided.unless_it_stays, True)):
                    if rolls:
                        by_rolls.setdefault((is_first, rolls, unless_it_stays), []).append(data)
    for (is_first, rolls, unless_it_stays), bets in by_rolls.items():
        yield BetsOff(
            do="dice.roll",
            field="dice",
            values=() if rolls == ROLLS else rolls,
            is_first=is_first,
            bets=tuple(bets),
            unless={"after_win": "stay"} if unless_it_stays else {},
        )


def _numbers(rule: BetRule) -> tuple[int | None, ...]:
    """Return the numbers of a bet's places; None: a place without one."""
    if rule.form == "one_roll" or rule.number is not None:
        return (None,)
    numbers = tuple(number for number in POINTS if number in rule.pays)
    return (None, *numbers) if rule.form == "travelling" else numbers


def _by_roll(
    game: CrapsRules, wager: str, number: int | None
) -> Iterator[tuple[bool | None, dict[str, Any], DecisiveRolls]]:
    """Yield the data of a bet, and the rolls that decide it: of the come-out, and of a later roll."""
    wishes: tuple[Wish, ...] = (None, True, False) if game.bet(wager).rule.player_decides else (None,)
    come_out = {wish: _decided(game, None, wager, number, wish) for wish in wishes}
    later = _decided(game, POINTS[0], wager, number, None)
    own = {"wager": wager, "number": number} if game.bet(wager).rule.form != "one_roll" else {"wager": wager}
    if set(come_out.values()) == {later}:
        yield None, own, later
        return
    yield False, own, later
    for wish, decided in come_out.items():
        yield True, own | ({"working": wish} if len(wishes) > 1 else {}), decided


def _decided(game: CrapsRules, point: int | None, wager: str, number: int | None, wish: Wish) -> DecisiveRolls:
    bet = CrapsBet("bet", wager, 1, number, working=wish)
    off = [dice for dice in ROLLS if not roll(game, point, [bet], dice).bets]
    staying = CrapsBet("bet", wager, 1, number, working=wish, after_win="stay")
    always = tuple(dice for dice in off if not roll(game, point, [staying], dice).bets)
    return DecisiveRolls(always, tuple(dice for dice in off if dice not in always))


def _moves(game: CrapsRules) -> Iterator[BetsOff]:
    """Come bets move to the number of the roll, where their chips are drawn."""
    fields = dict(cloth_fields(frozenset(game.data.bets)))
    for wager, rule in game.data.bets.items():
        for number in _numbers(rule)[1:] if rule.form == "travelling" else ():
            (x, y), (across, down) = fields[str(number)].middle, IN_BOX[wager]
            yield BetsOff(
                do="dice.roll",
                field="dice",
                values=tuple(dice for dice in ROLLS if sum(dice) == number),
                bets=({"wager": wager, "number": None},),
                becomes={"number": number},
                spot=(x + across, y + down),
            )
