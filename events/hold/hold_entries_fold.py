"""All entries of a house, from its events: the tables' hold by shift, the handle, and the imported months."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from events.accounting import table_days_fold
from events.accounting.event_types.day_close import DayAmended, DayClosed
from events.accounting.event_types.soft_count import CountSettled
from events.accounting.event_with_position import AccountingEvent
from events.accounting.report.property_ledger_fold import WITH_DAYS, kind_of
from events.accounting.table_shifts_fold import TableShifts
from events.accounting.win_report_lines import of_table
from events.hold.differences_after_day_close import ClosedDayReport, apart, came_on
from events.hold.drop_win_hold_handle_sums import HoldEntry, of_months, of_tables
from events.hold.handle_by_dealer_bet_player import HandleBooks
from events.house import settings as of_house
from events.house.setting_and_chip_event_types import SettingChanged
from events.money.past_monthly_drop_win_file import taken


class HoldBooks:
    """`take` the events of a property in the order of the store, then ask for `entries`.

    Tables in another currency than the property's are left out: an older store may have some.
    """

    def __init__(self, currency: str) -> None:
        self.currency = currency
        self.left_out: set[str] = set()  # tables in another currency
        self.settings = of_house.DEFAULTS
        self._days: dict[str, TableShifts] = {}
        self._handle = HandleBooks()
        self._set: dict[str, object] = {}
        self._firsts: dict[str, int] = {}  # of each gaming day
        self._closed_days: set[str] = set()
        # by closed day: later events that no report has, with their position
        self._late_amounts: dict[str, dict[str, int]] = {}

    def take(self, fact: AccountingEvent) -> None:
        """One more event."""
        if isinstance(fact.data, SettingChanged):
            self._set[fact.data.setting] = fact.data.value
            self.settings = of_house.of(self._set)
            return
        stream = _stream_of(fact)
        before = self._days.pop(stream, None)
        after = table_days_fold.evolve({} if before is None else {stream: before}, fact)
        if any(day.currency != self.currency for day in after.values()):
            self.left_out.update(day.table for day in after.values())
            return
        self._note(fact)
        self._handle.take(fact.data)
        self._days.update(after)

    def _note(self, fact: AccountingEvent) -> None:
        """Note the beginning and close of days, and later events of a closed table's day."""
        if kind_of(fact.stream) in WITH_DAYS:
            self._firsts.setdefault(fact.stream.rpartition("/")[2], fact.position)
        if isinstance(fact.data, DayClosed):
            self._closed_days.add(fact.data.gaming_day)
        if isinstance(fact.data, DayAmended):
            for named in fact.data.events:
                self._late_amounts.get(fact.data.gaming_day, {}).pop(named, None)
        day = _stream_of(fact).rpartition("/")[2]
        if day in self._closed_days and kind_of(_stream_of(fact)) == "tables":
            self._late_amounts.setdefault(day, {})[fact.id] = fact.position

    def came(self, until: str) -> dict[str, str]:
        """The closed days to which something came that is in no report; the day on which the first of it did."""
        days = sorted(self._firsts.items())
        late = {
            day: min(positions.values()) for day, positions in self._late_amounts.items() if positions and day <= until
        }
        return {day: came_on(days, day, position, until) for day, position in late.items()}

    def entries(self, closed_days: Mapping[str, ClosedDayReport] = MappingProxyType({})) -> list[HoldEntry]:
        """Return all entries, with the last reports of closed days. A running shift is in none: it has no win yet."""
        held = [entry for day in self._days.values() for entry in of_tables([of_table(day)], day.gaming_day)]
        over = {(entry.day, entry.shift, entry.of["table"]) for entry in held}
        handled = [entry for entry in self._handle.entries() if _is_of(entry, over)]
        first = min((entry.day for entry in held), default="9999-12-31")
        names = {entry.of["table"]: entry.of for entry in held}
        return [
            *of_months(taken(self.settings.hold_history, self.currency), first, names),
            *apart(held, closed_days),
            *handled,
        ]


def fold(facts: Iterable[AccountingEvent], currency: str) -> HoldBooks:
    """The books after all of them, of a property in this currency."""
    books = HoldBooks(currency)
    for fact in facts:
        books.take(fact)
    return books


def _is_of(entry: HoldEntry, over: set[tuple[str, str, str]]) -> bool:
    """A table's handle belongs to its shifts that are over; a dealer's, a bet's or a player's is known at once."""
    return "table" not in entry.of or (entry.day, entry.shift, entry.of["table"]) in over


def _stream_of(fact: AccountingEvent) -> str:
    """The stream of the table's day that it is about: a box is settled elsewhere."""
    if isinstance(fact.data, CountSettled):
        return f"{fact.stream.partition('/')[0]}/tables/{fact.data.table}/{fact.data.gaming_day}"
    return fact.stream
