"""The totals behind figures: the events that count, and the amount of each.

A figure's link leads to the log with `sum=NAME`. There every event shows its amount, and the total is computed from the
events' own bytes, not from the read model of the figure.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Case, Exists, Expression, F, Func, OuterRef, Q, TextField, Value, When
from django.db.models.functions import Coalesce, Greatest
from django.db.models.lookups import Exact
from django.db.models.sql.compiler import SQLCompiler
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from events.error_codes import coded
from events.errors import Invalid
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.session import SessionClosed, SessionRolled
from events.tables.moved_amount_declarations import (
    BUYINS,
    EVENT_WIN,
    FLOAT,
    MISPAY,
    TRAY,
    TRAY_VARIANCE,
    UNDECIDED,
    Figure,
    MovedAmount,
    Term,
    moves,
)
from projections.eventlog.models import EventLog


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


class SumPart(msgspec.Struct, frozen=True):
    """Events of a type, each counting with the expression; `only` leaves some of them out."""

    type: str
    counts: Any
    only: Any = None


class Sum(msgspec.Struct, frozen=True):
    """A figure as a total over events."""

    name: str
    label: str | Promise
    parts: tuple[SumPart, ...]
    unit: str = "minor"  # minor units, "micro" (millionths of one), or "count"

    @property
    def types(self) -> list[str]:
        """The event types that count."""
        return sorted({part.type for part in self.parts})

    @property
    def counts(self) -> Expression:
        """Return the signed amount that one event adds to the sum."""
        cases = [When(_part_condition(part), then=part.counts) for part in self.parts]
        return Case(*cases, default=Value(0), output_field=BigIntegerField())


_AMOUNT = Coalesce(F("amount_minor"), Value(0))


def _part_condition(part: SumPart) -> Q:
    condition = Q(type=part.type)
    return condition if part.only is None else condition & part.only


# --- movements of table events, in terms of the database --------------------------------------------------------------


def _sum_parts(figure: Figure, only: Any = None) -> Iterator[SumPart]:
    for kind, moved in moves().items():
        amounts = [_amount(each, figure[each.name]) for each in moved if each.name in figure]
        if amounts:
            yield SumPart(kind.TYPE, _sum_expression(amounts), only)


def _amount(moved: MovedAmount, sign: int) -> Expression:
    total = _sum_expression([_term(term, sign) for term in moved.terms])
    if not moved.field:
        return total
    has_value = Q(Exact(text(moved.field), Value(moved.value)))
    return Case(When(~has_value if moved.is_other else has_value, then=total), default=Value(0), output_field=_WHOLE)


def _term(term: Term, sign: int) -> Expression:
    value, sign = (_AMOUNT if term.field == "amount_minor" else number(term.field)), sign * term.sign
    if term.part != "whole":
        value = Greatest(value if term.part == "gain" else -value, Value(0), output_field=_WHOLE)
    return value if sign > 0 else -value


def _sum_expression(expressions: Sequence[Expression]) -> Expression:
    first, *others = expressions
    for other in others:
        first = first + other
    return first


_WHOLE = BigIntegerField()
_ENDS = (SessionClosed.TYPE, SessionRolled.TYPE)
# Chips of the tray that moved before its closing count and were recorded after it: the count has them.
_AFTER_CLOSE = Exists(
    EventLog.objects.filter(stream=OuterRef("stream"), type__in=_ENDS, position__lt=OuterRef("position"))
)
_LATE_IN_TRAY = {name: -sign for name, sign in TRAY.items()}


class SummedFigure(msgspec.Struct, frozen=True):
    """A figure with a total. Of `late`, only events after the closing count are added."""

    name: str
    label: str | Promise
    figure: Figure
    late: Figure = {}


_FIGURES = (
    SummedFigure(
        "stakes",
        _("stakes: placed, doubled, split, insured, raised, corrected and carried in, less withdrawn and carried out"),
        {"staked": 1},
    ),
    SummedFigure("lost", _("stakes lost"), {"lost": 1}),
    SummedFigure("due", _("winnings due"), {"due": 1}),
    SummedFigure("paid", _("winnings paid"), {"paid": 1}),
    SummedFigure("commission", _("commissions"), {"commission": 1}),
    SummedFigure("event-win", _("recorded win: stakes lost less winnings due, with commissions"), EVENT_WIN),
    SummedFigure(
        "corrections", _("effect of void settlements and corrected bets on the recorded win"), {"corrected": 1}
    ),
    SummedFigure(
        "inventory-win",
        _("table win: drop, closer and credits, less opener and fills"),
        {"drop": 1, **FLOAT},
    ),
    SummedFigure("mispay", _("mispay: due less paid"), MISPAY),
    SummedFigure("overpaid", _("paid less due"), {name: -sign for name, sign in MISPAY.items()}),
    SummedFigure("fills", _("fills"), {"fills": 1}),
    SummedFigure("buyins", _("buy-ins for cash and markers"), BUYINS),
    SummedFigure("buyins-cash", _("buy-ins for cash"), {"buyins_cash": 1}),
    SummedFigure("buyins-marker", _("buy-ins for markers"), {"buyins_marker": 1}),
    SummedFigure("buyins-promotional", _("vouchers exchanged for chips"), {"buyins_promotional": 1}),
    SummedFigure("promotional-chips", _("vouchers exchanged for chips"), {"buyins_promotional": -1}),
    SummedFigure(
        "drop-variance",
        _("box difference: drop less recorded buy-ins"),
        {"drop": 1, **dict.fromkeys(BUYINS, -1)},
    ),
    SummedFigure("undecided", _("unsettled bets: stakes placed less stakes settled"), UNDECIDED),
    SummedFigure(
        "closer-variance",
        _("tray difference: counted inventory less expected inventory"),
        TRAY_VARIANCE,
        _LATE_IN_TRAY,
    ),
    SummedFigure("handle", _("handle: settled stakes"), {"handle": 1}),
    SummedFigure(
        "inventory-estimate",
        _("table win before the box count: buy-ins, closer and credits, less opener and fills"),
        {**BUYINS, **FLOAT},
    ),
    SummedFigure("opener", _("opener"), {"opener": 1}),
    SummedFigure("closer", _("closer"), {"closer": 1}),
    SummedFigure("credits", _("credits sent less credits returned"), {"credits": 1}),
    SummedFigure("carried-in", _("unsettled bets carried over"), {"carried_in": 1}),
    SummedFigure("carried-out", _("unsettled bets when the gaming day was rolled"), {"carried_out": 1}),
    SummedFigure("drop", _("drop: the counted boxes without vouchers"), {"drop": 1}),
    SummedFigure("promotional", _("vouchers in the counted boxes"), {"drop_promotional": 1}),
)


@cached_until_forgotten
def sums() -> Mapping[str, Sum]:
    """Return all sums by name, in the order in which they are offered."""
    return {
        each.name: Sum(each.name, each.label, (*_sum_parts(each.figure), *_sum_parts(each.late, _AFTER_CLOSE)))
        for each in _FIGURES
    }


def sum_of(name: str) -> Sum:
    """The sum of this name. Raises Invalid."""
    try:
        return sums()[name]
    except KeyError:
        raise Invalid("sum", coded("sum-unknown", name=name, known=list(sums()))) from None
