"""The reports by which days were closed and restated, made again of the events, and compared by digest.

A closing is an event like any other: chain and heads prove that it is unchanged. This module proves that the facts make
the same report, as the sums of progressives are recounted.
"""

from collections.abc import Iterable, Iterator, Sequence

from events import catalogue
from events.accounting.event_types.day_close import DayAmended, DayClosed, OfReport
from events.accounting.report import canonical_report_bytes, day_reports
from events.accounting.report.canonical_report_from_ledger import KNOWN, figures
from events.accounting.report.property_ledger_fold import Ledger, accounting_event
from events.errors import Unknown
from events.integrity.heads_consistency import Finding
from events.store import EventReader, Stored, everything

ReportEvent = tuple[Stored, OfReport]  # an event, and the report that it speaks of


def otherwise(history: EventReader, property_: str, after: int = 0) -> Iterator[Finding]:
    """Yield for each day the first closing or restatement whose report differs; later ones are counted. Days without
    one behind `after` are left out.

    The accounts are folded once, up to the last close. Raises `Poison` for an event that cannot be read.
    """
    days: dict[str, list[ReportEvent]] = {}
    for closing in _closings(history, property_):
        days.setdefault(closing[0].stream, []).append(closing)
    fresh = [day_closings for day_closings in days.values() if day_closings[-1][0].position > after]
    ledger, position = Ledger(), 0
    for closings in sorted(fresh, key=lambda day_closings: day_closings[0][1].position):
        until = closings[0][1].position
        _go_on(ledger, everything(history, position, until=until), property_)
        position = max(position, until)
        findings = [*_of_day(ledger, closings, history, property_)]
        yield from (_first_finding(findings) for _ in findings[:1])


def _closings(history: EventReader, property_: str) -> Iterator[ReportEvent]:
    for stored in everything(history, types=(DayClosed.TYPE, DayAmended.TYPE)):
        if stored.stream.startswith(f"{property_}/days/"):
            yield stored, catalogue.decode(stored.type, stored.raw).data


def _go_on(ledger: Ledger, events: Iterable[Stored], property_: str) -> None:
    for stored in events:
        if (fact := accounting_event(stored, property_)) is not None:
            ledger.take(fact)


def _of_day(ledger: Ledger, closings: Sequence[ReportEvent], history: EventReader, property_: str) -> Iterator[Finding]:
    """Yield the errors of a day's closing and of each restatement; `ledger` is at the position of the close."""
    named: list[str] = []
    for number, (stored_event, event_data) in enumerate(closings):
        named += event_data.events if isinstance(event_data, DayAmended) else ()
        try:
            restated = ledger.copy()
            _go_on(restated, day_reports.by_id(history, named), property_)
            fault = _difference_text(restated, stored_event, event_data, number)
        except Unknown as error:
            fault = str(error)
        if fault:
            event = f"{stored_event.stream}@{stored_event.version}"
            yield Finding("report", stored_event.position, f"{event} {stored_event.type}: {fault}", event)


def _difference_text(ledger: Ledger, stored: Stored, data: OfReport, number: int) -> str:
    """Return the difference between the report and its event; nothing if they are equal."""
    if data.position >= stored.position:
        return f"speaks of position {data.position}, behind itself"
    if data.layout not in KNOWN:
        return f"nobody here can make a report of layout {data.layout}"
    if isinstance(data, DayAmended) and data.restatement != number:
        return f"is restatement {number}, not {data.restatement}"
    report = figures(ledger, data.gaming_day, data.position, restatement=number, layout=data.layout)
    digest = canonical_report_bytes.digest(report)
    return "" if data.digest == digest else f"digest is {data.digest}, the events make {digest}"


def _first_finding(findings: Sequence[Finding]) -> Finding:
    return Finding("report", findings[0].position, findings[0].message, findings[0].event, len(findings) - 1)
