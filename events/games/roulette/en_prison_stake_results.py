"""French roulette: an even-chance stake en prison, from zero to zero. [002 §6b]

The text sets the cash value of a stake: half, quarter, eighth of the initial stake at the first, second, third zero.
The rest is read by four readings. ROU-1: a stake is freed if its own chance wins, else lost. ROU-2: a stake freed after
k zeros has twice its cash value. ROU-3: a fourth zero takes it. ROU-4: on the table's last coup it must be cashed. A
freed stake is the player's own and brings no profit for the freeing spin (ROU-11).
"""

from fractions import Fraction
from typing import Literal

from msgspec import Struct

from events.error_codes import coded
from events.errors import Invalid, Refused
from events.games.roulette.layout import EVEN_CHANCES, covered
from events.rules.exact_amount_parsing import Amount, simple

Choice = Literal["half", "prison"]
Event = Literal["win", "lose", "half", "prison", "released"]


class ZeroRule(Struct, frozen=True, forbid_unknown_fields=True):
    """Rule for the even chances when zero falls. [002 §6]

    `rule`: "lose" (American) or "choice" (French: half back, or the whole stake en prison). The other settings apply to
    "choice" only. `zeros` is how often the choice is given (ROU-3). `release` frees an imprisoned stake (ROU-1).
    `unasked` is the choice of a player who did not choose.
    """

    rule: Literal["lose", "choice"]
    zeros: int = 3
    release: Literal["own chance", "any number"] = "own chance"
    unasked: Choice = "half"


class Prison(Struct, frozen=True):
    """A stake en prison: its even chance, the initial stake, and how many zeros have fallen on it (from 1)."""

    type: str
    initial: int
    zeros: int

    @property
    def cash_value(self) -> Amount:
        """Return the player's money by taking it now: 1/2, 1/4, 1/8 of the initial stake."""
        return simple(Fraction(self.initial, 2**self.zeros))

    @property
    def release_value(self) -> Amount:
        """Return the money if the next number frees it: the whole stake, 1/2, 1/4 (ROU-2)."""
        return simple(2 * Fraction(self.initial, 2**self.zeros))


class PrisonStep(Struct, frozen=True):
    """Result of a number for a stake: `returned` is the player's money back now, `prison` the stake that stays."""

    event: Event
    returned: Amount
    prison: Prison | None = None


def next_number(
    rule: ZeroRule, prison: Prison, number: int, choice: str | None, *, last_coup: bool = False
) -> PrisonStep:
    """Return the next number's result for an imprisoned stake.

    `choice` ("half" or "prison") answers a zero and is needed only then. The player has no choice on the table's last
    coup, or after `rule.zeros` choices. Raises Invalid where a choice is missing or unknown.
    """
    if number == 0:
        return after_zero(rule, prison, choice, last_coup=last_coup)
    if rule.release == "any number" or number in (covered(prison.type) or ()):
        return PrisonStep("released", prison.release_value)
    return PrisonStep("lose", 0)


def after_zero(rule: ZeroRule, held: Prison, choice: str | None, *, last_coup: bool = False) -> PrisonStep:
    """Zero has fallen (once more) on a stake that has seen `held.zeros` zeros before, 0 for one just laid."""
    if rule.rule == "lose" or held.zeros >= rule.zeros:
        return PrisonStep("lose", 0)
    now = Prison(held.type, held.initial, held.zeros + 1)
    if choice not in ("half", "prison") and not (last_coup and choice is None):
        raise Invalid("choice", coded("prison-choice-needed", zeros=now.zeros, wager=held.type))
    if last_coup or choice == "half":
        return PrisonStep("half", now.cash_value)
    return PrisonStep("prison", 0, now)


def first_number(
    rule: ZeroRule, bet_type: str, stake: int, number: int, choice: str | None, *, last_coup: bool = False
) -> PrisonStep:
    """Return the first number's result for an even-chance stake; `returned` holds stake and win together."""
    if number == 0:
        return after_zero(rule, Prison(bet_type, stake, 0), choice, last_coup=last_coup)
    return PrisonStep("win", 2 * stake) if number in (covered(bet_type) or ()) else PrisonStep("lose", 0)


def check_even_chance(ruleset: str, bet_type: object) -> str:
    """The type itself, if it can go to prison. Raises Refused otherwise."""
    if isinstance(bet_type, str) and bet_type in EVEN_CHANCES:
        return bet_type
    raise Refused(f"{ruleset} B", coded("prison-for-even-chances", bet=str(bet_type)), source="002 §6b")
