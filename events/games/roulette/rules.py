"""Roulette, American and French, single zero: the bets, and a spin's results for them. [002 §4, §6, §7b]

Amounts are integers in any one unit. A result is an int, or a Fraction where half of an odd stake is due. The text has
no rounding rule; a house applies its own afterwards. All functions are pure. Other modules: `layout` (places on the
cloth), `prison` (stakes en prison), `procedure` (limits, acceptance, no spin, order of payment, staff).
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from events.error_codes import ErrorText, coded
from events.errors import Invalid, NoSuchBet, Refused
from events.games.roulette.en_prison_stake_results import Choice, Prison, ZeroRule, after_zero
from events.games.roulette.layout import EVEN_CHANCES, NUMBERS, TYPES, Place, covered, touches_zero
from events.rules import loading_and_pinning_rulesets
from events.rules.exact_amount_parsing import Amount
from events.rules.taken_ruleset_version_struct import Numbers

Outcome = Literal["win", "lose", "half", "prison"]


class RouletteRules(Struct, frozen=True, forbid_unknown_fields=True):
    """A roulette ruleset as data: `rulesets/roulette-*.json`.

    `payouts` is profit to one, `maxima` the least and greatest multiple of the table's minimum that a place's
    maximum may be. `zero_places` are the splits, streets and the corner with zero (ROU-5).
    """

    name: str
    version: str
    title: str
    source: str
    payouts: Mapping[str, int]
    maxima: Mapping[str, tuple[int, int]]
    even_chances_on_zero: ZeroRule
    zero_places: bool = True
    least_turns: int = 4
    readings: Mapping[str, str] = {}

    def __post_init__(self) -> None:
        for field in (self.payouts, self.maxima):
            if set(field) != set(TYPES):
                raise ValueError(f"payouts and maxima are needed for exactly: {', '.join(TYPES)}")


class RouletteBet(Struct, frozen=True, omit_defaults=True, rename={"maximum": "max"}):
    """A stake on a place: `numbers` for bets on numbers, `which` (1 to 3) for columns and dozens.

    `maximum` (in JSON `max`) is the place's maximum where an excess was not noticed in time; `on_zero` the player's
    wish for an even chance in the French game.
    """

    id: str
    type: str
    stake: int
    numbers: tuple[int, ...] = ()
    which: int | None = None
    player: str = ""
    maximum: int | None = None
    on_zero: Choice | None = None


class RouletteResult(Struct, frozen=True):
    """Result of a spin for a bet.

    `profit` never contains the stake. `returned` is the part of the stake that goes back, with an excess over the
    maximum. `in_prison` stays on the cloth. Always stake + min(profit, 0) = returned + in_prison.
    """

    bet: str
    outcome: Outcome
    profit: Amount
    returned: Amount
    in_prison: int = 0


def rules(ruleset: Numbers) -> RouletteRules:
    """The numbers of a ruleset. Raises Unknown, or Invalid for data that does not fit."""
    numbers: RouletteRules = loading_and_pinning_rulesets.load(ruleset, RouletteRules)
    return numbers


def check_number(number: object) -> int:
    """A position of the wheel, 0 to 36. Raises Invalid otherwise. [002 §2]"""
    if isinstance(number, bool) or not isinstance(number, int) or number not in NUMBERS:
        raise Invalid("number", coded("wheel-number-unknown"))
    return number


def check_bet(game: RouletteRules, bet: RouletteBet) -> Place:
    """The numbers that the bet covers. Raises Refused where no such bet exists, Invalid for a stake below 1."""
    if bet.stake < 1:
        raise Invalid("stake", coded("stake-not-positive"))
    if bet.maximum is not None and bet.maximum < 1:
        raise Invalid("max", coded("maximum-not-positive"))
    if bet.on_zero is not None:
        check_choice(game, bet.type)
    return check_place(game, bet.type, bet.numbers, bet.which)


def check_choice(game: RouletteRules, bet_type: str) -> None:
    """Raise Refused for a bet on which zero leaves no choice."""
    if bet_type not in EVEN_CHANCES or game.even_chances_on_zero.rule == "lose":
        raise Refused(f"{game.name} B", coded("choice-for-even-chances"), source="002 §6")


def _not_on_layout(bet_type: str, numbers: Sequence[int], which: int | None) -> ErrorText:
    places = numbers or (() if which is None else (which,))
    if not places:
        return coded("bet-not-on-layout-of-game", bet=bet_type)
    return coded("place-not-on-layout", bet=bet_type, numbers=places)


def check_place(game: RouletteRules, bet_type: str, numbers: Sequence[int] = (), which: int | None = None) -> Place:
    """Return the numbers of a place on the cloth. Raises Refused for a place that does not exist.

    Bets astride two dozens or columns are refused too (ROU-7).
    """
    place = covered(bet_type, numbers, which) if bet_type in TYPES else None
    if place is None:
        reading = "" if bet_type in TYPES else "ROU-7"
        raise NoSuchBet(f"{game.name} P.7", _not_on_layout(bet_type, numbers, which), source="002 §8a", reading=reading)
    if touches_zero(bet_type, place) and not game.zero_places:
        message = coded("no-zero-places", wager=bet_type)
        raise Refused(f"{game.name} B", message, source="002 §4", reading="ROU-5")
    return place


def settle_spin(
    game: RouletteRules, number: int, bets: Sequence[RouletteBet], *, last_coup: bool = False
) -> list[RouletteResult]:
    """Return the number's result for each bet, in the order given; one bet's result never depends on another's.

    `last_coup`: the table's last spin of the day, on which nothing can stay en prison (ROU-4). Stakes that already
    are en prison are not among `bets`: `roulette_prison.next_number`. Raises Refused or Invalid as `check_bet`.
    """
    check_number(number)
    if len({bet.id for bet in bets}) != len(bets):
        raise Invalid("bets", coded("bet-ids-repeated"))
    return [settle_bet(game, number, bet, last_coup=last_coup) for bet in bets]


def settle_bet(game: RouletteRules, number: int, bet: RouletteBet, *, last_coup: bool = False) -> RouletteResult:
    """Return one bet's result. An excess over the maximum comes back first, for every number (I.1-2, ROU-12)."""
    place = check_bet(game, bet)
    stake = bet.stake if bet.maximum is None else min(bet.stake, bet.maximum)
    excess = bet.stake - stake
    if number in place:
        return RouletteResult(bet.id, "win", stake * game.payouts[bet.type], stake + excess)
    if number == 0 and bet.type in EVEN_CHANCES:
        return _first_zero(game, bet, stake, excess, last_coup=last_coup)
    return RouletteResult(bet.id, "lose", -stake, excess)


def _first_zero(game: RouletteRules, bet: RouletteBet, stake: int, excess: int, *, last_coup: bool) -> RouletteResult:
    zero = game.even_chances_on_zero
    step = after_zero(zero, Prison(bet.type, stake, 0), bet.on_zero or zero.unasked, last_coup=last_coup)
    if step.prison is not None:
        return RouletteResult(bet.id, "prison", 0, excess, in_prison=stake)
    if step.event == "lose":
        return RouletteResult(bet.id, "lose", -stake, excess)
    return RouletteResult(bet.id, "half", step.returned - stake, step.returned + excess)
