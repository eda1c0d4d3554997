"""All entries of a house, from its events: the tables' hold by shift, the handle, and the imported months.

Events of a gaming day after its close are in no figure of that day until a restatement names them (`day.amend`). The
day is shown as at its close, or as last restated. Later events count in the sums to date of the day on which they came,
as "of earlier days". The journal does the same (`events/accounting/journal`).
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from events.accounting import table_days_fold
from events.accounting.event_types.day_close import DayAmended, DayClosed
from events.accounting.event_types.soft_count import CountSettled
from events.accounting.event_with_position import AccountingEvent
from events.accounting.report.property_ledger_fold import WITH_DAYS, kind_of
from events.accounting.table_shifts_fold import TableShifts
from events.accounting.win_report_lines import of_table
from events.envelope import EventData
from events.hold.drop_win_hold_handle_sums import (
    Amounts,
    HoldEntry,
    amounts_without,
    of_months,
    of_tables,
    total_amounts,
)
from events.house import settings as of_house
from events.house.setting_and_chip_structs import SettingChanged
from events.money.past_monthly_drop_win_file import months_from_setting
from events.rules.game_declaration_and_registry import game_of
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.rounds import BetCorrected, BetPlaced, BetSettled, SettlementCorrected, SettlementVoided
from events.tables.moved_amount_declarations import EVENT_WIN, amount, figure, kind_changes, moved_bet, types_with

Firsts = Sequence[tuple[str, int]]  # gaming days in their order, each with the position of its first event


class ClosedDayReport(msgspec.Struct, frozen=True, kw_only=True):
    """A closed day with events that no report has.

    It has its last report, and the gaming day on which the first of them came ("": before that day has begun).
    """

    entries: tuple[HoldEntry, ...]
    came: str


def entries_and_differences(
    entries: Iterable[HoldEntry], reports: Mapping[str, ClosedDayReport]
) -> Iterator[HoldEntry]:
    """Yield the tables' entries: closed days by their last report, and the later differences apart."""
    now: dict[str, list[HoldEntry]] = {day: [] for day in reports}
    for entry in entries:
        if entry.day in now:
            now[entry.day].append(entry)
        else:
            yield entry
    for day, report in reports.items():
        yield from report.entries
        if report.came:
            yield from _entries_since(now[day], report)


def _entries_since(now: Iterable[HoldEntry], report: ClosedDayReport) -> Iterator[HoldEntry]:
    """Table by table."""
    tables: dict[str, tuple[list[HoldEntry], list[HoldEntry]]] = {}
    for side, entries in enumerate((now, report.entries)):
        for entry in entries:
            tables.setdefault(entry.of["table"], ([], []))[side].append(entry)
    for after, before in tables.values():
        difference = amounts_without(
            total_amounts(entry.amounts for entry in after), total_amounts(entry.amounts for entry in before)
        )
        if difference != Amounts():
            of = (after or before)[0].of
            yield HoldEntry(day=report.came, shift="", of=of, amounts=difference, is_late=True)


def came_on(days: Firsts, day: str, position: int, until: str) -> str:
    """The gaming day on which an event came for a closed one: not before the next; "" where that has not begun by
    `until`."""
    names = [name for name, _ in days]
    place = max(bisect_right([first for _, first in days], position) - 1, names.index(day) + 1)
    return names[place] if place < len(names) and names[place] <= until else ""


_SETTLING = (BetSettled, SettlementVoided, SettlementCorrected)
_Key = tuple[str, str, tuple[tuple[str, str], ...]]  # gaming day, shift, and the names


class HandleBooks:
    """The decided stakes, each at its settlement, and the house's win by them, with separate commissions."""

    def __init__(self) -> None:
        self._sums: dict[_Key, list[int]] = {}
        self._players: dict[tuple[str, str, int | None, str], str] = {}  # of bets with a commission at their stake

    def take(self, data: Any) -> None:
        """Take one more event; only events of bets change the state."""
        if type(data) not in _handle_types():
            return
        for wager, decided, won in _decided_stakes(data):
            for of in _names(data, wager):
                self._sum(data, of, decided, won)
        if isinstance(data, BetPlaced | BetCorrected):
            self._note_player(data)

    def _sum(self, data: Any, of: dict[str, str], decided: int, won: int) -> None:
        sums = self._sums.setdefault((data.gaming_day, data.shift, tuple(of.items())), [0, 0])
        sums[0] += decided
        sums[1] += won

    def _note_player(self, data: BetPlaced | BetCorrected) -> None:
        """Note the player of a commission. A correction to another player takes it along."""
        key = data.table, data.gaming_day, data.round, data.bet
        player, before = data.player or "", self._players.get(key)
        if before is not None or amount(data, "commission"):
            self._players[key] = player
        if isinstance(data, BetCorrected) and before is not None and before != player:
            for owner, moved in zip((before, player), moved_bet(data), strict=True):
                if owner:
                    self._sum(data, {"player": owner}, 0, moved.figure(EVENT_WIN))

    def entries(self) -> list[HoldEntry]:
        """Return the entries. A table (with game and pit) has only the handle: its recorded win is with its drop."""
        return [
            HoldEntry(day=day, shift=shift, of=dict(of), amounts=_entry_amounts(dict(of), *sums))
            for (day, shift, of), sums in self._sums.items()
        ]


@cached_until_forgotten
def _handle_types() -> tuple[type[EventData], ...]:
    """The events of bets that move handle or recorded win."""
    return types_with(("handle", *EVENT_WIN))


def _decided_stakes(data: Any) -> Iterator[tuple[str, int, int]]:
    """Kinds of bets, with the stakes decided and the recorded win of them by this event."""
    decided, won = amount(data, "handle"), figure(data, EVENT_WIN)
    yield from ((moved.wager, 0, moved.figure(EVENT_WIN)) for moved in kind_changes(data))
    if isinstance(data, _SETTLING) or decided or won:
        yield data.wager, decided, won


def _names(data: Any, wager: str) -> Iterable[dict[str, str]]:
    game = game_of(data.ruleset)
    yield {"table": data.table, "game": game, "pit": data.pit}
    yield {"bet": f"{game} {wager}"}
    yield from ({name: value} for name in ("dealer", "player") if (value := getattr(data, name)))


def _entry_amounts(of: dict[str, str], handle: int, won: int) -> Amounts:
    if "table" in of:
        return Amounts(handle_minor=handle)
    return Amounts(drop_minor=None, win_minor=None, handle_minor=handle, event_win_minor=won)


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
            self.settings = of_house.settings_from(self._set)
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
            *of_months(months_from_setting(self.settings.hold_history, self.currency), first, names),
            *entries_and_differences(held, closed_days),
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
