"""The checklist of a gaming day's close: twelve items, each with the action that makes it hold.

An item holds, does not hold, or (null) is not known yet and refuses nothing. An overridden item still does not hold.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from events.accounting import table_days_fold
from events.accounting.event_types.day_close import Item
from events.accounting.journal.journal_against_other_accounts_checks import BrokenIdentity, broken
from events.accounting.report.canonical_report_from_ledger import slips_of
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.property_ledger_fold import Ledger
from events.accounting.table_shifts_fold import TableShifts
from events.accounting.win_report_lines import TableFigures
from events.controls.slip_issued_event import name_of
from events.error_codes import ErrorText, coded
from events.error_codes.coded_error_text import Name
from events.progressives.decider_base_functions import table_and_day

# Items that no reason can override.
NEVER: tuple[Item, ...] = ("nothing_aside", "journal_balanced", "readers_beyond", "heads_beyond")


class CheckedItem(msgspec.Struct, frozen=True):
    """One item: whether it holds (None: not known yet), and the obstacles."""

    item: Item
    holds: bool | None
    text: ErrorText | None = None

    @property
    def detail(self) -> str:
        """The obstacles, in English."""
        return str(self.text) if self.text is not None else ""


class DayObstacles(msgspec.Struct, frozen=True):
    """Obstacles of a day outside the tables: hits neither locked nor void, open variances.

    `broken`: the journal's identities that do not hold; None: not known here.
    """

    hits: tuple[str, ...] = ()
    variances: tuple[str, ...] = ()
    broken: tuple[BrokenIdentity, ...] | None = None


class Day(msgspec.Struct, frozen=True):
    """The state that the items are checked against."""

    ledger: Ledger
    name: str
    system_state: SystemState
    waits: DayObstacles

    @property
    def tables(self) -> list[TableShifts]:
        """The tables' days, by table."""
        days = [day for day in self.ledger.tables.values() if day.gaming_day == self.name]
        return sorted(days, key=lambda day: day.table)


def checklist(
    ledger: Ledger, gaming_day: str, surroundings: SystemState, waits: DayObstacles | None = None
) -> list[CheckedItem]:
    """Return all twelve items in order. `waits` is given by callers that keep progressives and journal elsewhere than
    in these accounts."""
    day = Day(ledger, gaming_day, surroundings, _waiting_items(ledger, gaming_day) if waits is None else waits)
    overridden = ledger.closings.overridden.get(gaming_day, {})
    return [_with_override(look(day), overridden) for look in _ITEMS]


def failing(checks: Iterable[CheckedItem], overridden: Iterable[str]) -> list[CheckedItem]:
    """Return the items that block the close."""
    overridden_items = set(overridden)
    return [check for check in checks if check.holds is False and check.item not in overridden_items]


def _with_override(check: CheckedItem, overridden: Mapping[str, object]) -> CheckedItem:
    if check.holds is not False or check.item not in overridden:
        return check
    reason = getattr(overridden[check.item], "reason", "")
    return CheckedItem(check.item, False, coded("checklist-overridden", reason=reason, why=check.text))


def _item_without_findings(
    item: Item, wrong: Iterable[str | Name], code: str, param: str, **params: int
) -> CheckedItem:
    """Return an item that passes without findings; `param`: the parameter of the code for the names."""
    names = [name if isinstance(name, Name) else Name(name) for name in wrong]
    if not names:
        return CheckedItem(item, True)
    return CheckedItem(item, False, ErrorText(code, {param: names, **params}))


# --- the items --------------------------------------------------------------------------------------------------------


def _sessions_closed(day: Day) -> CheckedItem:
    names = [table.table for table in day.tables if not table.is_closed]
    return _item_without_findings("sessions_closed", names, "checklist-tables-open", "tables")


def _boxes_counted(day: Day) -> CheckedItem:
    names = [f"{table.table} {box}".rstrip() for table in day.tables for box in uncounted(table)]
    return _item_without_findings("boxes_counted", names, "checklist-boxes-not-counted", "boxes")


def uncounted(day: TableShifts) -> list[str]:
    """The boxes of a table's day that no one has counted; "" for one that there must be, and that has no name."""
    if not day.has_boxes:
        is_missing = not any(shift.boxes for shift in day.shifts) and any(shift.buyins.total for shift in day.shifts)
        return [""] if is_missing else []
    return [box.name for shift in day.shifts for box in shift.boxes if box.counted is None]


def _slips_settled(day: Day) -> CheckedItem:
    wrong = [slip for slip in slips_of(day.ledger, day.name) if slip.status == "open"]
    names = [name_of(slip.kind, slip.year, slip.number) for slip in wrong]
    return _item_without_findings("slips_settled", names, "checklist-slips-open", "slips")


def _discrepancies_explained(day: Day) -> CheckedItem:
    """Discrepancies of the lowest band are listed only."""
    of_day = [
        (id_, discrepancy)
        for id_, discrepancy in day.ledger.discrepancies.items()
        if discrepancy.gaming_day == day.name
    ]
    wrong = [
        f"{discrepancy.kind} {id_}"
        for id_, discrepancy in of_day
        if discrepancy.band != "recorded" and discrepancy.reason is None
    ]
    return _item_without_findings("discrepancies_explained", wrong, "checklist-discrepancies-open", "discrepancies")


def _hits_locked(day: Day) -> CheckedItem:
    """Check that every hit is locked or void. Locked and unpaid amounts are carried."""
    return _item_without_findings("hits_locked", day.waits.hits, "checklist-hits-pending", "hits")


def _variances_closed(day: Day) -> CheckedItem:
    return _item_without_findings("variances_closed", day.waits.variances, "checklist-variances-open", "variances")


def _waiting_items(ledger: Ledger, gaming_day: str) -> DayObstacles:
    hits, variances = tuple(_pending(ledger, gaming_day)), tuple(_open_variances(ledger))
    return DayObstacles(hits, variances, tuple(broken(ledger, [gaming_day])))


def _pending(ledger: Ledger, gaming_day: str) -> Iterator[str]:
    for metered in ledger.meters.values():
        for hit in metered.fold.state.hits.values():
            if table_and_day(hit.table)[1] <= gaming_day and metered.fold.status(hit.id) == "pending":
                yield hit.id


def _open_variances(ledger: Ledger) -> Iterator[str]:
    for name, metered in sorted(ledger.meters.items()):
        yield from (f"{name} {case}" for case, variance in metered.fold.state.variances.items() if variance.is_open)


def _no_rest(day: Day) -> CheckedItem:
    """A rest that is not known yet does not fail the item, and does not let it hold."""
    days = table_days_fold.of_gaming_day(day.ledger.tables, day.name, day.ledger.layout)
    if shifts_with_rest := _nonzero_rests(days):
        return _item_without_findings("no_rest", shifts_with_rest, "checklist-no-known-cause", "shifts")
    unknown = _item_without_findings("no_rest", _not_compared(days), "checklist-not-compared", "shifts")
    return unknown if unknown.holds else CheckedItem("no_rest", None, unknown.text)


def _not_compared(table_figures: Iterable[TableFigures]) -> list[str]:
    """Return the shifts whose unexplained difference is not known. A table that is counted only has no recorded win to
    compare."""
    shifts = [
        (f"{table.table} {shift.shift}", shift) for table in table_figures if table.recorded for shift in table.shifts
    ]
    return [name for name, shift in shifts if shift.parts.rest_minor is None]


def _nonzero_rests(table_figures: Iterable[TableFigures]) -> list[Name]:
    shifts = [
        (f"{table.table} {shift.shift}", shift.parts.rest_minor) for table in table_figures for shift in table.shifts
    ]
    return [Name(name, amount_minor=rest_minor) for name, rest_minor in shifts if rest_minor]


def _cage_closed(day: Day) -> CheckedItem:
    """A house may close a day without a cage: then nothing is known of it, and nothing is refused."""
    cage = day.ledger.cages.now
    if cage.is_open and cage.gaming_day <= day.name:
        return CheckedItem("cage_closed", False, coded("checklist-cage-open", day=cage.gaming_day))
    if day.ledger.cages.cage_day(day.name) is None:
        return CheckedItem("cage_closed", None, coded("checklist-cage-not-opened", day=day.name))
    return CheckedItem("cage_closed", True)


def _nothing_aside(day: Day) -> CheckedItem:
    aside = day.system_state.aside
    if aside is None:
        return CheckedItem("nothing_aside", False, _NOBODY)
    names = [Name(name, count) for name, count in sorted(aside.items()) if count]
    return _item_without_findings("nothing_aside", names, "checklist-events-unprocessed", "readers")


def _journal_balanced(day: Day) -> CheckedItem:
    """Check the journal by its own exact sum, and each account against the other accounts."""
    if day.waits.broken is None:
        return CheckedItem("journal_balanced", None, coded("checklist-at-close"))
    if not day.waits.broken:
        return CheckedItem("journal_balanced", True)
    first, count = day.waits.broken[0], len(day.waits.broken)
    off = abs(first.journal - first.accounts)
    text = coded("checklist-journal-differs", first=first.text, off=off, count=count)
    return CheckedItem("journal_balanced", False, text)


def _readers_beyond(day: Day) -> CheckedItem:
    readers, last = day.system_state.readers, _last_position(day)
    if readers is None:
        return CheckedItem("readers_beyond", False, _NOBODY)
    names = [Name(name, position) for name, position in sorted(readers.items()) if position < last]
    return _item_without_findings("readers_beyond", names, "checklist-readers-behind", "readers", last=last)


def _heads_beyond(day: Day) -> CheckedItem:
    head, last = day.system_state.head, _last_position(day)
    if head is None:
        return CheckedItem("heads_beyond", False, coded("checklist-no-head"))
    if head >= last:
        return CheckedItem("heads_beyond", True)
    return CheckedItem("heads_beyond", False, coded("checklist-head-behind", head=head, last=last))


_NOBODY = coded("checklist-unknown")


def _last_position(day: Day) -> int:
    span = day.ledger.days.get(day.name)
    return span.last if span is not None else 0


_ITEMS: tuple[Callable[[Day], CheckedItem], ...] = (
    _sessions_closed,
    _boxes_counted,
    _slips_settled,
    _discrepancies_explained,
    _hits_locked,
    _variances_closed,
    _no_rest,
    _cage_closed,
    _nothing_aside,
    _journal_balanced,
    _readers_beyond,
    _heads_beyond,
)
