"""What was out of the ordinary on a gaming day, all of it; and adjustments over a bound (NJ 1.34)."""

from collections.abc import Iterator
from datetime import datetime
from operator import itemgetter
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from backoffice import writing
from backoffice.queries.accounts.moments import TAKEN_BACK
from backoffice.queries.reports.log import Logged, logged
from backoffice.queries.reports.of_day import Of, Row
from backoffice.queries.sentences import in_currency
from backoffice.queries.words import word
from events.progressives.types import HousePaid, HouseVoided, MeterAdjusted, VarianceClosed
from events.tables.types.rounds import BetCorrected, SettlementCorrected, SettlementVoided
from projections.accounts.models import DayReport
from projections.floor.models import Irregularity

# Beside what was taken back: what was let pass, put right, or found by hand.
OTHERS: dict[str, "str | Promise"] = {
    "day.overridden.v1": _("item of the checklist overridden"),
    "day.amended.v1": _("closed day restated"),
    "meter.adjusted.v1": _("meter corrected"),
    "card.misdealt.v1": _("card misdealt"),
    "lock.withdrawn.v1": _("lock withdrawn"),
    "house.paid.v1": _("paid by the house"),
    "hit.declared_late.v1": _("hit declared late"),
    "shoe.ruled.v1": _("ruling on a shoe"),
}
KINDS = {**TAKEN_BACK, **OTHERS}
ADJUSTMENTS: tuple[type[Any], ...] = (
    MeterAdjusted,
    HousePaid,
    HouseVoided,
    VarianceClosed,
    BetCorrected,
    SettlementCorrected,
    SettlementVoided,
)
BOUND = 2_000  # whole units of the currency
_WHY = ("reason", "detail", "ruling", "item")  # the fields in which events say why


def exceptions(of: Of) -> Iterator[Row]:
    """Every override, void and correction, and every fact with an irregularity, in the order of the store."""
    found = [_said(one, str(KINDS[one.event.type])) for one in logged(of, KINDS)]
    found += [_irregular(one, of) for one in Irregularity.objects.filter(gaming_day=of.day)]
    yield from sorted(found, key=itemgetter(0))


def _said(one: Logged, words: str) -> Row:
    data: Any = one.event.data
    return one.position, one.time, words, getattr(data, "table", None), why(data), "", one.event.actor


def why(data: Any) -> str:
    """Return the reason that an event names: its codes in words, then what somebody wrote."""
    codes = [str(word(code, "reason")) for code in getattr(data, "reasons", ())]
    written = next((text for name in _WHY if (text := getattr(data, name, ""))), "")
    return ", ".join([*codes, *([str(word(written, "reason"))] if written else [])])


def _irregular(one: Irregularity, of: Of) -> Row:
    detail, time = in_currency(one.detail, of.shown.currency), datetime.fromisoformat(one.time)
    return one.position, time, word(one.kind, "kind"), one.table, detail, one.clause, ""


def adjustments(of: Of) -> Iterator[Row]:
    """Those over the bound, and what restatements have changed by more than it."""
    over = BOUND * 10 ** writing.exponent(of.shown.currency)
    for one in logged(of, [shape.TYPE for shape in ADJUSTMENTS]):
        amount = getattr(one.event.data, "amount_minor", None)
        if amount is not None and abs(amount) > over:
            said = _said(one, word(one.event.type))
            yield *said[:5], None, None, amount, one.event.actor
    yield from _restated(of, over)


def _restated(of: Of, over: int) -> Iterator[Row]:
    times = {one.number: one for one in DayReport.objects.filter(gaming_day=of.day)}
    for said in of.shown.said:
        for step in said.steps:
            for one in step.changed:
                if one.is_money and one.before is not None and one.after is not None:
                    moved = one.after - one.before
                    if abs(moved) > over:
                        about = (step.position, said.time, _("closed day restated"), "", one.place)
                        yield *about, one.before, one.after, moved, times[said.number].actor
