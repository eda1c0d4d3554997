"""Money moved by each event of a table, as named amounts, declared once for every sum of money.

Shifts, the floor's rows, rounds, handle, journal and the sums behind figures all read `MOVES`. A new event that moves
money, or a new amount of one, is declared here. Amounts are whole minor units; `rounded` and `kept` are millionths.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Literal

import msgspec

from events.envelope import EventData
from events.rules.game_declaration_and_registry import staking
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.counts import ShiftCounted, TableCounted
from events.tables.event_types.money import BuyinMade, CreditReturned, CreditSent, DropCounted, FillReceived
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetSettled,
    BetWithdrawn,
    PaymentMade,
    SettlementCorrected,
    SettlementVoided,
)
from events.tables.event_types.session import LayoutCarried, SessionClosed, SessionOpened, SessionRolled, SessionVoided

Name = Literal[
    "opener",
    "closer",
    "counted",  # content of the tray, by a count before the close
    "found",  # by counts before the close, beyond the expected amount
    "found_at_close",
    "fills",
    "credits",
    "buyins_cash",
    "buyins_marker",
    "buyins_promotional",
    "drop",  # counted in boxes, without vouchers
    "drop_promotional",
    "staked",
    "decided",  # of stakes, by settlements
    "handle",  # decided, without stakes returned by a void
    "lost",  # by players, in chips
    "promotional_stakes",  # lost by players in vouchers, beside `lost`
    "due",
    "paid",
    "returned",  # stakes that went back without being won
    "commission",
    "corrected",  # change of the recorded win by corrections
    "carried_in",
    "carried_out",
    "rounded",
    "kept",
]


class Term(msgspec.Struct, frozen=True, gc=False):
    """A field of an event's data, added or subtracted; of a signed one only the part above 0, or the part below it."""

    field: str
    sign: int = 1
    part: Literal["whole", "gain", "loss"] = "whole"


class MovedAmount(msgspec.Struct, frozen=True, gc=False):
    """An amount of an event: the sum of its terms. Where `field` is set, only events whose field has that value have
    the amount, or (`is_other`) only those with another value."""

    name: Name
    terms: tuple[Term, ...]
    field: str = ""
    value: str = ""
    is_other: bool = False


def _declare_amount(name: Name, *terms: Term, sign: int = 1) -> MovedAmount:
    return MovedAmount(name, tuple(Term(term.field, sign * term.sign, term.part) for term in terms))


_AMOUNT, _COMMISSION = Term("amount_minor"), Term("commission_minor")
_VOUCHERS, _VARIANCE = Term("promotional_minor"), (_AMOUNT, Term("expected_minor", -1))
_DECIDED = (_AMOUNT, Term("remaining_minor", -1))
_LOST = (Term("profit_minor", part="loss"), Term("promotional_minor", -1))  # a voucher that is lost brings no chip


def _settlement(sign: int) -> tuple[MovedAmount, ...]:
    """Return the amounts of a settlement, from stake to result; with sign -1 for a void settlement."""
    return (
        _declare_amount("decided", *_DECIDED, sign=sign),
        _declare_amount("lost", *_LOST, sign=sign),
        _declare_amount("promotional_stakes", _VOUCHERS, sign=sign),
        _declare_amount("due", Term("profit_minor", part="gain"), sign=sign),
        _declare_amount("returned", Term("returned_minor"), sign=sign),
        _declare_amount("commission", _COMMISSION, sign=sign),
        _declare_amount("rounded", Term("rounded_millionths"), sign=sign),
        _declare_amount("kept", Term("kept_millionths"), sign=sign),
    )


_COUNT = (_declare_amount("counted", _AMOUNT), _declare_amount("found", *_VARIANCE))
_CLOSING = (_declare_amount("closer", _AMOUNT), _declare_amount("found_at_close", *_VARIANCE))


_STAKE = (_declare_amount("staked", _AMOUNT),)
_STAKE_WITH_COMMISSION = (*_STAKE, _declare_amount("commission", _COMMISSION))
_TENDERS: tuple[tuple[Name, str], ...] = (
    ("buyins_cash", "cash"),
    ("buyins_marker", "marker"),
    ("buyins_promotional", "promotional"),
)

MOVES: Mapping[type[EventData], tuple[MovedAmount, ...]] = {
    SessionOpened: (_declare_amount("opener", _AMOUNT),),
    ShiftCounted: _COUNT,
    TableCounted: _COUNT,
    SessionClosed: _CLOSING,
    SessionRolled: (
        *_CLOSING,
        _declare_amount("carried_out", Term("carried_minor")),
        _declare_amount("staked", Term("carried_minor"), sign=-1),
    ),
    LayoutCarried: (_declare_amount("carried_in", _AMOUNT), *_STAKE),
    SessionVoided: (
        _declare_amount("opener", Term("opener_minor"), sign=-1),
        _declare_amount("closer", Term("closer_minor"), sign=-1),
        _declare_amount("found_at_close", Term("variance_minor"), sign=-1),
    ),
    FillReceived: (_declare_amount("fills", _AMOUNT),),
    CreditSent: (_declare_amount("credits", _AMOUNT),),
    CreditReturned: (_declare_amount("credits", _AMOUNT, sign=-1),),
    BuyinMade: tuple(MovedAmount(name, (_AMOUNT,), "tender", tender) for name, tender in _TENDERS),
    DropCounted: (
        _declare_amount("drop", _AMOUNT, Term("promotional_minor", -1)),
        _declare_amount("drop_promotional", _VOUCHERS),
    ),
    BetPlaced: _STAKE_WITH_COMMISSION,
    BetRestaked: _STAKE_WITH_COMMISSION,
    BetCorrected: (*_STAKE_WITH_COMMISSION, _declare_amount("corrected", _COMMISSION)),
    BetWithdrawn: (_declare_amount("staked", _AMOUNT, sign=-1), _declare_amount("commission", _COMMISSION, sign=-1)),
    BetSettled: (*_settlement(1), MovedAmount("handle", _DECIDED, "outcome", "void", is_other=True)),
    SettlementVoided: (
        *_settlement(-1),
        _declare_amount("handle", *_DECIDED, sign=-1),  # a bet that was handed back is never taken back
        _declare_amount("corrected", Term("profit_minor"), _VOUCHERS, Term("commission_minor", -1)),
    ),
    SettlementCorrected: (
        *_STAKE_WITH_COMMISSION,
        _declare_amount("decided", _AMOUNT),
        _declare_amount("handle", _AMOUNT),
        _declare_amount("lost", Term("lost_minor")),
        _declare_amount("promotional_stakes", _VOUCHERS),
        _declare_amount("due", Term("due_minor")),
        _declare_amount("corrected", Term("lost_minor"), Term("due_minor", -1), _COMMISSION),
    ),
    PaymentMade: (_declare_amount("paid", _AMOUNT),),
}


@cached_until_forgotten
def moves() -> Mapping[type[EventData], tuple[MovedAmount, ...]]:
    """Return the amounts by type of event, with the stakes of single games."""
    return {**dict.fromkeys(staking(), _STAKE), **MOVES}


# --- figures that are made of amounts ---------------------------------------------------------------------------------

Figure = Mapping[Name, int]

EVENT_WIN: Figure = {"lost": 1, "due": -1, "commission": 1}
BET_RESULT: Figure = {"lost": 1, "promotional_stakes": 1, "due": -1}  # of the house, without commissions
MISPAY: Figure = {"due": 1, "paid": -1}
BUYINS: Figure = {"buyins_cash": 1, "buyins_marker": 1}
CHIPS_BOUGHT: Figure = {**BUYINS, "buyins_promotional": 1}
TRAY_COUNT: Figure = {"counted": 1, "closer": 1}
TRAY_VARIANCE: Figure = {"found": 1, "found_at_close": 1}
FLOAT: Figure = {"closer": 1, "credits": 1, "opener": -1, "fills": -1}
UNDECIDED: Figure = {"staked": 1, "decided": -1}
LAID: Figure = {"staked": 1, "decided": -1, "handle": 1}  # stakes, without those returned by a void
# Events that move the tray; stakes on the layout are the players'.
TRAY: Figure = {
    "fills": 1,
    "credits": -1,
    "buyins_cash": -1,
    "buyins_marker": -1,
    "buyins_promotional": -1,
    "lost": 1,
    "paid": -1,
    "commission": 1,
}


def total(of: Figure, amount_by_name: Callable[[Name], int]) -> int:
    """Return a figure of stored amounts, each read by its name."""
    return sum(sign * amount_by_name(name) for name, sign in of.items())


def row_figure(row: object, of: Figure) -> int:
    """Return a figure of a row with the amounts in columns of their names: `lost_minor`."""
    return total(of, lambda name: getattr(row, f"{name}_minor"))


# --- corrected bets ---------------------------------------------------------------------------------------------------


class MovedBet(msgspec.Struct, frozen=True):
    """A bet that comes to a kind or a player (`bets` is 1), or goes from one (-1), with its amounts until then."""

    wager: str
    bets: int
    amounts: Mapping[Name, int]

    def figure(self, of: Figure) -> int:
        """Return its part of a figure."""
        return total(of, lambda name: self.amounts.get(name, 0))


def moved_bet(data: BetCorrected) -> tuple[MovedBet, MovedBet]:
    """Return the bet as it goes and as it comes, by a correction of its kind or player.

    The amounts of the event itself belong to the true kind and player.
    """
    before: dict[Name, int] = {
        "staked": data.stake_minor - data.amount_minor,
        "commission": data.commission_before_minor,
    }
    old_bet = MovedBet(data.wager_before or data.wager, -1, {name: -by for name, by in before.items()})
    return old_bet, MovedBet(data.wager, 1, before)


def kind_changes(data: EventData) -> tuple[MovedBet, ...]:
    """Return the bet that goes from one kind and comes to another; nothing for any other event."""
    if not isinstance(data, BetCorrected) or data.wager_before in (None, data.wager):
        return ()
    return moved_bet(data)


# --- reading them -----------------------------------------------------------------------------------------------------

Reader = Callable[[Any], int]


@cached_until_forgotten
def readers(kind: type[EventData]) -> Mapping[Name, Reader]:
    """Every amount that events of this type have, each as a function of an event's data."""
    return {moved.name: _reader(moved) for moved in moves().get(kind, ())}


@cached_until_forgotten
def figure_of(kind: type[EventData], figure: tuple[tuple[Name, int], ...]) -> Reader | None:
    """Return a function from an event's data to its part of a figure; None where events of this type add nothing."""
    amounts = readers(kind)
    parts = [_times(sign, amounts[name]) for name, sign in figure if name in amounts]
    return _total(parts) if parts else None


def amount(data: EventData, name: Name) -> int:
    """Return an amount of one event; 0 for a missing amount."""
    read = readers(type(data)).get(name)
    return 0 if read is None else read(data)


def figure(data: EventData, of: Figure) -> int:
    """Return the part of a figure that one event adds."""
    read = figure_of(type(data), tuple(of.items()))
    return 0 if read is None else read(data)


def types_with(names: Iterable[Name]) -> tuple[type[EventData], ...]:
    """The events that have at least one of these amounts."""
    wanted = frozenset(names)
    return tuple(kind for kind, moved in moves().items() if any(each.name in wanted for each in moved))


def type_names(names: Iterable[Name]) -> frozenset[str]:
    """Return the names of the types with at least one of these amounts, as they are recorded."""
    return frozenset(kind.TYPE for kind in types_with(names))


def stake_types() -> tuple[type[EventData], ...]:
    """Return the events that lay, change or take back a stake, without those that carry it to another gaming day."""
    carrying = types_with(("carried_in", "carried_out"))
    return tuple(kind for kind in types_with(("staked",)) if kind not in carrying)


def _reader(moved: MovedAmount) -> Reader:
    total = _total([_term(term) for term in moved.terms])
    return _total_if_moved(moved, total) if moved.field else total


def _times(sign: int, read: Reader) -> Reader:
    return read if sign == 1 else lambda data: sign * read(data)


def _total(terms: Sequence[Reader]) -> Reader:
    """Return the sum of at least one term: a loop costs more than the sum."""
    first = terms[0]
    if len(terms) == 1:
        return first
    second = terms[1]
    if len(terms) == 2:
        return lambda data: first(data) + second(data)
    others = _total(terms[2:])
    return lambda data: first(data) + second(data) + others(data)


def _term(term: Term) -> Reader:
    read: Reader = attrgetter(term.field)
    if term.part == "gain":
        return (lambda data: max(0, read(data))) if term.sign > 0 else (lambda data: min(0, -read(data)))
    if term.part == "loss":
        return (lambda data: max(0, -read(data))) if term.sign > 0 else (lambda data: min(0, read(data)))
    return read if term.sign > 0 else (lambda data: -read(data))


def _total_if_moved(moved: MovedAmount, total: Reader) -> Reader:
    field, value = attrgetter(moved.field), moved.value
    if moved.is_other:
        return lambda data: 0 if field(data) == value else total(data)
    return lambda data: total(data) if field(data) == value else 0
