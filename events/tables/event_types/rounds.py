"""A round and its bets, in every game."""

from typing import ClassVar, Literal

from events.tables.event_types.session import Outcome, Seated, TableEvent


class RoundOpened(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """Bets are taken for the next round. Rounds are numbered by the session from 1.

    `free`: a round without bets (baccarat: 001 3.1.2).
    """

    TYPE: ClassVar[str] = "round.opened.v1"
    free: bool = False
    wanted_by: str | None = None


class BetPlaced(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A stake (`amount_minor`) is placed on the layout. `bet` names it within the round; `wager` is its kind.

    A name lasts as long as its bet is on the layout: after its settlement another bet may have it in a later round.

    `number`: its number (craps). `late`: it came after "no more bets", and is returned.
    """

    TYPE: ClassVar[str] = "bet.placed.v1"
    bet: str
    wager: str
    numbers: tuple[int, ...] = ()
    which: int | None = None
    base: str | None = None
    on_zero: Literal["half", "prison"] | None = None
    after_win: Literal["stay", "down"] | None = None
    working: bool | None = None
    commission_minor: int = 0
    tender: Literal["chips", "promotional"] = "chips"
    number: int | None = None
    late: bool = False


class BetWithdrawn(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A bet is taken down again; `amount_minor` goes back to the player."""

    TYPE: ClassVar[str] = "bet.withdrawn.v1"
    bet: str
    wager: str
    commission_minor: int = 0


class BetRestaked(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A bet on the layout is raised by `amount_minor` (negative: lowered); `stake_minor` is its new stake.

    `commission_minor` is the change of its commission.
    """

    TYPE: ClassVar[str] = "bet.restaked.v1"
    bet: str
    wager: str
    stake_minor: int
    reason: Literal["raised", "lowered", "pressed", "reduced"]
    commission_minor: int = 0


class BetInstructed(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """The player chose: whether the bet plays on come-outs, whether it stays after a win, or its treatment at zero.

    An `on_zero` after zero has fallen is followed by its change of the settlement.
    """

    TYPE: ClassVar[str] = "bet.instructed.v1"
    bet: str
    wager: str
    working: bool | None = None
    after_win: Literal["stay", "down"] | None = None
    on_zero: Literal["half", "prison"] | None = None


class BetCorrected(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """The record of a bet was wrong: this is the true bet. `amount_minor` is the change of its stake.

    `wager` and `stake_minor` are the true ones; `wager_before`, `stake_before_minor` and `commission_before_minor` the
    recorded ones, so that each kind of bet gets its own amounts back. Earlier corrections do not have them.
    """

    TYPE: ClassVar[str] = "bet.corrected.v1"
    corrects: str
    bet: str
    wager: str
    stake_minor: int
    reason: str
    numbers: tuple[int, ...] = ()
    which: int | None = None
    number: int | None = None
    base: str | None = None
    on_zero: Literal["half", "prison"] | None = None
    after_win: Literal["stay", "down"] | None = None
    working: bool | None = None
    commission_minor: int = 0
    wager_before: str | None = None
    stake_before_minor: int | None = None
    commission_before_minor: int = 0


class BetsClosed(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """No more bets."""

    TYPE: ClassVar[str] = "bets.closed.v1"


class BetSettled(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """The settlement of a bet by the rules. `amount_minor` is the settled stake.

    `profit_minor` is signed and never contains the stake. `rounded_millionths` is the part of the exact profit that the
    house's rounding rule took (millionths of a minor unit). `returned_minor` goes back to the player without being won.
    `remaining_minor` stays on the layout (in prison, or a bet that stands). `kept_millionths` (of a minor unit) is the
    commission that the house kept of the winnings: `profit_minor` is net of it. `commission_minor` changes hands
    separately from the profit: due again after a win, or returned (negative).
    """

    TYPE: ClassVar[str] = "bet.settled.v1"
    bet: str
    wager: str
    outcome: Outcome
    profit_minor: int
    returned_minor: int = 0
    remaining_minor: int = 0
    commission_minor: int = 0
    rounded_millionths: int = 0
    kept_millionths: int = 0
    progressive: str | None = None
    promotional_minor: int = 0


class PaymentMade(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """Winnings paid (`amount_minor`, without stakes) for a bet; `due_minor` is the amount by the rules.

    `won_in`: the round they were won in, when they were left unpaid at its end; `round` is the one of the payment.
    `reason`: why it was recorded late, by a pit boss; `after_close`: when the tray had been counted without it.
    """

    TYPE: ClassVar[str] = "payment.made.v1"
    bet: str
    wager: str
    due_minor: int
    won_in: int | None = None
    reason: str | None = None
    after_close: bool = False


class RoundEnded(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The round is finished. `progressive` is named where the table is linked to one."""

    TYPE: ClassVar[str] = "round.ended.v1"
    progressive: str | None = None


class SettlementVoided(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A settlement of a bet in this round is void; the bet is on the layout as before it (`amount_minor`).

    The other amounts are those of the `bet.settled` that is void.
    """

    TYPE: ClassVar[str] = "settlement.voided.v1"
    bet: str
    wager: str
    profit_minor: int
    returned_minor: int = 0
    remaining_minor: int = 0
    commission_minor: int = 0
    rounded_millionths: int = 0
    kept_millionths: int = 0
    promotional_minor: int = 0


class SettlementCorrected(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """The settlement of a bet in an ended round was recorded wrongly: the recorded and the true settlement.

    `round` is the one that settled it, `corrects` that event. Changes: `amount_minor` of the decided stake,
    `lost_minor` of the house's win in chips, `promotional_minor` of its win in vouchers. `due_minor` is the change of
    the amount due to the player, `commission_minor` that of the separate commission. Profits are the player's, below
    zero a loss; `vouchers_minor` of a loss was laid with a voucher. `after_close`: the tray had already been counted.
    """

    TYPE: ClassVar[str] = "settlement.corrected.v1"
    corrects: str
    bet: str
    wager: str
    reason: str
    stake_before_minor: int
    stake_minor: int
    profit_before_minor: int
    profit_minor: int
    vouchers_minor: int = 0
    lost_minor: int = 0
    due_minor: int = 0
    promotional_minor: int = 0
    commission_minor: int = 0
    after_close: bool = False
    approvals: tuple[tuple[str, str], ...] = ()  # (person, role)


class RoundVoided(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A misdeal: the round is over, its stakes go back, its hits are void; its contributions stay in the meters.

    `kept_bets` were paid before: payments stand.
    """

    TYPE: ClassVar[str] = "round.voided.v1"
    reason: str
    kept_bets: tuple[str, ...] = ()
    progressive: str | None = None
    approvals: tuple[tuple[str, str], ...] = ()  # (person, role)
