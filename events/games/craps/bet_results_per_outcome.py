"""Odds of one throw: 36 ways of two dice decide the bets on the layout, or move them to their new value.

Most bets last several throws and others are laid in between, so they do not end together. The average gain of the house
from a bet on the layout is solved as in the par sheet (`par.ending`). The gain of a throw is its settlement plus its
change of that average. So nothing is counted twice, and all bets of a throw move together.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from msgspec.structs import replace

from events.games.craps import par
from events.games.craps.craps_bet_struct_and_validity import CrapsBet as CrapsBet
from events.games.craps.event_types import DiceRolled
from events.games.craps.point_shooter_and_dice_state import as_bet
from events.games.craps.roll_results import Dice, roll
from events.games.craps.ruleset import rules
from events.rules.bet_outcome_chance_structs import ChanceDecision, Chances, Risk, house_gain, micro, sure
from events.rules.taken_ruleset_version_struct import TakenRuleset
from events.tables.table_session_state_structs import Bet, Session

THROWS: tuple[Dice, ...] = tuple((first, two) for first in range(1, 7) for two in range(first, 7))
_WEIGHTS = tuple(1 if first == two else 2 for first, two in THROWS)
_Case = tuple[int, int]  # gain of the house, and the remaining part on the layout


def decision(session: Session, event: DiceRolled, bets: Mapping[str, Bet]) -> ChanceDecision:
    """Return the results of these bets for every throw at this point."""
    first, two = sorted(event.dice)
    return ChanceDecision(
        weights=_WEIGHTS,
        risks=tuple(_risk(session.plays, event.point, bet) for bet in bets.values()),
        case=THROWS.index((first, two)),
        basis="throw by throw",
    )


def _risk(plays: TakenRuleset, point: int | None, bet: Bet) -> Risk:
    cases = _cases(plays, point, replace(as_bet(bet), id="x", player="", base=None))
    return Risk(
        bet=bet.id,
        wager=bet.wager,
        player=bet.player,
        stake=bet.stake,
        gains=tuple(sure(gain) for gain, _ in cases),
        lies=tuple(lying for _, lying in cases),
    )


@lru_cache(maxsize=20_000)
def _cases(plays: TakenRuleset, point: int | None, bet: CrapsBet) -> tuple[_Case, ...]:
    return tuple(_case(plays, point, bet, dice) for dice in THROWS)


def _case(plays: TakenRuleset, point: int | None, bet: CrapsBet, dice: Dice) -> _Case:
    after = roll(rules(plays), point, (bet,), dice)
    (done,) = after.resolutions
    gain = house_gain(done.profit)
    if not after.bets:
        return gain, 0
    lying = micro(worth(plays, after.point_after, replace(after.bets[0], stake=par.STAKE)) * bet.stake)
    return gain + lying, lying


@lru_cache(maxsize=1_000)
def worth(plays: TakenRuleset, point: int | None, bet: CrapsBet) -> Fraction:
    """Return the house's average gain from one unit of a lying bet, until it is decided; commissions apart."""
    return -par.ending(rules(plays), point, (bet,), bet.id).profit


CHANCES = Chances(deciding=(DiceRolled,), decision=decision)
