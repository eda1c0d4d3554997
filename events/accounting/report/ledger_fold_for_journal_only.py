"""Reduced accounts for the journal alone: most of a table's events make no entry, and move no tray.

They post the same entries as the whole accounts, event by event. Their reports would be wrong.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from events.accounting import cage_inventory, fill_and_credit_slip_states
from events.accounting.event_with_position import AccountingEvent
from events.accounting.journal import table_event_amounts
from events.accounting.journal.journal import PostingContext, PostingPlace, UnsummedJournal, of_boxes, posted_types
from events.accounting.journal.ledger_entry import LedgerEntry
from events.accounting.report import closed_days_fold, folded_accounts_snapshot
from events.accounting.report.property_ledger_fold import Days, NotingLedger
from events.house.setting_and_chip_structs import SettingChanged
from events.progressives.event_to_fact_mapping import FACT_TYPES
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.session import SessionOpened, SessionVoided
from events.tables.moved_amount_declarations import moves

EVOLVE = f"journal-3-{folded_accounts_snapshot.EVOLVE}"


@cached_until_forgotten
def types() -> frozenset[str]:
    """The types that it reads."""
    shapes: tuple[type[Any], ...] = (
        *posted_types(),
        *cage_inventory.TYPES,
        *fill_and_credit_slip_states.TYPES,
        *closed_days_fold.TYPES,
        SettingChanged,
    )
    return frozenset({*(shape.TYPE for shape in shapes), *FACT_TYPES})


@cached_until_forgotten
def _of_boxes() -> frozenset[type[Any]]:
    return of_boxes() | {SessionOpened, SessionVoided}


@cached_until_forgotten
def _of_tills() -> frozenset[type[Any]]:
    """Return the event types that concern the till of their table alone."""
    return frozenset(
        event_type
        for event_type in table_event_amounts.handlers()
        if event_type not in _of_boxes() and event_type.TYPE not in FACT_TYPES
    )


@cached_until_forgotten
def _commission_fields_of_stakes() -> Mapping[str, tuple[bytes, ...]]:
    """Return the event types that lay a stake, and mean nothing else to the journal than their commission.

    Each has the names of the fields of its commission, as JSON has them.
    """
    return {
        event_type.TYPE: tuple(
            f'"{term.field}"'.encode()
            for moved in moves().get(event_type, ())
            if moved.name == "commission"
            for term in moved.terms
        )
        for event_type, handler in table_event_amounts.handlers().items()
        if handler is table_event_amounts.staked and event_type.TYPE not in FACT_TYPES
    }


class _StoredEvent(Protocol):
    """An event, decoded or not."""

    @property
    def type(self) -> str: ...
    @property
    def raw(self) -> bytes: ...


EventT = TypeVar("EventT", bound=_StoredEvent)


def journal_events(events: Iterable[EventT]) -> Iterator[EventT]:
    """Yield the events without stakes that have no commission: those are the players' own, and not worth decoding."""
    stakes = _commission_fields_of_stakes()
    worth = types() - stakes.keys()
    return (
        event
        for event in events
        if event.type in worth or any(field in event.raw for field in stakes.get(event.type, ()))
    )


class LeanLedger(NotingLedger):
    """Accounts that post the same entries as the whole accounts, with less work.

    `closed` are the layouts of closed days: their entries follow the rules that they were closed with.
    """

    def __init__(self, snapshot: bytes | None = None, closed: Mapping[str, int] | None = None) -> None:
        """Make the accounts. `snapshot`: the saved state from which they continue."""
        super().__init__()
        self._closed = closed or {}
        if snapshot is not None:
            self.__dict__.update(folded_accounts_snapshot.load(snapshot).__dict__)
        self.journal = UnsummedJournal(self.journal)
        self._places: dict[tuple[str, str], PostingPlace] = {}  # until something else than a till has changed

    def layout_of(self, gaming_day: str) -> int:
        """The layout that a day was closed with; the last one where that is not known."""
        return self._closed.get(gaming_day, self.layout)

    def posted(self, fact: AccountingEvent) -> list[LedgerEntry]:
        """Take the next event of the property; its entries, which are not kept."""
        self._entries_made = []
        self.take(fact)
        return self._entries_made

    def take(self, fact: AccountingEvent) -> None:
        """Apply the next event of the property. Most are bets, which only need their till."""
        if type(fact.data) not in _of_tills():
            self._places = {}
            super().take(fact)
        elif amounts := self.journal.at_table(fact):
            self._entries_made = self.journal.entries(fact, amounts, self._place(fact))

    def _place(self, fact: AccountingEvent) -> PostingPlace:
        """Return the posting place of a shift of a table's gaming day."""
        key = fact.stream, getattr(fact.data, "shift", "")
        if (place := self._places.get(key)) is None:
            day = fact.stream.rpartition("/")[2]
            surroundings = PostingContext(day, self.closings.days, self.days, self.cage, self.slips)
            place = self._places[key] = self.journal.place(fact, surroundings, self.rules)
        return place

    def _at_table(self, fact: AccountingEvent) -> Days:
        """Take an event that moves boxes, or ends a shift and with it the count of its boxes."""
        return super()._at_table(fact) if type(fact.data) in _of_boxes() else (None, None)
