"""Money and chips of a table outside its bets: buy-ins, and the count of its single box (NIGC 542.31)."""

from msgspec.structs import asdict, replace

from events.controls import refused_fact_reasons
from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.tables import drop_box_decider
from events.tables.actions.buyins_fills_credits_drop import CountDrop, MakeBuyin
from events.tables.event_types.money import BuyinMade, DropCounted
from events.tables.table_session_state_structs import Events, Evolver, Handler, Session, TableCase


def make_buyin(case: TableCase, data: MakeBuyin) -> Events:
    """Put cash into the box, and take chips from the tray (MD 36.05.03.02). The expected tray stays hidden."""
    drop_box_decider.must_have_room(case)
    return [BuyinMade(**case.session.where(), **asdict(data))]


def bought_in(session: Session, event: BuyinMade) -> Session:
    out = event.amount_minor if session.status == "open" else 0  # the counted closer stays
    return replace(session, float_minor=session.float_minor - out, is_moved=True)


def count_drop(case: TableCase, data: CountDrop) -> Events:
    """Record the count of the box that was taken."""
    if case.session.has_boxes:
        raise refused_fact_reasons.refused(
            "count room", "house count (WA 615)", coded("box-of-this-table", box=data.drop_box)
        )
    if case.context.has_cage:
        raise refused_fact_reasons.refused(
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


HANDLERS: dict[type[ActionData], Handler] = {
    MakeBuyin: make_buyin,
    CountDrop: count_drop,
}
EVOLVERS: dict[type[EventData], Evolver] = {
    BuyinMade: bought_in,
    DropCounted: lambda session, event: replace(session, status="counted") if session.status == "closed" else session,
}
