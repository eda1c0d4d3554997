"""Reports made from a store, each time again from the events.

A report is of an open day now, of a closed day at its close, or of a restated day with the named later events.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from events import catalogue
from events.accounting.event_with_position import AccountingEvent
from events.accounting.journal.ledger_entry import LedgerEntry
from events.accounting.report import canonical_report_bytes, closed_days_fold
from events.accounting.report.canonical_report_from_ledger import Figures, figures
from events.accounting.report.closed_days_fold import ClosedDay, Closings
from events.accounting.report.property_ledger_fold import Ledger, NotingLedger, accounting_event, fold
from events.accounting.report.report_diff import ReportChange, changes
from events.accounting.report_rules_version_numbers import LAST
from events.error_codes import coded
from events.errors import Unknown
from events.store import EventReader, Stored, everything

_CLOSING = tuple(sorted(shape.TYPE for shape in closed_days_fold.TYPES))


class ReportBasis(msgspec.Struct, frozen=True, kw_only=True):
    """Basis of a report: every event up to `until`, and the later events that were `named`."""

    until: int
    named: tuple[Stored, ...] = ()
    as_of: int
    restatement: int = 0
    layout: int = LAST
    closing: ClosedDay | None = None

    @property
    def status(self) -> str:
        """open | closed | restated."""
        return "open" if self.closing is None else "restated" if self.restatement else "closed"


class MadeReport(msgspec.Struct, frozen=True):
    """A report, its digest, and the accounts that it was made by."""

    figures: Figures
    digest: str
    basis: ReportBasis
    ledger: Ledger

    @property
    def is_as_said(self) -> bool:
        """Return whether the report has the digest of the event that closed or restated the day; an open day's always
        has.
        """
        closing = self.basis.closing
        return closing is None or closing.last.digest == self.digest


class ReportStep(msgspec.Struct, frozen=True):
    """Changes that one event made in a report."""

    event: str
    type: str
    position: int
    changed: tuple[ReportChange, ...]


AccountsAt = Callable[[EventReader, str, int, int], Ledger]  # by events, property, position and layout


def accounts_at(history: EventReader, property_: str, until: int, layout: int = LAST) -> Ledger:
    """Return the accounts after the event at a position, folded from the first one on by the rules of a layout."""
    return fold(everything(history, until=until), property_, layout)


def make(
    history: EventReader, property_: str, gaming_day: str, position: int, accounts: AccountsAt = accounts_at
) -> MadeReport:
    """The report of a gaming day as of a position. Raises Unknown for a day of which there is nothing by then.

    `accounts` folds them as `accounts_at` does: a long fold may be saved on the way.
    """
    basis = basis_of(history, property_, gaming_day, position)
    ledger = _with_those_named(accounts(history, property_, basis.until, basis.layout), basis, property_)
    _must_know(ledger, gaming_day, position)
    return _made_report(ledger, gaming_day, basis)


def _with_those_named(ledger: Ledger, basis: ReportBasis, property_: str) -> Ledger:
    for stored in basis.named:
        if (fact := accounting_event(stored, property_)) is not None:
            ledger.take(fact)
    return ledger


def _must_know(ledger: Ledger, gaming_day: str, position: int) -> None:
    if gaming_day not in ledger.days:
        raise Unknown(coded("day-without-events-by", day=gaming_day, position=position))


def entries(history: EventReader, property_: str, gaming_day: str, basis: ReportBasis) -> list[LedgerEntry]:
    """Return the entries of the journal posted on a gaming day, event by event, by the basis of its report."""
    ledger = NotingLedger(gaming_day, basis.layout)
    for stored in _events(history, basis):
        if (fact := accounting_event(stored, property_)) is not None:
            ledger.posted(fact)
    return ledger.entries


def report_steps(
    history: EventReader,
    property_: str,
    gaming_day: str,
    first: int,
    last: int,
    accounts: AccountsAt = accounts_at,
) -> Iterator[ReportStep]:
    """Yield the changes in the report from one position to another, event by event.

    They start from an empty report where the day had no event by the first position. Raises Unknown for a day without
    events by the last one.
    """
    before, after = (basis_of(history, property_, gaming_day, position) for position in (first, last))
    ledger = _with_those_named(accounts(history, property_, before.until, after.layout), before, property_)
    yield from steps(ledger, gaming_day, _events_between(history, before, after), property_, after.layout)
    _must_know(ledger, gaming_day, last)


def restated(history: EventReader, property_: str, gaming_day: str, position: int) -> Iterator[ReportStep]:
    """Yield the changes that each event named since the close made in the closed report."""
    basis = basis_of(history, property_, gaming_day, position)
    ledger = fold(everything(history, until=basis.until), property_, basis.layout)
    return steps(ledger, gaming_day, basis.named, property_, basis.layout)


def basis_of(history: EventReader, property_: str, gaming_day: str, position: int) -> ReportBasis:
    """Return the basis of a gaming day's report as of a position."""
    closing = closings_of(history, property_, position).closed_day(gaming_day)
    if closing is None:
        return ReportBasis(until=position, as_of=position)
    return ReportBasis(
        until=closing.closed.position,
        named=by_id(history, closing.named),
        as_of=closing.last.position,
        restatement=len(closing.amended),
        layout=closing.last.layout,
        closing=closing,
    )


def with_named(history: EventReader, basis: ReportBasis, events: Iterable[str], as_of: int) -> ReportBasis:
    """The next restatement, were these named as well."""
    assert basis.closing is not None, "only a closed day is restated"
    return ReportBasis(
        until=basis.until,
        named=by_id(history, {*basis.closing.named, *events}),
        as_of=as_of,
        restatement=basis.restatement + 1,
        layout=basis.layout,
        closing=basis.closing,
    )


def made_of(history: EventReader, property_: str, gaming_day: str, basis: ReportBasis) -> MadeReport:
    """The report on that basis."""
    return _made_report(fold(_events(history, basis), property_, basis.layout), gaming_day, basis)


def by_id(history: EventReader, ids: Iterable[str]) -> tuple[Stored, ...]:
    """Return these events, in the order of the store. Raises Unknown."""
    return tuple(sorted((_by_id(history, id_) for id_ in set(ids)), key=lambda stored: stored.position))


def _by_id(history: EventReader, id_: str) -> Stored:
    stream, _, version = id_.rpartition("@")
    page = history.stream(stream, int(version) - 1, 1) if stream and version.isdecimal() and int(version) else []
    if not page or page[0].version != int(version):
        raise Unknown(coded("event-unknown", event=id_))
    return page[0]


def closings_of(history: EventReader, property_: str, until: int) -> Closings:
    """Return the closed days by then. It reads the closing events alone."""
    closings = Closings()
    for stored in everything(history, types=_CLOSING, until=until):
        if stored.stream.startswith(f"{property_}/days/"):
            read = catalogue.decode(stored.type, stored.raw)
            closings = closed_days_fold.evolve(
                closings, AccountingEvent(stored.position, stored.stream, read.actor, read.data, read.id)
            )
    return closings


def closed_layouts(history: EventReader, property_: str) -> dict[str, int]:
    """The layout of every closed gaming day."""
    closed = closings_of(history, property_, history.position()).days
    return {day: closing.closed.layout for day, closing in closed.items()}


def _events(history: EventReader, basis: ReportBasis) -> Iterator[Stored]:
    yield from everything(history, until=basis.until)
    yield from basis.named


def _made_report(ledger: Ledger, gaming_day: str, basis: ReportBasis) -> MadeReport:
    content = figures(ledger, gaming_day, basis.as_of, restatement=basis.restatement, layout=basis.layout)
    return MadeReport(content, canonical_report_bytes.digest(content), basis, ledger)


def _events_between(history: EventReader, before: ReportBasis, after: ReportBasis) -> Iterator[Stored]:
    """The events that one report has more than an earlier one."""
    yield from everything(history, before.until, until=after.until)
    known_positions = {stored.position for stored in before.named}
    yield from (stored for stored in after.named if stored.position not in known_positions)


def steps(
    ledger: Ledger, gaming_day: str, events: Iterable[Stored], property_: str, layout: int = LAST
) -> Iterator[ReportStep]:
    """Have the accounts take these events, and yield the changes that each makes in the report of a day."""
    content: Any = figures(ledger, gaming_day, 0, layout=layout)
    for stored in events:
        if (fact := accounting_event(stored, property_)) is None:
            continue
        ledger.take(fact)
        now = figures(ledger, gaming_day, 0, layout=layout)
        if changed := changes(content, now):
            yield ReportStep(fact.id, stored.type, stored.position, tuple(changed))
        content = now


def summed(steps: Sequence[ReportStep]) -> list[ReportChange]:
    """Return the total changes by place: the first figure before, the last figure after."""
    by_place: dict[str, ReportChange] = {}
    for step in steps:
        for change in step.changed:
            by_place[change.place] = ReportChange(
                change.place, by_place[change.place].before if change.place in by_place else change.before, change.after
            )
    return [change for change in by_place.values() if change.before != change.after]
