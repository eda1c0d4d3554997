"""The demo's accountant: explains discrepancies, closes the day, and restates it for later findings."""

from collections.abc import Callable
from datetime import timedelta

from events import catalogue
from events.accounting.event_types.soft_count import CountSettled
from events.accounting.report import canonical_report_bytes, day_reports
from events.accounting.report.canonical_report_from_ledger import figures
from events.accounting.report.property_ledger_fold import accounting_event, fold
from events.accounting.report.report_diff import changes
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.errors import Conflict
from events.store import EventStore, Stored, everything
from tools.demo import count_room, demo_house_setup
from tools.demo.gaming_day_play import DemoDay
from tools.demo.people_away_from_tables import ACCOUNTANT, CASHIER
from tools.demo.planted_mistakes import PlantedMistake, Reports

ACCOUNTS_OPEN = timedelta(hours=5)  # after the last table has closed
REASONS = {"fill": "the two chips lay in the lift; the runner's statement is filed"}


def explain(day: DemoDay, store: EventStore, since: int = 0) -> None:
    """Explain every discrepancy over the house's first threshold before the close. `since`: a position."""
    at = day.now + ACCOUNTS_OPEN
    for stored_event in _discrepancies(store, since):
        discrepancy = catalogue.decode(stored_event.type, stored_event.raw)
        if discrepancy.data.band != "recorded":
            data = {
                "discrepancy": discrepancy.id,
                "reason": REASONS.get(discrepancy.data.kind, "looked into, and filed"),
            }
            day.desks.do("days", ACCOUNTANT, "discrepancy.explain", data, at)


def close(day: DemoDay) -> None:
    """The checklist holds, or this is turned down."""
    day.desks.do("days", ACCOUNTANT, "day.close", {}, day.now + ACCOUNTS_OPEN)


def correct(day: DemoDay, store: EventStore) -> None:
    """A note is found in the lid of a box after the close: it is counted again, and the day restated for that."""
    table, since = day.tables[3], store.position()
    box, at = table.boxes[0], day.now + 2 * ACCOUNTS_OPEN
    count_room.count_again(day.desks, table, box, count_room.STUCK, at)
    settled = list(everything(store, since, types=(CountSettled.TYPE,)))
    named_events = [
        f"{stored_event.stream}@{stored_event.version}" for stored_event in (*settled, *_discrepancies(store, since))
    ]
    reason = f"a note was found in the lid of {box.name}"
    amended = {"events": named_events, "reason": reason}
    day.desks.agreed("days", (ACCOUNTANT, CASHIER), "day.amend", amended, at)
    day.planted.append(PlantedMistake("box", table.plan.name, count_room.STUCK, f"after the close {reason}"))


def reports(store: EventStore, property_: str) -> Reports:
    """Return the reports of the day, from the events alone. Raises Conflict where one differs from its closing."""
    basis = day_reports.basis_of(store, property_, demo_house_setup.GAMING_DAY, store.position())
    assert basis.closing is not None, "the day is closed by now"
    ledger = fold(everything(store, until=basis.until), property_)
    closed = figures(ledger, demo_house_setup.GAMING_DAY, basis.until)
    for fact in (accounting_event(stored_event, property_) for stored_event in basis.named):
        assert fact is not None, "only what the accounts take is named"
        ledger.take(fact)
    restated = figures(ledger, demo_house_setup.GAMING_DAY, basis.as_of, restatement=basis.restatement)
    digests = [basis.closing.closed.digest, *(amended.digest for amended in basis.closing.amended[-1:])]
    if [canonical_report_bytes.digest(closed), canonical_report_bytes.digest(restated)] != digests:
        raise Conflict("the reports of the day are not those it was closed with")
    return Reports(closed, restated, changes(closed, restated))


def _discrepancies(store: EventStore, since: int) -> list[Stored]:
    return list(everything(store, since, types=(DiscrepancyFound.TYPE,)))


def play(day: DemoDay, store: EventStore, wait_for_pages: Callable[[], None]) -> None:
    """Play the morning. `wait_for_pages`: waits until the read models have everything, and signs a head over it."""
    explain(day, store)
    wait_for_pages()
    close(day)
    correct(day, store)
    wait_for_pages()
