"""The proof of a gaming day: its report, and every event behind it, between two heads.

In lines of JSON: first the heads and the figures, then each event of the house between them by position, type and
digest. Events that can move a figure of the day have their own bytes. After every 64 events comes the root of the tree
so far. The reader's checks are in `tools/verify_day.py`, which needs no other module of the project.
"""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import msgspec
import rfc8785

from events import catalogue
from events.accounting import amounts_moved_at_cage
from events.accounting.event_types.cage import (
    CageClosed,
    CageCounted,
    CageOpened,
    CreditReceived,
    SlipVoided,
)
from events.accounting.event_types.day_close import DayAmended, DayClosed
from events.accounting.event_types.soft_count import CountSettled, DiscrepancyExplained
from events.accounting.report import canonical_report_bytes, day_reports, tray_contents
from events.accounting.report.canonical_report_from_ledger import Figures, slips_of
from events.accounting.report.day_reports import MadeReport
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.controls.slip_issued_event import SlipIssued, name_of
from events.envelope import EventData, digest
from events.error_codes import coded
from events.errors import Conflict, Retry
from events.integrity.merkle import Frontier, leaf_hash
from events.integrity.signed_head_format import Head, decode
from events.integrity.signed_head_stores import Heads
from events.integrity.tree_rebuilt_at_signed_head import CHUNK, base_at, first_head, head_as_json, head_of, must_be
from events.progressives.event_types import EnvyPaid, HousePaid, HouseVoided, JackpotPaid, VarianceClosed
from events.rules.game_declaration_and_registry import staking
from events.store import EventReader, EventStore, Stored, everything
from events.tables.event_types.counts import DropPut, ShiftCounted, TableCounted
from events.tables.event_types.money import (
    BuyinMade,
    CreditReturned,
    CreditSent,
    DropCounted,
    DropRemoved,
    FillReceived,
)
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetSettled,
    BetWithdrawn,
    PaymentMade,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SettlementCorrected,
    SettlementVoided,
)
from events.tables.event_types.session import LayoutCarried, SessionClosed, SessionOpened, SessionRolled, SessionVoided
from events.tables.moved_amount_declarations import moves

FORMS = (1, 2)  # of the file: the first form has neither cage nor chips, and files issued in it stay unchanged
LAST = FORMS[-1]
_line = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # as RFC 8785: no numbers with fractions
MARK = 64
PROVED = ("layout", "day", "currency", "as_of", "restatement", "tables", "slips", "discrepancies")
_CLOSINGS = frozenset({DayClosed.TYPE, DayAmended.TYPE})
Types = tuple[type[EventData], ...]
# Shown until the report's last position, in any stream;
_ALWAYS: Types = (
    *(SessionOpened, SlipIssued, SlipVoided, FillReceived, CreditReceived, CountSettled, CageOpened, CageCounted),
    *(CageClosed, DiscrepancyFound, DiscrepancyExplained, JackpotPaid, EnvyPaid, HousePaid, HouseVoided),
    VarianceClosed,
)
# from the day's first opening, or the close of the day before, on: they may follow a table's close;
_LATE: Types = (
    *(SessionVoided, CreditSent, CreditReturned, BuyinMade, DropPut, DropRemoved, DropCounted),
    *(BetSettled, SettlementVoided, SettlementCorrected, BetCorrected, PaymentMade, RoundEnded, RoundVoided),
)
# and while a table of the day is open.
_PLAY: Types = (
    *(ShiftCounted, TableCounted, SessionClosed, SessionRolled, LayoutCarried),
    *(BetPlaced, BetRestaked, BetWithdrawn, RoundOpened),
)
# From the second form, events that move the cage, chips in transit and trays have their own bytes everywhere, too.
_IN_CAGE: Types = (
    *(shape for shape in amounts_moved_at_cage.TYPES if shape not in _ALWAYS),
    *(CreditSent, CreditReturned, SessionVoided, SessionClosed, SessionRolled),
)
ALWAYS, LATE, IN_CAGE = (frozenset(shape.TYPE for shape in shapes) for shapes in (_ALWAYS, _LATE, _IN_CAGE))
_ENDS = (SessionClosed.TYPE, SessionRolled.TYPE, SessionVoided.TYPE)


def late_types() -> frozenset[str]:
    """Return all types that move an amount at a table, and are in no list."""
    named = frozenset((*_ALWAYS, *_LATE, *_PLAY, *_IN_CAGE, *staking()))
    return LATE | {shape.TYPE for shape in moves() if shape not in named}


def play() -> frozenset[str]:
    """Return the types with the stakes of single games."""
    return frozenset(shape.TYPE for shape in (*_PLAY, *staking()))


class DayProof(msgspec.Struct, frozen=True):
    """Parts of a proof: a report, the heads around its events, and the tree at the earlier one."""

    property_: str
    made: MadeReport
    day: str
    position: int
    before: Head | None
    after: Head
    base: Frontier
    form: int = LAST

    def lines(self, store: EventReader) -> Iterator[bytes]:
        """Yield the lines of the file. Raises Conflict at the end, where the store is not the one that the heads
        saw."""
        yield rfc8785.dumps(self._first()) + b"\n"
        tree = Frontier(self.base.size, self.base.hashes)
        shown_selection = _ShownEvents(self)
        start = self.before.position if self.before else 0
        for stored_event in everything(store, start, batch=CHUNK, until=self.after.position):
            event_digest = digest(stored_event.raw)
            tree.add(leaf_hash(stored_event.position, stored_event.type, event_digest))
            text = [stored_event.raw.decode()] if shown_selection.is_shown(stored_event) else []
            yield f"{_line([stored_event.position, stored_event.type, event_digest.hex(), *text])}\n".encode()
            if tree.size % MARK == 0 or tree.size == self.after.size:
                yield f"{_line(tree.root().hex())}\n".encode()
        must_be(tree.root(), tree.size, self.after)

    def _first(self) -> dict[str, Any]:
        return {
            "type": f"pitledger.day.v{self.form}",
            "property": self.property_,
            "day": self.day,
            "position": self.position,
            "until": self.made.basis.until,
            "heads": {"before": head_as_json(self.before), "after": head_as_json(self.after)},
            "front": [hash_.hex() for hash_ in self.base.hashes],
            "figures": self.made.figures if self.made.basis.closing else self._proved(),
        }

    def _proved(self) -> Figures:
        """Return only the figures of an open day that its events prove to the reader."""
        names = [*PROVED]
        if self.before is None and self.form > 1:
            names += ["cage", *(["chips"] if _are_trays_known(self.made, self.day) else [])]
        proved = {name: self.made.figures[name] for name in names}
        currency = proved["currency"] if proved["tables"] else None
        return {**proved, "currency": currency, "journal": _accounts(self.made, self.day)}


def proof(
    store: EventStore,
    heads: Heads,
    property_: str,
    gaming_day: str,
    position: int,
    *,
    is_whole: bool = False,
    form: int = LAST,
) -> DayProof:
    """Return the proof of a day's report as of a position; for a closed day the report last closed or restated there.

    `is_whole`: with every event of the house from its first one on, so that a reader knows the place of all chips.
    Raises Unknown as `made.make`; Retry where no head covers it yet, Conflict where one does not fit.
    """
    report = day_reports.make(store, property_, gaming_day, position)
    if report.basis.closing is not None:
        position = _closed_at(store, f"{property_}/days/{gaming_day}", position)
    last = heads.last()
    if last is None or decode(last).position < position:
        raise Retry(coded("head-does-not-cover", position=position))
    newest = decode(last).number
    after = head_of(heads, first_head(heads, newest, lambda head: head.position >= position))
    before = None if is_whole else _last_head_before(heads, newest, _begin(store, report, gaming_day), gaming_day)
    base = base_at(store, before) if before else Frontier()
    return DayProof(property_, report, gaming_day, position, before, after, base, form)


def _closed_at(history: EventReader, stream: str, position: int) -> int:
    """Return the position of the close, or of the last restatement by then."""
    return max(
        stored.position for stored in history.stream(stream) if stored.type in _CLOSINGS and stored.position <= position
    )


def _begin(history: EventReader, report: MadeReport, gaming_day: str) -> int:
    """The first event that the day's figures rest on: one of its own, or the issue of a slip that was open still."""
    ledger, first = report.ledger, report.ledger.days[gaming_day].first
    older = {name_of(slip.kind, slip.year, slip.number) for slip in slips_of(ledger, gaming_day)}
    if all(slip.gaming_day == gaming_day for slip in slips_of(ledger, gaming_day)):
        return first
    for stored in everything(history, types=(SlipIssued.TYPE,), until=first):
        data = catalogue.decode(stored.type, stored.raw).data
        if name_of(data.kind, data.year, data.slip) in older:
            return stored.position
    return first


def _last_head_before(heads: Heads, newest: int, begin: int, gaming_day: str) -> Head | None:
    """The last head before that, from a time at which nothing of the day could be recorded yet."""
    earliest = (date.fromisoformat(gaming_day) - timedelta(days=2)).isoformat() + "T10:00"
    behind = first_head(heads, newest, lambda head: head.position >= begin or head.time >= earliest)
    return head_of(heads, behind - 1) if behind > 1 else None


def _are_trays_known(report: MadeReport, gaming_day: str) -> bool:
    """Return whether a reader knows all trays: of another day's table a reader knows the count of its close, and no
    movements.
    """
    days = report.ledger.tables
    last = (days[stream] for stream in tray_contents.latest_day_streams(days).values())
    return all(day.gaming_day == gaming_day or day.is_closed for day in last)


def _accounts(report: MadeReport, gaming_day: str) -> dict[str, str]:
    """Return the tables' own accounts, without an income that has postings of an earlier day.

    None where a later day had begun before, as in older houses: the accounts may have postings in between.
    """
    days = report.ledger.days
    if any(day > gaming_day and span.first < days[gaming_day].first for day, span in days.items()):
        return {}
    earlier = [line for line in report.ledger.journal.sums.get(gaming_day, {}) if line.day < gaming_day]
    mixed = {line.table for line in earlier if f"Income:Tables:{line.table}" in (line.debit, line.credit)}
    names = []
    for table_figures in report.figures["tables"]:
        table = table_figures["table"]
        names += [f"Assets:Chips:Tables:{table}", f"Liabilities:Winnings:{table}"]
        names += [f"Income:Tables:{table}"] if table not in mixed else []
    posted = report.figures["journal"] or {}
    if any(name not in posted for name in names if name.startswith("Assets")):
        raise Conflict(coded("day-has-own-accounts"))
    nothing = canonical_report_bytes.decimal(0, report.figures["currency"] or "")
    return {name: posted.get(name, nothing) for name in names}


class _ShownEvents:
    """Choice of the events shown with their bytes; asked for each event in order."""

    def __init__(self, about: DayProof) -> None:
        self.day, self.until = about.day, about.made.basis.until
        self.named = {stored.position for stored in about.made.basis.named}
        self.eve = (date.fromisoformat(about.day) - timedelta(days=1)).isoformat()
        self.has_begun, self.open = False, set[str]()
        self.play = play()
        self.late = late_types()
        self.always = ALWAYS | (IN_CAGE if about.form > 1 else frozenset())

    def is_shown(self, stored: Stored) -> bool:
        """Return whether the event is the day's, was named for it, or can move a figure of it at its position."""
        kind, is_ours = stored.type, stored.stream.rpartition("/")[2] == self.day
        is_shown = is_ours or stored.position in self.named or kind in _CLOSINGS or self._tells(stored)
        self._note(stored, is_ours=is_ours)
        return is_shown

    def _tells(self, stored: Stored) -> bool:
        if stored.position > self.until:
            return False
        late = stored.type in self.late and self.has_begun
        return stored.type in self.always or late or (stored.type in self.play and bool(self.open))

    def _note(self, stored: Stored, *, is_ours: bool) -> None:
        if is_ours and stored.type == SessionOpened.TYPE:
            self.has_begun = True
            self.open.add(stored.stream)
        elif stored.type == DayClosed.TYPE and stored.stream.endswith(f"/days/{self.eve}"):
            self.has_begun = True
        elif stored.type in _ENDS:
            self.open.discard(stored.stream)
