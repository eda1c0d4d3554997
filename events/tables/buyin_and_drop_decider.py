"""Buy-ins, and the drop box that takes their cash: put, removed and, as the table's single box, counted (NIGC 542.31).

Only houses with named boxes put them. Two people remove a box, one of them of security (WA 615). A day without a placed
box has one box, unnamed until the table is closed. Its remover need not name a second person (docs/adr/0095).
"""

from msgspec.structs import asdict, replace

from events.controls import refused_fact_reasons
from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.tables import count_differences
from events.tables.actions.buyins_fills_credits_drop import CountDrop, MakeBuyin, RemoveDrop
from events.tables.actions.count_action_structs import PutDrop
from events.tables.event_types.counts import DropPut
from events.tables.event_types.money import BuyinMade, DropCounted, DropRemoved
from events.tables.event_types.session import IrregularityRecorded
from events.tables.required_witness_checks import require_security
from events.tables.table_session_state_structs import Events, Evolver, Handler, Session, TableCase

CLAUSE = "house drop (NIGC 542.31)"
BEFORE_OPENING = "box before the opening"


def put_drop(case: TableCase, data: PutDrop) -> Events:
    """One box at a time. A box that is put while no session is open waits for the next opening."""
    session = case.session
    if session.status != "open":
        refused = Refused(CLAUSE, coded("box-without-session", box=data.drop_box))
        case.forbid(BEFORE_OPENING, refused, drop_box=data.drop_box)
        return []
    if session.box is not None:
        refused = Refused(CLAUSE, coded("box-under-table", box=session.box))
        case.forbid("two boxes", refused, drop_box=data.drop_box)
    return [put_box_event(case, session, data.drop_box)]


def put_box_event(case: TableCase, session: Session, drop_box: str) -> DropPut:
    """Return the event of a put box, at the table in the state of `session`.

    A box that was at this table today, or is at another table, is refused: it must be counted first.
    """
    if drop_box in session.boxes:
        message = coded("box-used-today", box=drop_box)
        case.forbid("box again", Refused(CLAUSE, message, field="data.drop_box"), drop_box=drop_box)
    if case.context.box_at:
        message = coded("box-elsewhere", box=drop_box, place=case.context.box_at)
        case.forbid("box elsewhere", Refused("house drop (WA 615)", message, field="data.drop_box"), drop_box=drop_box)
    return DropPut(**session.where(), drop_box=drop_box)


def put_before(case: TableCase, session: Session) -> Events:
    """The box that was put before the opening, under the table as it opens."""
    if case.context.waiting_box is None:
        return []
    return [DropPut(**session.where(), drop_box=case.context.waiting_box)]


def evolve_box_without_session(session: Session, event: IrregularityRecorded) -> Session:
    """A box that was put while no session was open."""
    return replace(session, waiting_box=event.drop_box) if event.kind == BEFORE_OPENING else session


def remove_drop(case: TableCase, data: RemoveDrop) -> Events:
    """The box leaves the table, unopened."""
    session = case.session
    if session.has_boxes:
        return [
            removed(case, data.drop_box, data.witness),
            *count_differences.of_box(case, data.drop_box, data.witness),
        ]
    once = Refused(CLAUSE, coded("box-taken-at-close-only"))
    if session.drop_box is not None or session.status not in ("open", "closed"):
        raise once
    if session.status == "open":
        case.forbid("box never put", once, drop_box=data.drop_box)
    if data.witness is not None:
        require_security(case, data.witness, CLAUSE)
    return [DropRemoved(**case.session.where(), drop_box=data.drop_box, witness=data.witness)]


def removed(case: TableCase, drop_box: str, witness: str | None) -> DropRemoved:
    """The event of a box that two people take away, one of them of security.

    Another one than was put may have been there, but none that has left the table before.
    """
    session = case.session
    if drop_box in session.boxes and drop_box not in (session.box, *session.hanging):
        raise Refused(CLAUSE, coded("box-taken-before", box=drop_box), field="data.drop_box")
    if session.box is None and drop_box not in session.hanging:
        case.forbid("box never put", Refused(CLAUSE, coded("box-never-put")), drop_box=drop_box)
    elif drop_box != session.box:
        case.forbid(
            "another box",
            Refused(CLAUSE, coded("box-is-another", box=session.box, named=drop_box), field="data.drop_box"),
            drop_box=drop_box,
        )
    require_security(case, witness, CLAUSE)
    return DropRemoved(**session.where(), drop_box=drop_box, witness=witness)


def change_box(case: TableCase, session: Session, drop_box: str | None, witness: str | None) -> tuple[Events, Events]:
    """Return the events that remove the old box and put the new one, in the state of `session`; empty without a new
    one.
    """
    if drop_box is None:
        return [], []
    old: Events = [] if case.session.box is None else [removed(case, case.session.box, witness)]
    return old, [put_box_event(case, session, drop_box)]


def must_have_room(case: TableCase) -> None:
    """Require a box of this shift for buy-ins."""
    session = case.session
    if not session.has_boxes or (session.box is not None and not session.is_box_old):
        return
    reason = coded("box-never-put") if session.box is None else coded("box-of-last-shift", box=session.box)
    case.forbid("no box", Refused("house drop (WA 615)", reason))


def make_buyin(case: TableCase, data: MakeBuyin) -> Events:
    """Put cash into the box, and take chips from the tray (MD 36.05.03.02). The expected tray stays hidden."""
    must_have_room(case)
    return [BuyinMade(**case.session.where(), **asdict(data))]


def bought_in(session: Session, event: BuyinMade) -> Session:
    out = event.amount_minor if session.status == "open" else 0  # the counted closer stays
    return replace(session, float_minor=session.float_minor - out, is_moved=True)


def count_drop(case: TableCase, data: CountDrop) -> Events:
    """Record the count of the box that was taken."""
    if case.session.has_boxes:
        raise refused_fact_reasons.fact_refusal(
            "count room", "house count (WA 615)", coded("box-of-this-table", box=data.drop_box)
        )
    if case.context.has_cage:
        raise refused_fact_reasons.fact_refusal(
            "count room", "house count (WA 620)", coded("box-of-this-table", box=data.drop_box)
        )
    if case.session.status != "closed" or case.session.drop_box != data.drop_box:
        message = coded("box-not-taken", box=data.drop_box)
        refused = Refused("house count (NIGC 542.31)", message, field="data.drop_box")
        case.forbid("box not taken", refused, drop_box=data.drop_box)
    if data.promotional_minor > data.amount_minor:
        raise Invalid("data.promotional_minor", coded("promotional-above-drop"))
    if data.witness is not None:
        _must_count(case, data.witness)
    return [DropCounted(**case.session.where(), **asdict(data))]


def _must_count(case: TableCase, witness: str) -> None:
    """Two count: neither of the pit nor of surveillance."""
    if witness == case.who.person or "count" not in case.roles_of(witness):
        reason = coded("counter-is-alone", witness=witness, person=case.who.person)
        case.forbid("no witness", Refused("house count (WA 610)", reason, field="data.witness"))


def drop_put(session: Session, event: DropPut) -> Session:
    """Put the box. An earlier box that was not removed stays as left behind."""
    boxes = tuple(dict.fromkeys((*session.boxes, event.drop_box)))
    before = (session.box,) if session.box is not None else ()
    hanging = tuple(name for name in dict.fromkeys((*session.hanging, *before)) if name != event.drop_box)
    session = replace(session, has_boxes=True, box=event.drop_box, boxes=boxes, hanging=hanging)
    return replace(session, is_box_old=False, is_moved=True, waiting_box=None)


def drop_removed(session: Session, event: DropRemoved) -> Session:
    """Remove a box, also one that was left behind before the present one.

    A removed box that was never put is the first one of a table with named boxes.
    """
    boxes = tuple(dict.fromkeys((*session.boxes, event.drop_box)))
    if event.drop_box in session.hanging:
        left = tuple(name for name in session.hanging if name != event.drop_box)
        return replace(session, hanging=left, is_moved=True)
    has_boxes = session.has_boxes or session.status == "open"
    session = replace(session, drop_box=event.drop_box, box=None, boxes=boxes, has_boxes=has_boxes)
    return replace(session, is_box_old=False, is_moved=True)


HANDLERS: dict[type[ActionData], Handler] = {
    MakeBuyin: make_buyin,
    PutDrop: put_drop,
    RemoveDrop: remove_drop,
    CountDrop: count_drop,
}
EVOLVERS: dict[type[EventData], Evolver] = {
    BuyinMade: bought_in,
    DropPut: drop_put,
    DropRemoved: drop_removed,
    DropCounted: lambda session, event: replace(session, status="counted") if session.status == "closed" else session,
    IrregularityRecorded: evolve_box_without_session,
}
