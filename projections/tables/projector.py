"""The projector of the tables: per table and gaming day the money of float and box, and what bets won and lost.

The two wins (`books.py`) come from disjoint fields here: openers, fills, credits, drop and closers on one side,
what was settled on the other. What was due (bet.settled) and what was paid (payment.made) stay apart.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import msgspec

from events.errors import Poison
from events.game import staking
from events.tables.types.common import Chips, IrregularityRecorded, SessionClosed, SessionOpened, SessionVoided, Table
from events.tables.types.money import BuyinMade, CreditSent, DropCounted, FillReceived
from events.tables.types.progressive import ProgressiveArmed
from events.tables.types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetSettled,
    BetWithdrawn,
    PaymentMade,
    RoundEnded,
    RoundVoided,
    SettlementVoided,
)
from projections.engine.facts import Fact
from projections.engine.projector import Projector
from projections.engine.rows import Rows
from projections.engine.target import Target
from projections.tables.models import TableDay, WagerDay

TABLES = "tables"


class Tables(Projector):
    """One row a table and gaming day, one row for each kind of bet there. The ids are the sessions' streams."""

    name = "tables"
    version = 2
    models = (TableDay, WagerDay)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._days = Rows(target, TableDay)
        self._wagers = Rows(target, WagerDay)
        self.takes = self._HANDLERS

    def fold(self, facts: Sequence[Fact]) -> None:
        mine = [(handler, fact) for fact in facts if (handler := self._HANDLERS.get(fact.type)) is not None]
        self._days.load({fact.stream for _, fact in mine})
        self._wagers.load({_wager_id(fact) for _, fact in mine if fact.type in _OF_WAGERS})
        for handler, fact in mine:
            handler(self, fact, fact.data)

    def flush(self) -> None:
        self._days.flush()
        self._wagers.flush()

    def forget(self) -> None:
        self._days.forget()
        self._wagers.forget()

    def _day(self, fact: Fact) -> TableDay:
        data: Table = fact.data
        return self._days.change(
            fact.stream,
            lambda: TableDay(
                id=fact.stream,
                property=fact.event.source,
                table=data.table,
                gaming_day=data.gaming_day,
                pit=data.pit,
                ruleset=data.ruleset,
            ),
        )

    def _wager(self, fact: Fact, wager: str | None = None) -> WagerDay:
        """The row of the event's kind of bet, or of another one's."""
        data, wager = fact.data, wager or fact.data.wager
        key = f"{fact.stream}/{wager}"
        return self._wagers.change(
            key,
            lambda: WagerDay(
                id=key,
                stream=fact.stream,
                table=data.table,
                gaming_day=data.gaming_day,
                ruleset=data.ruleset,
                wager=wager,
            ),
        )

    # --- float and box ----------------------------------------------------------------------------------------

    def _opened(self, fact: Fact, data: SessionOpened) -> None:
        day = self._day(fact)
        if fact.stream.split("/")[1] != TABLES:
            raise Poison(f"{fact.stream} is not the stream of a table")
        day.game, day.currency, day.progressive = data.game, data.currency, data.progressive or ""
        day.pit, day.ruleset, day.status = data.pit, data.ruleset, "open"
        day.opener_minor, day.opener_chips = data.amount_minor, chips_text(data.opener)

    def _closed(self, fact: Fact, data: SessionClosed) -> None:
        day = self._day(fact)
        day.closer_minor, day.closer_chips = data.amount_minor, chips_text(data.closer)
        day.expected_minor, day.status = data.expected_minor, "closed"

    def _day_voided(self, fact: Fact, data: SessionVoided) -> None:
        day = self._day(fact)
        day.status, day.opener_minor, day.opener_chips = "void", 0, "{}"
        day.closer_minor, day.closer_chips, day.expected_minor = None, "{}", None

    def _bought_in(self, fact: Fact, data: BuyinMade) -> None:
        day = self._day(fact)
        if data.tender == "cash":
            day.buyins_cash_minor += data.amount_minor
        elif data.tender == "marker":
            day.buyins_marker_minor += data.amount_minor
        else:
            day.buyins_promotional_minor += data.amount_minor

    def _filled(self, fact: Fact, data: FillReceived) -> None:
        self._day(fact).fills_minor += data.amount_minor

    def _credited(self, fact: Fact, data: CreditSent) -> None:
        self._day(fact).credits_minor += data.amount_minor

    def _counted(self, fact: Fact, data: DropCounted) -> None:
        day = self._day(fact)
        day.drop_minor, day.drop_promotional_minor = data.amount_minor, data.promotional_minor
        day.status = "counted"

    # --- bets -------------------------------------------------------------------------------------------------

    def _placed(self, fact: Fact, data: BetPlaced) -> None:
        day = self._day(fact)
        day.bets += 1
        day.stakes_minor += data.amount_minor
        self._wager(fact).bets += 1
        self._commission(fact, data.commission_minor)

    def _withdrawn(self, fact: Fact, data: BetWithdrawn) -> None:
        """The bet counts on as one that was laid; its stake and its commission went back."""
        self._day(fact).stakes_minor -= data.amount_minor
        self._commission(fact, -data.commission_minor)

    def _staked_more(self, fact: Fact, data: Any) -> None:
        """A double, a split, an insurance: a stake that came after the bet it belongs to."""
        self._day(fact).stakes_minor += data.amount_minor

    def _restaked(self, fact: Fact, data: BetRestaked) -> None:
        """Its amounts, signed, are what the stake and the commission change by."""
        self._day(fact).stakes_minor += data.amount_minor
        self._commission(fact, data.commission_minor)

    def _corrected(self, fact: Fact, data: BetCorrected) -> None:
        """As a stake that changed, but nothing changed at the table: the record did."""
        day = self._day(fact)
        day.stakes_minor += data.amount_minor
        day.corrections += 1
        day.corrected_minor += data.commission_minor
        if data.wager_before is not None and data.wager_before != data.wager:
            self._other_kind(fact, data.wager_before, data.commission_before_minor)
        self._commission(fact, data.commission_minor)

    def _other_kind(self, fact: Fact, before: str, commission: int) -> None:
        """The bet was recorded as one of the kind `before`: it counts for its own now, with its commission."""
        was, now = self._wager(fact, before), self._wager(fact)
        was.bets -= 1
        now.bets += 1
        was.commission_minor -= commission
        now.commission_minor += commission

    def _commission(self, fact: Fact, amount: int) -> None:
        if amount:
            self._day(fact).commission_minor += amount
            self._wager(fact).commission_minor += amount

    def _settled(self, fact: Fact, data: BetSettled) -> None:
        self._decide(fact, data, 1, is_void=data.outcome == "void")

    def _settlement_voided(self, fact: Fact, data: SettlementVoided) -> None:
        """The bet lies again as if it had not been settled; a bet that was handed back is never taken back."""
        self._decide(fact, data, -1, is_void=False)
        day = self._day(fact)
        day.corrections += 1
        day.corrected_minor += data.profit_minor - data.commission_minor

    def _decide(self, fact: Fact, data: BetSettled | SettlementVoided, sign: int, *, is_void: bool) -> None:
        """What was decided of a stake, or (-1) is not any more. A bet that wins and stays up decides nothing of it.

        The kept commission is off the profit already: it is shown, and added to nothing.
        """
        day, wager = self._day(fact), self._wager(fact)
        decided = sign * (data.amount_minor - data.remaining_minor)
        day.resolved_minor += decided
        if not is_void:
            wager.handle_minor += decided
        lost, due = sign * max(0, -data.profit_minor), sign * max(0, data.profit_minor)
        day.lost_minor += lost
        wager.lost_minor += lost
        day.due_minor += due
        wager.due_minor += due
        day.rounded_millionths += sign * data.rounded_millionths
        day.kept_millionths += sign * data.kept_millionths
        wager.kept_millionths += sign * data.kept_millionths
        self._commission(fact, sign * data.commission_minor)

    def _paid(self, fact: Fact, data: PaymentMade) -> None:
        self._day(fact).paid_minor += data.amount_minor
        self._wager(fact).paid_minor += data.amount_minor

    # --- rounds -----------------------------------------------------------------------------------------------

    def _armed(self, fact: Fact, data: ProgressiveArmed) -> None:
        self._day(fact).progressive_stakes_minor += sum(bet.stake_minor for bet in data.bets)

    def _ended(self, fact: Fact, data: RoundEnded) -> None:
        self._day(fact).rounds += 1

    def _voided(self, fact: Fact, data: RoundVoided) -> None:
        self._day(fact).rounds_voided += 1

    def _irregular(self, fact: Fact, data: IrregularityRecorded) -> None:
        self._day(fact).irregularities += 1

    _HANDLERS: ClassVar[dict[str, Callable[["Tables", Fact, Any], None]]] = {
        SessionOpened.TYPE: _opened,
        SessionClosed.TYPE: _closed,
        SessionVoided.TYPE: _day_voided,
        BuyinMade.TYPE: _bought_in,
        FillReceived.TYPE: _filled,
        CreditSent.TYPE: _credited,
        DropCounted.TYPE: _counted,
        BetPlaced.TYPE: _placed,
        BetWithdrawn.TYPE: _withdrawn,
        **dict.fromkeys([event.TYPE for event in staking()], _staked_more),
        BetRestaked.TYPE: _restaked,
        BetCorrected.TYPE: _corrected,
        BetSettled.TYPE: _settled,
        SettlementVoided.TYPE: _settlement_voided,
        PaymentMade.TYPE: _paid,
        ProgressiveArmed.TYPE: _armed,
        RoundEnded.TYPE: _ended,
        RoundVoided.TYPE: _voided,
        IrregularityRecorded.TYPE: _irregular,
    }


_OF_WAGERS = frozenset(
    kind.TYPE
    for kind in (
        BetPlaced,
        BetWithdrawn,
        BetRestaked,
        BetCorrected,
        BetSettled,
        SettlementVoided,
        PaymentMade,
    )
)


def _wager_id(fact: Fact) -> str:
    return f"{fact.stream}/{fact.data.wager}"


def chips_text(chips: Chips) -> str:
    """A float by denomination, as canonical JSON: zeros left out, highest first."""
    kept = {
        str(denomination): chips[denomination] for denomination in sorted(chips, reverse=True) if chips[denomination]
    }
    return msgspec.json.encode(kept).decode()
