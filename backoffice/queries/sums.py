"""The sums that a figure may stand for: which events count, and how much each of them counts.

A figure's link leads to the log with `sum=NAME`; there every event shows what it adds, and the total is computed
from the events' own bytes, not from the read model that the figure came from.
"""

from typing import Any

import msgspec
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Case, Expression, F, Func, Q, TextField, Value, When
from django.db.models.functions import Coalesce
from django.db.models.lookups import Exact, GreaterThan, IsNull, LessThan
from django.db.models.sql.compiler import SQLCompiler
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from events.envelope import EventData
from events.errors import Invalid
from events.game import staking
from events.tables.types.common import (
    LayoutCarried,
    SessionClosed,
    SessionOpened,
    SessionRolled,
    SessionVoided,
    Table,
)
from events.tables.types.counts import ShiftCounted, TableCounted
from events.tables.types.money import BuyinMade, CreditSent, DropCounted, FillReceived
from events.tables.types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetSettled,
    BetWithdrawn,
    PaymentMade,
    SettlementCorrected,
    SettlementVoided,
)


class FromData(Func):
    """A field of an event's `data`, read out of the event's own bytes."""

    arity = 1

    def __init__(self, name: str, *, is_number: bool) -> None:
        assert name.isidentifier()
        self.name = name
        super().__init__(F("raw"), output_field=BigIntegerField() if is_number else TextField())

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, tuple[Any, ...]]:
        template = f"json_extract(CAST(%(expressions)s AS TEXT), '$.data.{self.name}')"
        sql, values = self.as_sql(compiler, connection, template=template, **context)
        return sql, tuple(values)

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, tuple[Any, ...]]:
        cast = "::bigint" if isinstance(self.output_field, BigIntegerField) else ""
        template = f"(convert_from(%(expressions)s, 'UTF8')::json #>> '{{data,{self.name}}}'){cast}"
        sql, values = self.as_sql(compiler, connection, template=template, **context)
        return sql, tuple(values)


def number(name: str) -> Expression:
    """A number in an event's data; 0 where it is left out, as the events leave out their defaults."""
    return Coalesce(FromData(name, is_number=True), Value(0), output_field=BigIntegerField())


def text(name: str) -> Expression:
    """A text in an event's data, or NULL."""
    return FromData(name, is_number=False)


class Part(msgspec.Struct, frozen=True):
    """Events of a type, each counting with the expression; `only` leaves some of them out."""

    type: str
    counts: Any
    only: Any = None


class Sum(msgspec.Struct, frozen=True):
    """A figure as a sum over events."""

    name: str
    label: str | Promise
    parts: tuple[Part, ...]
    unit: str = "minor"  # minor units, "micro" (millionths of one), or "count"

    @property
    def types(self) -> list[str]:
        """The event types that count."""
        return sorted({part.type for part in self.parts})

    @property
    def counts(self) -> Expression:
        """What one event adds to the sum, signed."""
        cases = [When(_of(part), then=part.counts) for part in self.parts]
        return Case(*cases, default=Value(0), output_field=BigIntegerField())


_AMOUNT = Coalesce(F("amount_minor"), Value(0))


def _of(part: Part) -> Q:
    which = Q(type=part.type)
    return which if part.only is None else which & part.only


def _amount(kind: type[EventData]) -> Part:
    return Part(kind.TYPE, _AMOUNT)


def _minus(kind: type[Table]) -> Part:
    return Part(kind.TYPE, -_AMOUNT)


_PROFIT = number("profit_minor")
_LOSES = Q(LessThan(_PROFIT, Value(0)))
_WINS = Q(GreaterThan(_PROFIT, Value(0)))
_IS_VOID = Q(Exact(text("outcome"), Value("void")))
_SETTLED, _VOIDED = BetSettled.TYPE, SettlementVoided.TYPE
_COMMISSION = (
    Part(BetPlaced.TYPE, number("commission_minor")),
    Part(BetRestaked.TYPE, number("commission_minor")),
    Part(BetCorrected.TYPE, number("commission_minor")),
    Part(BetWithdrawn.TYPE, -number("commission_minor")),
)
_RESETTLED, _LOST = SettlementCorrected.TYPE, number("lost_minor")
_DUE = (Part(_SETTLED, _PROFIT, _WINS), Part(_VOIDED, -_PROFIT, _WINS), Part(_RESETTLED, number("due_minor")))
_TAKEN = number("commission_minor")
_PUT_RIGHT = Part(_RESETTLED, _LOST - number("due_minor") + _TAKEN)
_VOUCHERS = number("promotional_minor")  # of a stake that is lost: it brings no chip
_TAKEN_BACK = Part(_VOIDED, _PROFIT + _VOUCHERS - number("commission_minor"))
_AFTER_CLOSE = Q(IsNull(text("after_close"), False))  # left out where it is not so
_PROMOTIONAL = Q(tender="promotional")
_STAKED = (
    _amount(BetPlaced),
    *map(_amount, staking()),
    _amount(BetRestaked),
    _amount(BetCorrected),
    _minus(BetWithdrawn),
    _amount(LayoutCarried),
    Part(SessionRolled.TYPE, -number("carried_minor")),
)
_DAY_VOIDED = SessionVoided.TYPE
_CLOSER = (_amount(SessionClosed), _amount(SessionRolled))
_FLOAT = (
    *_CLOSER,
    _amount(CreditSent),
    _minus(SessionOpened),
    _minus(FillReceived),
    Part(_DAY_VOIDED, number("opener_minor") - number("closer_minor")),
)

_ALL = (
    Sum(
        "stakes",
        _("stakes: placed, doubled, split, insured, raised, corrected and carried in, less withdrawn and carried out"),
        (*_STAKED, _amount(SettlementCorrected)),
    ),
    Sum(
        "lost",
        _("stakes lost"),
        (
            Part(_SETTLED, -_PROFIT - _VOUCHERS, _LOSES),
            Part(_VOIDED, _PROFIT + _VOUCHERS, _LOSES),
            Part(_RESETTLED, _LOST),
        ),
    ),
    Sum("due", _("winnings due"), _DUE),
    Sum(
        "commission",
        _("commissions"),
        (
            *_COMMISSION,
            Part(_SETTLED, number("commission_minor")),
            Part(_VOIDED, -number("commission_minor")),
            Part(_RESETTLED, _TAKEN),
        ),
    ),
    Sum(
        "event-win",
        _("event win: stakes lost less winnings due, with commissions"),
        (*_COMMISSION, Part(_SETTLED, number("commission_minor") - _PROFIT - _VOUCHERS), _TAKEN_BACK, _PUT_RIGHT),
    ),
    Sum(
        "corrections",
        _("what void settlements and corrected bets moved the event win by"),
        (Part(BetCorrected.TYPE, number("commission_minor")), _TAKEN_BACK, _PUT_RIGHT),
    ),
    Sum(
        "inventory-win",
        _("inventory win: drop, closer and credits, less opener and fills"),
        (
            Part(DropCounted.TYPE, _AMOUNT - number("promotional_minor")),
            *_FLOAT,
        ),
    ),
    Sum(
        "mispay",
        _("due and not paid, less paid and not due"),
        (_minus(PaymentMade), *_DUE),
    ),
    Sum(
        "overpaid",
        _("paid, less what was due"),
        (
            *(_amount(PaymentMade), Part(_SETTLED, -_PROFIT, _WINS), Part(_VOIDED, _PROFIT, _WINS)),
            Part(_RESETTLED, -number("due_minor")),
        ),
    ),
    Sum("buyins", _("buy-ins for cash and markers"), (Part(BuyinMade.TYPE, _AMOUNT, ~_PROMOTIONAL),)),
    Sum(
        "promotional-chips",
        _("chips given for promotional vouchers"),
        (Part(BuyinMade.TYPE, -_AMOUNT, _PROMOTIONAL),),
    ),
    Sum(
        "drop-variance",
        _("what the box held without vouchers, less the buy-ins for cash and markers"),
        (
            Part(DropCounted.TYPE, _AMOUNT - number("promotional_minor")),
            Part(BuyinMade.TYPE, -_AMOUNT, ~_PROMOTIONAL),
        ),
    ),
    Sum(
        "undecided",
        _("stakes placed, less stakes decided"),
        (
            *_STAKED,
            Part(_SETTLED, number("remaining_minor") - _AMOUNT),
            Part(_VOIDED, _AMOUNT - number("remaining_minor")),
        ),
    ),
    Sum(
        "closer-variance",
        _("the closer, and counts before it, less the float as the events have it"),
        (
            *(Part(one.TYPE, _AMOUNT - number("expected_minor")) for one in (ShiftCounted, TableCounted)),
            Part(SessionClosed.TYPE, _AMOUNT - number("expected_minor")),
            Part(SessionRolled.TYPE, _AMOUNT - number("expected_minor")),
            Part(PaymentMade.TYPE, _AMOUNT, _AFTER_CLOSE),
            Part(_RESETTLED, -_LOST - _TAKEN, _AFTER_CLOSE),
            Part(_DAY_VOIDED, -number("variance_minor")),
        ),
    ),
    Sum(
        "handle",
        _("handle: stakes decided"),
        (
            Part(_SETTLED, _AMOUNT - number("remaining_minor"), ~_IS_VOID),
            Part(_VOIDED, number("remaining_minor") - _AMOUNT),
            _amount(SettlementCorrected),
        ),
    ),
    Sum(
        "inventory-estimate",
        _("inventory win before the count: buy-ins, closer and credits, less opener and fills"),
        (Part(BuyinMade.TYPE, _AMOUNT, ~_PROMOTIONAL), *_FLOAT),
    ),
    Sum("closer", _("the closer"), _CLOSER),
    Sum(
        "carried-out",
        _("stakes that lay on the layout when the gaming day was rolled"),
        (Part(SessionRolled.TYPE, number("carried_minor")),),
    ),
    Sum(
        "drop",
        _("drop: the counted boxes without vouchers"),
        (Part(DropCounted.TYPE, _AMOUNT - number("promotional_minor")),),
    ),
    Sum("promotional", _("vouchers in the counted boxes"), (Part(DropCounted.TYPE, number("promotional_minor")),)),
)
SUMS: dict[str, Sum] = {found.name: found for found in _ALL}


def sum_of(name: str) -> Sum:
    """The sum of this name. Raises Invalid."""
    try:
        return SUMS[name]
    except KeyError:
        raise Invalid("sum", f"there is no sum {name!r:.40}; there are: {', '.join(SUMS)}") from None
