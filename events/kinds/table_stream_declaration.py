"""The tables, declared: one stream a table and gaming day.

A decision rests on the floor, on the table's progressive, on a round that is long over, on the hits that stand.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from msgspec.structs import replace

from events.accounting.event_types.day_close import DayClosed
from events.accounting.live_books_for_decisions import cached_books
from events.accounting.table_shifts_fold import TableShifts
from events.cage import issued_slip_lookup
from events.controls import discrepancy_event_and_severity
from events.controls.slip_issued_event import name_of, settled_key
from events.desk.earlier_round_lookup import events_of_round
from events.envelope import ActionData, EventData, Who
from events.house.gaming_day_by_house_clock import shift_at
from events.people import approval_request_lifecycle, authority
from events.progressives import due_lock_and_lapse_appending, history_reader
from events.rules.game_declaration_and_registry import rules_of_games, type_modules
from events.store import EventReader
from events.streams.stream_kind_declaration import Claims, Decisions, Disclosure, Kind, Routing, Snapshots, StreamView
from events.tables import gaming_day_stream_for_action, main_table_decider, out_of_turn_fact_recording
from events.tables.actions.buyins_fills_credits_drop import CountDrop, ReceiveFill, RemoveDrop, SendCredit
from events.tables.actions.count_action_structs import CountShift, CountTable, ExchangeChips, PutDrop
from events.tables.actions.progressive_stake_and_hit_structs import ArmProgressive, DeclareHitLate
from events.tables.actions.round_action_structs import CorrectSettlement, MakePayment
from events.tables.actions.session_action_structs import CloseSession, OpenSession, RollSession
from events.tables.displayed_names import WORDS
from events.tables.event_types.money import CreditSent, FillReceived
from events.tables.event_types.progressive import HitDeclaredLate
from events.tables.mispaid_round_lookup import mispaid_in
from events.tables.roles import RULES
from events.tables.table_session_state_structs import NOTHING, Session, TableContext, acting, at_hand

# Look up whether a drop box is at another table before it is put, by the books of the count room.
# A box is under one table, and empty when it is put (WA 615). Boxes are put a few times a day.
AT_HAND = 20_000  # positions: no table waits while the books are folded from further back


def table_with(view: StreamView, stream: str, drop_box: str | None) -> str:
    """Return another table that has the box under it, or had it and its box is not counted yet; "" for no table."""
    if drop_box is None:
        return ""
    books = cached_books(view.store, view.property)
    with books.guard:
        if view.store.position() - books.position > AT_HAND:
            return ""
        books.catch_up(view.store)
        counting = books.books.counting
    table = stream.rpartition("/")[0]
    for other, day in counting.days.items():
        entry = counting.entries.get(f"{other}#{drop_box}")
        is_settled = entry is not None and entry.settled is not None
        if other.rpartition("/")[0] != table and not is_settled and _holds(day, drop_box):
            return day.table
    return ""


def _holds(day: TableShifts, drop_box: str) -> bool:
    return any(box.name == drop_box and box.counted is None for shift in day.shifts for box in shift.boxes)


TYPES = (
    "events.tables.actions.card_action_structs",
    "events.tables.actions.session_action_structs",
    "events.tables.actions.count_action_structs",
    "events.tables.actions.buyins_fills_credits_drop",
    "events.tables.actions.progressive_stake_and_hit_structs",
    "events.tables.actions.round_action_structs",
    "events.tables.event_types.shoe_and_dealt_cards",
    "events.tables.event_types.session",
    "events.tables.event_types.counts",
    "events.tables.event_types.money",
    "events.tables.event_types.progressive",
    "events.tables.event_types.rounds",
    "events.controls.discrepancy_event_and_severity",  # found in the cage and in the count room as well
)
# Their findings are judged by the house's bands.
COUNTS = (CloseSession, CountShift, CountTable, ExchangeChips, RemoveDrop)
_SLIPS = (ReceiveFill, SendCredit, CountDrop)
_OTHERS = (PutDrop, OpenSession, RollSession, ArmProgressive, MakePayment, *main_table_decider.LATE)
_LOOKING = frozenset((*_SLIPS, *_OTHERS, *COUNTS, *approval_request_lifecycle.ANSWERING))


def _context(view: StreamView, stream: str, table: Session, data: ActionData, actor: Who) -> TableContext:
    """Return the decision's input from other streams, or from earlier events of this one: nothing, but for a few
    actions."""
    if table.status in ("closed", "counted") and isinstance(
        action := main_table_decider.requested_data(table, data), out_of_turn_fact_recording.LATE
    ):
        context = _action_context(view, stream, table, action, actor)
        return replace(context, is_day_closed=_is_day_closed(view, table))
    return _action_context(view, stream, table, data, actor)


def _is_day_closed(view: StreamView, table: Session) -> bool:
    """Return whether accounting has closed the table's gaming day. No close comes between this look-up and the
    append.
    """
    stream = f"{view.property}/days/{table.gaming_day}"
    view.read_stream(stream)
    return view.read_once(f"{stream} is closed", lambda: _closing_of(view.store, stream)) is not None


def _action_context(view: StreamView, stream: str, table: Session, data: ActionData, actor: Who) -> TableContext:
    if type(data) not in _LOOKING:
        return NOTHING
    if isinstance(data, MakePayment):
        return _put_right(view, table, data, actor) if table.ahead else NOTHING
    if isinstance(data, ReceiveFill | SendCredit):
        return issued_slip_lookup.slip_context(view, table, data)
    if isinstance(data, CountDrop):
        return TableContext(has_cage=issued_slip_lookup.has_cage(view))
    if isinstance(data, PutDrop):
        return TableContext(box_at=table_with(view, stream, data.drop_box))
    if isinstance(data, COUNTS):
        box = data.drop_box if isinstance(data, CountShift) else None
        return TableContext(settings=view.property_state("house").settings, box_at=table_with(view, stream, box))
    if isinstance(data, OpenSession):
        return _at_the_opening(view, stream, table)
    if isinstance(data, RollSession):
        link = history_reader.link(view, table.progressive) if table.progressive is not None else None
        box_at = table_with(view, stream, data.drop_box)
        return TableContext(
            linked=link, settings=view.property_state("house").settings, box_at=box_at, shift=_shift(view)
        )
    if isinstance(data, ArmProgressive):
        return (
            NOTHING if table.progressive is None else TableContext(linked=history_reader.link(view, table.progressive))
        )
    late = main_table_decider.requested_data(table, data)
    if not isinstance(late, main_table_decider.LATE):
        return NOTHING
    main_table_decider.role_for(data, actor)  # only these make the desk read
    return _found_late(view, table, late)


def _at_the_opening(view: StreamView, stream: str, table: Session) -> TableContext:
    """Return the context of an opening. A day that was declared void is opened on the floor's present data."""
    reopened = gaming_day_stream_for_action.begin(view, stream) if table.status == "void" else None
    name = (reopened or table).progressive
    link = history_reader.link(view, name) if name is not None else None
    settings = view.property_state("house").settings
    return TableContext(
        linked=link,
        again=reopened,
        last=gaming_day_stream_for_action.last_day(view, stream),
        waiting_box=gaming_day_stream_for_action.waiting_box(view, stream),
        settings=settings,
        shift=_shift(view),
    )


def _shift(view: StreamView) -> str:
    """The shift that runs by the house's clock."""
    return shift_at(view.property_state("house").settings, datetime.fromisoformat(view.store.clock()))


def _found_late(view: StreamView, table: Session, late: main_table_decider.Late) -> TableContext:
    """Return the finished round, read again; for a payment also the state of its gaming day."""
    if isinstance(late, DeclareHitLate):
        is_known = table.progressive is None or at_hand(table, late.round) is not None
        return NOTHING if is_known else _of_round(view, table, late.round)
    if isinstance(late, CorrectSettlement):
        return _of_round(view, table, late.settled_in)
    return replace(_of_round(view, table, late.won_in), is_day_closed=_is_day_closed(view, table))


def _put_right(view: StreamView, table: Session, data: MakePayment, actor: Who) -> TableContext:
    """Return the round with a wrong payment on a bet, read again."""
    before = mispaid_in(table, data)
    if before is None:
        return NOTHING
    if not authority.works(actor.roles):  # a person of the house may have done it without the role
        main_table_decider.role_for(data, actor)
    return _of_round(view, table, before)


def _of_round(view: StreamView, table: Session, number: int) -> TableContext:
    read = events_of_round(view.store, table.stream, number)
    acted = dict.fromkeys(event.actor for event in read if isinstance(event.data, acting()))
    return TableContext(dealt=read, acted=tuple(acted))


def _closing_of(history: EventReader, stream: str) -> int | None:
    """Return the position at which accounting closed the gaming day."""
    return next((stored.position for stored in history.stream(stream) if stored.type == DayClosed.TYPE), None)


def _confirm(view: StreamView, stream: str, table: Session, batch: Sequence[ActionData | EventData]) -> None:
    """A hit found late is refused where one stands. Only the progressive knows which of them are void.

    Should one be declared between this look and the append, the late one moves nothing, and is an exception.
    """
    if table.progressive is None:
        return
    for late in batch:  # asked for, or asked for before and agreed to now
        if type(late) is not DeclareHitLate and type(late) is not HitDeclaredLate:
            continue
        if late.round is not None and late.box is not None:
            due_lock_and_lapse_appending.must_take_late_hit(
                view.store, view.property, table.progressive, stream, late.round, late.box
            )


def _settles(stream: str, event: FillReceived | CreditSent) -> str | None:
    """Return the key of the settling of a cage's slip, by the decision itself: a second look might find another
    state."""
    if not event.year:
        return None
    way = "fill" if isinstance(event, FillReceived) else "credit"
    return settled_key(stream.partition("/")[0], name_of(way, event.year, event.slip))


def _belongs_to(event: EventData, stream: str) -> str | None:
    """Return its hit, its slip or its round."""
    if (hit := getattr(event, "hit", None)) is not None:
        return str(hit)
    if (slip := getattr(event, "slip", None)) is not None:
        return slip if isinstance(slip, str) else _slip(event.TYPE.partition(".")[0], getattr(event, "year", ""), slip)
    if (number := getattr(event, "round", None)) is not None:
        return f"{stream}#{number}"
    return None


def _slip(kind: str, year: str, slip: int) -> str:
    return name_of(kind, year, slip) if year else f"{kind}-{slip}"


def kind() -> Kind:
    """The declaration: types and rules are also those of the games."""
    return Kind(
        streams="PROPERTY/tables/TABLE/GAMING-DAY",
        title="At a table",
        summary="Request an action at a table, or report what happened there",
        types=(*TYPES, *type_modules()),
        rules={**RULES, **rules_of_games()},
        words={**WORDS, **discrepancy_event_and_severity.WORDS},
        decisions=Decisions(
            begin=gaming_day_stream_for_action.begin,
            decide=main_table_decider.decide,
            evolve=main_table_decider.evolve,
            context=_context,
            confirm=_confirm,
            # A day opens on those before it, and on none after it, not even in the cage; a payment on no close.
            rests_on=("floor", "house", "tables", "days", "cage"),
            has_sessions=True,
            snapshots=Snapshots(
                evolve=main_table_decider.EVOLVE, dump=msgspec.json.encode, load=main_table_decider.load
            ),
        ),
        routing=Routing(
            route=gaming_day_stream_for_action.route,
            belongs_to=_belongs_to,
            appends_to={"session.roll": ("tables",)},  # the next gaming day, when one is rolled
        ),
        claims=Claims(
            claim=gaming_day_stream_for_action.claim,
            may_claim=gaming_day_stream_for_action.may_claim,
            events={FillReceived: _settles, CreditSent: _settles},
        ),
        disclosure=Disclosure(
            blind=frozenset(action_type.TYPE for action_type in (CloseSession, RollSession, CountShift, CountTable)),
            untold=frozenset((discrepancy_event_and_severity.DiscrepancyFound.TYPE,)),
        ),
    )
