"""The journal as a fold: the double entries of each event of the property, and their sums.

It keeps little state of its own: the till of each table's day, and the event behind each amount that can be reversed.
The caller passes the cage, the slips, the boxes and the meters.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

import msgspec

from events.accounting import table_shifts_fold
from events.accounting.amounts_moved_at_cage import PLACES
from events.accounting.cage_inventory import Cage
from events.accounting.daily_meter_movements import MeterChange
from events.accounting.event_types.soft_count import CountSettled
from events.accounting.event_with_position import AccountingEvent
from events.accounting.fill_and_credit_slip_states import Slips
from events.accounting.journal import named_amounts_of_cage_events as at_cage
from events.accounting.journal import progressive_amounts, table_event_amounts
from events.accounting.journal.ledger_entry import MICRO, Held, JournalLine, LedgerEntry, NamedAmount, Sums
from events.accounting.journal.table_event_amounts import Till
from events.accounting.report_rules_version_numbers import LAST
from events.accounting.table_shifts_fold import TableShifts
from events.envelope import EventData
from events.money.posting_rules import AMOUNTS, PostingRule
from events.progressives.event_types import HitVoided, JackpotPaid, ProgressiveOpened
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.session import SessionClosed, SessionOpened, SessionRolled, SessionVoided
from events.tables.moved_amount_declarations import amount

_OF_METERS = frozenset((ProgressiveOpened, JackpotPaid))  # they have amounts also without a change of a meter
_CLOSES = (SessionClosed, SessionRolled)


@cached_until_forgotten
def of_boxes() -> frozenset[type[EventData]]:
    """Return the event types that can change the amounts of a box."""
    return table_shifts_fold.of_boxes() | {CountSettled}


class PostingContext(msgspec.Struct, frozen=True, gc=False):
    """The accounts before an event, as their fold has them; its table's day also after the event.

    `day` is the gaming day of the event, `closed` the closed days, `known` all days. The rules are those
    of the report's `layout`.
    """

    day: str
    closed: Iterable[str]
    known: Iterable[str]
    cage: Cage
    slips: Slips
    before: TableShifts | None = None
    after: TableShifts | None = None
    changes: Sequence[MeterChange] = ()
    layout: int = LAST


class Journal:
    """Sums of all postings up to the last event taken, by the day of posting."""

    def __init__(self) -> None:
        self.sums: dict[str, Sums] = {}
        self.held: dict[Held, int] = {}  # over all days
        self.tills: dict[str, Till] = {}  # by stream
        self.latest: dict[str, str] = {}  # the stream of each table's last day
        self.voidable_events: dict[str, str] = {}  # the events that can be voided, by subject
        self.unbooked: dict[str, int] = {}  # movements of the cage's places before its first count
        self.bases: progressive_amounts.Bases = {}

    def take(
        self, fact: AccountingEvent, surroundings: PostingContext, rules: Mapping[str, PostingRule] = AMOUNTS
    ) -> list[LedgerEntry]:
        """Return the entries of the next event, by the rules in force."""
        return self.post(fact, self._amounts(fact, surroundings), surroundings, rules)

    def post(
        self,
        fact: AccountingEvent,
        amounts: Sequence[NamedAmount],
        surroundings: PostingContext,
        rules: Mapping[str, PostingRule],
    ) -> list[LedgerEntry]:
        """Return the entries of an event's amounts."""
        return self.entries(fact, amounts, self.place(fact, surroundings, rules)) if amounts else []

    def place(
        self, fact: AccountingEvent, surroundings: PostingContext, rules: Mapping[str, PostingRule]
    ) -> "PostingPlace":
        """Return the place of an event's entries."""
        till = self.tills.get(fact.stream)
        return PostingPlace(
            fact, surroundings, rules, self._currency(fact, surroundings) if till is None else till.currency
        )

    def entries(
        self, fact: AccountingEvent, amounts: Sequence[NamedAmount], place: "PostingPlace"
    ) -> list[LedgerEntry]:
        """Return the entries of an event's amounts at a place."""
        return [self._post(fact, place, amount) for amount in amounts if amount.micro]

    # --- amounts ------------------------------------------------------------------------------------------------------

    def _amounts(self, fact: AccountingEvent, surroundings: PostingContext) -> list[NamedAmount]:
        data: Any = fact.data
        shape = type(data)
        amounts = self.at_table(fact)
        if (of_cage := at_cage.handlers().get(shape)) is not None:
            before = at_cage.AccountsBefore(
                surroundings.cage, surroundings.slips, self.voidable_events, self.unbooked, surroundings.layout
            )
            amounts = self._moved(fact.stream, of_cage(before, data, fact.id))
        if shape in of_boxes() and surroundings.before is not None and surroundings.after is not None:
            amounts = [*amounts, *self._boxes(fact, surroundings.before, surroundings.after, surroundings.layout)]
        if surroundings.changes or shape in _OF_METERS:
            return [*amounts, *self._of_meters(fact, surroundings.changes)]
        return amounts

    def _moved(self, stream: str, amounts: list[NamedAmount]) -> list[NamedAmount]:
        """Return the amounts, with the chips that slips move added to or taken from the tray."""
        till = self.tills.get(stream)
        return amounts if till is None else table_event_amounts.move(till, amounts)

    def at_table(self, fact: AccountingEvent) -> list[NamedAmount]:
        """Return the amounts of an event for the till of its table: all amounts of most events."""
        data: Any = fact.data
        handler, till = table_event_amounts.handlers().get(type(data)), self.tills.get(fact.stream)
        if handler is None or till is None:
            return self._of_session(fact, data)
        if amounts := handler(till, data, fact.id):
            amounts = table_event_amounts.move(till, amounts)
        if type(data) in _CLOSES:
            till.is_closed = True
        return amounts

    def _of_session(self, fact: AccountingEvent, data: Any) -> list[NamedAmount]:
        if isinstance(data, SessionOpened):
            return self._opened(fact, data)
        return self._voided(fact, data) if isinstance(data, SessionVoided) else []

    def _opened(self, fact: AccountingEvent, data: SessionOpened) -> list[NamedAmount]:
        before = self.latest.get(data.table, "")
        tray = self.tills[before].tray if before else None
        till = Till(data.table, data.currency, data.recorded, fact.id, before, tray)
        self.tills[fact.stream], self.latest[data.table] = till, fact.stream
        return table_event_amounts.move(till, table_event_amounts.opened(till, amount(data, "opener") * MICRO))

    def _voided(self, fact: AccountingEvent, data: SessionVoided) -> list[NamedAmount]:
        till = self.tills.pop(fact.stream, None)
        if till is None:
            return []
        if till.before:
            self.latest[till.table] = till.before
        else:
            self.latest.pop(till.table, None)
        return table_event_amounts.voided(till, data)

    def _boxes(self, fact: AccountingEvent, before: TableShifts, after: TableShifts, layout: int) -> list[NamedAmount]:
        data: Any = fact.data
        takes_back = ""
        if isinstance(data, CountSettled):
            name = f"{before.table}/{data.gaming_day}#{data.drop_box}"
            takes_back = self.voidable_events.get(name, "") if data.before is not None else ""
            self.voidable_events[name] = fact.id
        return table_event_amounts.boxes(before, after, takes_back, layout)

    def _of_meters(self, fact: AccountingEvent, changes: Sequence[MeterChange]) -> list[NamedAmount]:
        data: Any = fact.data
        if isinstance(data, ProgressiveOpened):
            return progressive_amounts.opened(self.bases, data)
        takes_back = self.voidable_events.get(f"hit {data.hit}", "") if isinstance(data, HitVoided) else ""
        amounts = [
            amount for change in changes for amount in progressive_amounts.changed(self.bases, data, change, takes_back)
        ]
        if any(amount.name == "progressive.locked" and amount.micro for amount in amounts):
            self._note_locks(fact, changes)
        if isinstance(data, JackpotPaid) and all(change.level != data.level for change in changes):
            # The fold refuses the payment, so the house pays it, without a locked share.
            amounts += [NamedAmount("progressive.house", data.amount_minor * MICRO, data.progressive, data.level)]
        return amounts

    def _currency(self, fact: AccountingEvent, surroundings: PostingContext) -> str:
        """Return the currency of an event outside a table's stream: the table's, the progressive's, or the house's
        own."""
        if surroundings.after is not None:
            return surroundings.after.currency
        if surroundings.changes:
            return surroundings.changes[0].metered.currency
        return getattr(fact.data, "currency", "")

    def _note_locks(self, fact: AccountingEvent, changes: Sequence[MeterChange]) -> None:
        """Remember the event that locked a hit's share, because a void reverses its entries."""
        for change in changes:
            for lock in change.metered.fold.locks(change.level):
                for hit in lock.hits:
                    self.voidable_events.setdefault(f"hit {hit}", fact.id)

    # --- entries ------------------------------------------------------------------------------------------------------

    def _post(self, fact: AccountingEvent, place: "PostingPlace", amount: NamedAmount) -> LedgerEntry:
        debit, credit = place.accounts(amount)
        self._sum(place, amount, debit, credit)
        if not place.is_booked:
            for part, sign in PLACES[amount.name].items():
                self.unbooked[part] = self.unbooked.get(part, 0) + sign * amount.micro
        return place.entry(fact, amount, debit, credit)

    def _sum(self, place: "PostingPlace", amount: NamedAmount, debit: str, credit: str) -> None:
        line, held = place.line(amount, debit, credit)
        sums = self.sums.setdefault(place.dated, {})
        sums[line] = sums.get(line, 0) + amount.micro
        self.held[held] = self.held.get(held, 0) + amount.micro

    def copy(self) -> "Journal":
        """Return an independent journal in the same state."""
        copy = Journal()
        copy.sums = {day: sums.copy() for day, sums in self.sums.items()}
        copy.tills = {stream: till.copy() for stream, till in self.tills.items()}
        copy.latest, copy.voidable_events, copy.bases = (
            self.latest.copy(),
            self.voidable_events.copy(),
            self.bases.copy(),
        )
        copy.unbooked, copy.held = self.unbooked.copy(), self.held.copy()
        return copy


class UnsummedJournal(Journal):
    """Entries without sums, for a caller that keeps the entries itself."""

    def __init__(self, journal: Journal | None = None) -> None:
        super().__init__()
        if journal is not None:
            self.__dict__.update(journal.__dict__)
        self.sums, self.held = {}, {}

    def _sum(self, place: "PostingPlace", amount: NamedAmount, debit: str, credit: str) -> None:
        pass


@cached_until_forgotten
def posted_types() -> frozenset[type[Any]]:
    """Return the types that can have amounts of their own. Other types have amounts only if they change a meter."""
    others = (SessionOpened, SessionVoided, ProgressiveOpened, CountSettled)
    return frozenset((*table_event_amounts.handlers(), *at_cage.handlers(), *of_boxes(), *others))


class PostingPlace:
    """The common part of all entries of an event, and of further events of its table's shift while only tills
    change."""

    __slots__ = ("currency", "dated", "day", "is_booked", "rules", "shift", "table")

    def __init__(
        self, fact: AccountingEvent, surroundings: PostingContext, rules: Mapping[str, PostingRule], currency: str
    ) -> None:
        data: Any = fact.data
        self.rules, self.currency = rules, currency
        self.table, self.shift = getattr(data, "table", None) or "", getattr(data, "shift", "")
        self.day = surroundings.day
        self.dated = (
            day
            if (day := surroundings.day) not in surroundings.closed
            else entry_day(day, surroundings.closed, surroundings.known)
        )
        self.is_booked = surroundings.cage.is_known

    def accounts(self, amount: NamedAmount) -> tuple[str, str]:
        return _accounts(self.rules[amount.name], self.table, amount.progressive, amount.level, amount.reason)

    def line(self, amount: NamedAmount, debit: str, credit: str) -> tuple[JournalLine, Held]:
        place = f"{amount.progressive}:{amount.level}:{amount.reason}" if amount.progressive or amount.reason else ""
        return _sum_keys(self.day, self.table, self.shift, amount.name, place, debit, credit, self.currency)

    def entry(self, fact: AccountingEvent, amount: NamedAmount, debit: str, credit: str) -> LedgerEntry:
        """Return the ledger entry. Arguments are positional: keywords would cost as much as the entry."""
        micro = amount.micro
        if micro < 0:
            debit, credit, micro = credit, debit, -micro
        return LedgerEntry(
            fact.id, fact.position, amount.name, debit, credit, micro, self.currency, self.table, self.shift, self.day,
            self.dated, amount.takes_back,
        )  # fmt: skip


@lru_cache(maxsize=10_000)  # few different arguments, often repeated
def _accounts(rule: PostingRule, table: str, progressive: str, level: str, reason: str) -> tuple[str, str]:
    """Return the debited and the credited account."""
    names = {"table": table, "progressive": progressive, "level": level, "reason": reason}
    return rule.debit.format(**names), rule.credit.format(**names)


@lru_cache(maxsize=10_000)
def _sum_keys(
    day: str, table: str, shift: str, name: str, place: str, debit: str, credit: str, currency: str
) -> tuple[JournalLine, Held]:
    """Return the keys of an entry's sum on its day, and over all days."""
    return JournalLine(day, table, shift, name, place, debit, credit, currency), (name, table, place)


def entry_day(day: str, closed: Iterable[str], days: Iterable[str]) -> str:
    """Return the gaming day of an entry: its own, or the earliest later day that is not closed."""
    if day not in closed:
        return day
    later = [candidate for candidate in days if candidate > day and candidate not in closed]
    return min(later) if later else _next_day(max([day, *closed]))


def _next_day(day: str) -> str:
    try:
        return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
    except ValueError:
        return day
