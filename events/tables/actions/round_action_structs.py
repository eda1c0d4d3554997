"""A round and its bets, in every game."""

from typing import ClassVar, Literal

from events.envelope import ActionData
from events.fields import Amount, CrapsNumber, Name, RouletteNumber, RouletteNumbers, Round, Seat, Signed, Stake, Text


class OpenRound(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Open the next round for bets. `free`: a round without bets; `wanted_by`: a player who wants to bet before the
    rounds without bets are done (baccarat)."""

    TYPE: ClassVar[str] = "round.open"
    free: bool = False
    wanted_by: Name | None = None


class PlaceBet(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Put a stake on the layout.

    `bet` is a name of the terminal's choice. It is new in the round, and not used by an earlier bet that is still on
    the layout. `number`: the number that a craps bet is on.
    """

    TYPE: ClassVar[str] = "bet.place"
    bet: Name
    wager: Name
    amount_minor: Stake
    player: Name
    seat: Seat | None = None
    box: Seat | None = None
    numbers: RouletteNumbers = ()
    which: RouletteNumber | None = None
    base: Name | None = None
    on_zero: Literal["half", "prison"] | None = None
    after_win: Literal["stay", "down"] | None = None
    working: bool | None = None
    tender: Literal["chips", "promotional"] = "chips"
    number: CrapsNumber | None = None


class WithdrawBet(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Take a bet down."""

    TYPE: ClassVar[str] = "bet.withdraw"
    bet: Name


class RestakeBet(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Raise or lower a bet on the layout to `amount_minor`."""

    TYPE: ClassVar[str] = "bet.restake"
    bet: Name
    amount_minor: Stake


class InstructBet(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Record a player's instruction for a bet (craps): active on come-outs or not, left after a win or not. None:
    unchanged.

    `on_zero` (French roulette) is the player's choice for an even chance. It applies to the next zero, also of a stake
    en prison, or to the zero that has fallen, until the round is ended.
    """

    TYPE: ClassVar[str] = "bet.instruct"
    bet: Name
    working: bool | None = None
    after_win: Literal["stay", "down"] | None = None
    on_zero: Literal["half", "prison"] | None = None


class CorrectBet(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Correct the record of a bet that is still on the layout. `corrects` of the action names the event.

    None: as recorded.
    """

    TYPE: ClassVar[str] = "bet.correct"
    bet: Name
    reason: Text
    amount_minor: Stake | None = None
    wager: Name | None = None
    player: Name | None = None
    seat: Seat | None = None
    box: Seat | None = None
    numbers: RouletteNumbers | None = None
    which: RouletteNumber | None = None
    number: CrapsNumber | None = None
    on_zero: Literal["half", "prison"] | None = None


class CloseBets(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """No more bets."""

    TYPE: ClassVar[str] = "bets.close"


class MakePayment(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Pay winnings (without the stake) for a bet.

    Also winnings that were left unpaid when their round ended; `won_in` is that round, where the name is another bet's
    by now. As a fact, also the correction of a wrong payment, in its round or later: an amount below zero takes an
    overpayment back.
    """

    TYPE: ClassVar[str] = "payment.make"
    bet: Name
    amount_minor: Signed
    won_in: Round | None = None


class ReportPayment(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Report an earlier payment (without the stake).

    It is of a round that is over, `won_in`, or of a gaming day that is closed. It is a fact, with the reason why it
    comes late. An amount below zero: an overpayment was taken back.
    """

    TYPE: ClassVar[str] = "payment.report"
    bet: Name
    amount_minor: Signed
    won_in: Round
    reason: Text


class CorrectSettlement(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Correct the settlement of a bet in an ended round: two people, with a reason.

    `amount_minor` is the true stake; 0: there was no stake, or its settlement is void. `profit_minor` is the true win
    of the player, below zero the loss; without it, it is in proportion to the settlement. `commission_minor`: the
    separate commission that was taken and not recorded; below zero: recorded and not taken.
    """

    TYPE: ClassVar[str] = "settlement.correct"
    bet: Name
    settled_in: Round
    amount_minor: Amount
    reason: Text
    profit_minor: Signed | None = None
    commission_minor: Signed = 0


class EndRound(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """End the round."""

    TYPE: ClassVar[str] = "round.end"


class VoidRound(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Void the current round and return its stakes: two people, with a reason."""

    TYPE: ClassVar[str] = "round.void"
    round: Round
    reason: Text
