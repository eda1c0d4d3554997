"""Jackpots and envy that the cage paid on a gaming day, gross, withheld and net (31 CFR 1021, 26 CFR 7.6041)."""

from collections.abc import Iterator
from typing import Any

from backoffice.days.reports.day_event_queries import logged
from backoffice.days.reports.variance_cash_hold_report_lines import ReportSubject, Row
from events.progressives.event_types import EnvyPaid, HousePaid, JackpotPaid

_KINDS: dict[type[Any], str] = {JackpotPaid: "jackpot", EnvyPaid: "envy", HousePaid: "house"}


def payment_rows(of: ReportSubject) -> Iterator[Row]:
    """Yield the payments in their order; amounts taken back by the house keep their sign."""
    for entry in logged(of, [shape.TYPE for shape in _KINDS], since_its_begin=True):
        data = entry.event.data
        if isinstance(data, JackpotPaid | EnvyPaid | HousePaid) and data.paid_gaming_day == of.day:
            yield {
                "event": entry.position,
                "time": entry.time,
                "kind": _KINDS[type(data)],
                "progressive": data.progressive,
                "slip": f"{data.slip_year}-{data.slip}",
                "table": data.table,
                "player": data.player,
                "tender": data.tender,
                "gross_minor": data.amount_minor,
                "withheld_minor": data.amount_minor - data.net_minor,
                "net_minor": data.net_minor,
                "form": "" if isinstance(data, HousePaid) else data.form,
            }
