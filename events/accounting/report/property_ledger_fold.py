"""All that the report of any gaming day needs, folded from the property's events in the order of the store.

It is put together of the parts by which the cage and the count room are judged, and forgets nothing of any day.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from events import catalogue
from events.accounting import (
    cage_inventory,
    daily_meter_movements,
    discrepancies_with_explanations,
    fill_and_credit_slip_states,
    table_days_fold,
)
from events.accounting.cage_inventory import Cage
from events.accounting.daily_meter_movements import MeterChange, MeteredProgressive
from events.accounting.discrepancies_with_explanations import Discrepancies
from events.accounting.event_types.cage import CageOpened
from events.accounting.event_types.soft_count import CountSettled
from events.accounting.event_with_position import AccountingEvent
from events.accounting.fill_and_credit_slip_states import Slips
from events.accounting.journal.journal import Journal, PostingContext, posted_types
from events.accounting.journal.ledger_entry import LedgerEntry
from events.accounting.report import cage_days_fold, closed_days_fold, paid_progressive_slips_fold, tray_contents
from events.accounting.report.cage_days_fold import Cages
from events.accounting.report.closed_days_fold import Closings
from events.accounting.report.paid_progressive_slips_fold import Papers
from events.accounting.report_rules_version_numbers import LAST
from events.accounting.table_shifts_fold import TableShifts
from events.floor.table_installation_decider import TableInstalled
from events.house.setting_and_chip_issue_decider import House
from events.house.setting_and_chip_issue_decider import evolve as evolve_house
from events.money import posting_rules
from events.money.single_currency_rule import DEFAULT as DEFAULT_CURRENCY
from events.people import approval_request_lifecycle
from events.people.approval_request_lifecycle import Requests
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.store import Stored
from events.tables.event_types.session import SessionOpened

WITH_DAYS = ("tables", "cage", "days")  # a stream of these is a gaming day's
FOLLOWED = (*WITH_DAYS, "house", "progressives", "floor")
VERSION = 6  # raise it whenever the fold computes another state from the same events
_OF_PAPERS, _OF_CAGE = frozenset(paid_progressive_slips_fold.TYPES), frozenset(cage_inventory.TYPES)
_OPENS = (SessionOpened, CageOpened)
_OF_SLIPS, _OF_DISCREPANCIES = (
    frozenset(fill_and_credit_slip_states.TYPES),
    frozenset(discrepancies_with_explanations.TYPES),
)


Days = tuple[TableShifts | None, TableShifts | None]


class Span(msgspec.Struct, frozen=True, gc=False):
    """Range of a gaming day in the store: its first event, and its last one so far."""

    first: int
    last: int


class Ledger:
    """A property's accounts after the last event taken; `current` is the last gaming day that was opened.

    The rules are those of a report's `layout`: a closed day is computed again by those that it was closed with.
    """

    def __init__(self, layout: int = LAST) -> None:
        self.layout = layout
        self.house = House()
        self.rules = posting_rules.AMOUNTS  # of the journal, in force
        self.slips = Slips()
        self.cage = Cage()
        self.cages = Cages()
        self.tables: dict[str, TableShifts] = {}  # by stream
        self.beyond: tray_contents.SurplusByStream = {}
        self.discrepancies: Discrepancies = {}
        self.papers: Papers = {}
        self.meters: dict[str, MeteredProgressive] = {}
        self.days: dict[str, Span] = {}
        self.closings = Closings()
        self.requests: dict[str, Requests] = {}  # that wait for a second person, by stream
        self.journal = Journal()
        self.current = ""
        self.installed_in = ""  # the currency of the first table

    def take(self, fact: AccountingEvent) -> None:
        """The next event of the property."""
        kind, day = kind_of(fact.stream), self.day_of(fact)
        if kind == "floor":
            self.installed_in = self.installed_in or currency_installed(fact.data)
            return
        self._note_day(fact)
        if kind == "days":
            self._of_day(fact)
        if kind == "house":
            self._of_house(fact)
        at_table = self._at_table(fact) if kind == "tables" or isinstance(fact.data, CountSettled) else (None, None)
        is_metered = kind in ("tables", "progressives")
        changes = daily_meter_movements.take(self.meters, fact, day, self.current) if is_metered else []
        if changes or type(fact.data) in posted_types():
            self._post(fact, day, at_table, changes)
        self._take_other_fact(fact)

    def _post(
        self, fact: AccountingEvent, day: str, at_table: Days, changes: Sequence[MeterChange]
    ) -> list[LedgerEntry]:
        """Into the journal, by the accounts as they were before it."""
        layout = self.layout_of(day)
        surroundings = PostingContext(
            day, self.closings.days, self.days, self.cage, self.slips, *at_table, changes, layout
        )
        return self.journal.take(fact, surroundings, self.rules)

    @property
    def currency(self) -> str:
        """The property's: that of the setting, else of its first table, else of its first progressive; else EUR."""
        first = next((meter.currency for meter in self.meters.values()), "")
        return self.house.settings.currency or self.installed_in or first or DEFAULT_CURRENCY

    def layout_of(self, _gaming_day: str) -> int:
        """Return the layout whose rules the journal of a gaming day follows."""
        return self.layout

    def _take_other_fact(self, fact: AccountingEvent) -> None:
        """Take an event that is not of a table. Most events are bets, which have no effect here."""
        shape = type(fact.data)
        if shape in _OF_PAPERS:
            self.papers = paid_progressive_slips_fold.evolve(self.papers, fact.data)
        if shape in _OF_CAGE:
            self.cages = cage_days_fold.evolve(self.cages, fact, self.slips)
            self.cage = cage_inventory.evolve(self.cage, fact, self.slips)
        if shape in _OF_SLIPS:
            self.slips = fill_and_credit_slip_states.evolve(self.slips, fact)
        if shape in _OF_DISCREPANCIES:
            self.discrepancies = discrepancies_with_explanations.evolve(self.discrepancies, fact)

    def day_of(self, fact: AccountingEvent) -> str:
        """The gaming day that the next event belongs to: its stream's, a payment's own, or else the last one opened."""
        return _own_day(fact) or self.current

    def day_then(self, fact: AccountingEvent) -> str:
        """Return the gaming day of an event taken before: events without a day belong to the last day opened by then.
        The floor's events belong to no day."""
        if kind_of(fact.stream) == "floor":
            return ""
        return _own_day(fact) or max(
            (day for day, span in self.days.items() if span.first <= fact.position), default=""
        )

    def _note_day(self, fact: AccountingEvent) -> None:
        if isinstance(fact.data, _OPENS):
            self.current = max(self.current, fact.data.gaming_day)
        if day := day_of_stream(fact.stream):
            span = self.days.get(day)
            self.days[day] = Span(fact.position if span is None else span.first, fact.position)

    def _of_day(self, fact: AccountingEvent) -> None:
        self.closings = closed_days_fold.evolve(self.closings, fact)
        if isinstance(fact.data, approval_request_lifecycle.EVENTS):
            requests = approval_request_lifecycle.evolve(self.requests.get(fact.stream, {}), fact.data)
            self.requests = {**self.requests, fact.stream: requests}

    def _of_house(self, fact: AccountingEvent) -> None:
        self.house = evolve_house(self.house, fact.data)
        self.rules = posting_rules.rules_from_setting(self.house.settings.journal_rules)

    def _at_table(self, fact: AccountingEvent) -> Days:
        """Return one table's day before and after the event; a year has thousands of other days."""
        stream = table_days_fold.stream_of(fact)
        before = self.tables.get(stream)
        if type(fact.data) not in _of_tables():
            return before, before
        after = table_days_fold.evolve_day(before, fact)
        if after is None:
            self.tables.pop(stream, None)
        elif after is not before:
            self.tables[stream] = after
        tray_contents.note(self.beyond, stream, after, fact.data)
        return before, after

    def copy(self) -> "Ledger":
        """An independent one in the same state."""
        copy = object.__new__(Ledger)
        copy.__dict__.update(self.__dict__)
        copy.tables, copy.beyond, copy.days = self.tables.copy(), self.beyond.copy(), self.days.copy()
        copy.meters = {name: metered.copy() for name, metered in self.meters.items()}
        copy.journal = self.journal.copy()
        return copy


class NotingLedger(Ledger):
    """Accounts that return the entries of each event, and keep the entries of one gaming day."""

    def __init__(self, gaming_day: str = "", layout: int = LAST) -> None:
        super().__init__(layout)
        self.gaming_day = gaming_day
        self.entries: list[LedgerEntry] = []
        self._entries_made: list[LedgerEntry] = []

    def posted(self, fact: AccountingEvent) -> list[LedgerEntry]:
        """Take the next event of the property; its entries."""
        self._entries_made = []
        self.take(fact)
        self.entries += [entry for entry in self._entries_made if entry.dated == self.gaming_day]
        return self._entries_made

    def _post(
        self, fact: AccountingEvent, day: str, at_table: Days, changes: Sequence[MeterChange]
    ) -> list[LedgerEntry]:
        self._entries_made = super()._post(fact, day, at_table, changes)
        return self._entries_made


@cached_until_forgotten
def _of_tables() -> frozenset[type[Any]]:
    """The events that change a table's day or the count of its tray. Cards, dice and rounds do not."""
    return table_days_fold.table_day_types() | frozenset(tray_contents.TYPES)


def currency_installed(data: Any) -> str:
    """The currency of the table that an event installs, "" for any other event."""
    return data.currency if isinstance(data, TableInstalled) else ""


def _own_day(fact: AccountingEvent) -> str:
    return day_of_stream(fact.stream) or getattr(fact.data, "paid_gaming_day", "") or ""


@lru_cache(maxsize=10_000)
def kind_of(stream: str) -> str:
    """The kind that a stream is of."""
    return stream.split("/", 2)[1]


@lru_cache(maxsize=10_000)
def day_of_stream(stream: str) -> str:
    """Return the gaming day that a stream belongs to, "" for one of no day."""
    return stream.rpartition("/")[2] if kind_of(stream) in WITH_DAYS else ""


def is_followed(stream: str, property_: str) -> bool:
    """Return whether the accounts take the events of this stream."""
    parts = stream.split("/", 2)
    return parts[0] == property_ and len(parts) > 1 and parts[1] in FOLLOWED


def accounting_event(stored: Stored, property_: str) -> AccountingEvent | None:
    """Return a stored event if the accounts apply it. Raises `Poison` for an unreadable event."""
    if not is_followed(stored.stream, property_):
        return None
    read = catalogue.decode(stored.type, stored.raw)
    return AccountingEvent(stored.position, stored.stream, read.actor, read.data, read.id)


def fold(events: Iterable[Stored], property_: str, layout: int = LAST) -> Ledger:
    """The accounts after these events, in the order of the store, by the rules of a layout."""
    ledger = Ledger(layout)
    for stored in events:
        if (fact := accounting_event(stored, property_)) is not None:
            ledger.take(fact)
    return ledger
