"""Exceptions of a gaming day, all of them; and adjustments over a threshold (NJ 1.34)."""

from collections.abc import Iterator
from datetime import datetime
from operator import itemgetter
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from backoffice.days.hour_exception_and_late_event_content import TAKEN_BACK
from backoffice.days.reports.day_event_queries import LoggedFact, logged
from backoffice.days.reports.variance_cash_hold_report_lines import ReportSubject, Row
from backoffice.wording import formats
from backoffice.wording.code_to_word_translation import word
from backoffice.wording.error_code_sentences import irregularity_sentence
from events.progressives.event_types import HousePaid, HouseVoided, MeterAdjusted, VarianceClosed
from events.tables.event_types.rounds import BetCorrected, SettlementCorrected, SettlementVoided
from projections.accounts.models import DayReport
from projections.floor.models import Irregularity

# Besides voids: overrides, corrections, and findings by hand.
OTHERS: dict[str, "str | Promise"] = {
    "day.overridden.v1": _("checklist item overridden"),
    "day.amended.v1": _("closed day restated"),
    "meter.adjusted.v1": _("meter corrected"),
    "card.misdealt.v1": _("card misdealt"),
    "lock.withdrawn.v1": _("award withdrawn"),
    "house.paid.v1": _("paid by the house"),
    "hit.declared_late.v1": _("hit declared late"),
    "shoe.ruled.v1": _("shoe ruling"),
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
_WHY = ("reason", "detail", "ruling", "item")  # the fields of events with a reason


def exceptions(of: ReportSubject) -> Iterator[Row]:
    """Yield every override, void and correction, and every fact with an irregularity, in the order of the store."""
    exceptional = [_entry_row(entry, str(KINDS[entry.event.type])) for entry in logged(of, KINDS)]
    exceptional += [_irregular(irregularity, of) for irregularity in Irregularity.objects.filter(gaming_day=of.day)]
    yield from sorted(exceptional, key=itemgetter("event"))


def _entry_row(entry: LoggedFact, words: str) -> Row:
    data: Any = entry.event.data
    return {
        "event": entry.position,
        "time": entry.time,
        "what": words,
        "table": getattr(data, "table", None),
        "detail": event_reason(data),
        "clause": "",
        "by": entry.event.actor,
    }


def event_reason(data: Any) -> str:
    """Return the reason that an event names: its codes in words, then the typed text."""
    codes = [str(word(code, "reason")) for code in getattr(data, "reasons", ())]
    written = next((text for name in _WHY if (text := getattr(data, name, ""))), "")
    return ", ".join([*codes, *([str(word(written, "reason"))] if written else [])])


def _irregular(irregularity: Irregularity, of: ReportSubject) -> Row:
    detail, time = irregularity_sentence(irregularity, of.shown.currency), datetime.fromisoformat(irregularity.time)
    return {
        "event": irregularity.position,
        "time": time,
        "what": word(irregularity.kind, "kind"),
        "table": irregularity.table,
        "detail": detail,
        "clause": irregularity.clause,
        "by": "",
    }


def adjustments(of: ReportSubject) -> Iterator[Row]:
    """Yield adjustments over the threshold, and changes by restatements over it."""
    over = BOUND * 10 ** formats.exponent(of.shown.currency)
    for entry in logged(of, [shape.TYPE for shape in ADJUSTMENTS]):
        amount = getattr(entry.event.data, "amount_minor", None)
        if amount is not None and abs(amount) > over:
            yield {
                "event": entry.position,
                "time": entry.time,
                "what": word(entry.event.type),
                "table": getattr(entry.event.data, "table", None),
                "detail": event_reason(entry.event.data),
                "before_minor": None,
                "after_minor": None,
                "amount_minor": amount,
                "by": entry.event.actor,
            }
    yield from _restated(of, over)


def _restated(of: ReportSubject, over: int) -> Iterator[Row]:
    times = {restatement.number: restatement for restatement in DayReport.objects.filter(gaming_day=of.day)}
    steps = [(restatement, step) for restatement in of.shown.reports for step in restatement.steps]
    for restatement, step in steps:
        for change in step.changed:
            if not change.is_money or change.before is None or change.after is None:
                continue
            if abs(difference := change.after - change.before) > over:
                yield {
                    "event": step.position,
                    "time": restatement.time,
                    "what": _("closed day restated"),
                    "table": "",
                    "detail": change.place,
                    "before_minor": change.before,
                    "after_minor": change.after,
                    "amount_minor": difference,
                    "by": times[restatement.number].actor,
                }
