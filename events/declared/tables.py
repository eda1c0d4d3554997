"""The tables, declared: one stream a table and gaming day.

A decision rests on the floor, on the table's progressive, on a round that is long over, on the hits that stand.
"""

from collections.abc import Sequence

from events import approvals
from events.envelope import ActionData, EventData, Who
from events.game import rules_of_games, type_modules
from events.kinds import Kind, Look, Snapshots
from events.past import events_of_round
from events.progressives import history, service
from events.tables import days, session
from events.tables.actions.common import OpenSession
from events.tables.actions.progressive import ArmProgressive, DeclareHitLate
from events.tables.roles import RULES
from events.tables.state import NOTHING, Beside, Session, acting, at_hand
from events.tables.types.progressive import HitDeclaredLate

_LINKING = (OpenSession, ArmProgressive, DeclareHitLate, *approvals.ANSWERING)


def _beside(look: Look, stream: str, table: Session, data: ActionData, who: Who) -> Beside:
    """What the decision needs of other streams, or of this one further back: nothing, but for a few actions."""
    if not isinstance(data, _LINKING):
        return NOTHING
    if isinstance(data, OpenSession):
        return _at_the_opening(look, stream, table)
    if table.progressive is None:
        return NOTHING
    if isinstance(data, ArmProgressive):
        return Beside(linked=history.link(look, table.progressive))
    return _of_a_late_hit(look, table, data, who)


def _at_the_opening(look: Look, stream: str, table: Session) -> Beside:
    """A day that was declared void is opened on what the floor says now."""
    again = days.begin(look, stream) if table.status == "void" else None
    name = (again or table).progressive
    return Beside(linked=history.link(look, name) if name is not None else None, again=again)


def _of_a_late_hit(look: Look, table: Session, data: ActionData, who: Who) -> Beside:
    session.role_for(data, who)  # nobody else makes the desk read
    late = session.late_hit(table, data)
    if late is None or at_hand(table, late.round) is not None:
        return NOTHING
    read = events_of_round(look.store, table.stream, late.round)
    acted = dict.fromkeys(event.actor for event in read if isinstance(event.data, acting()))
    return Beside(dealt=tuple(event.data for event in read), acted=tuple(acted))


def _confirm(look: Look, stream: str, table: Session, said: Sequence[ActionData | EventData]) -> None:
    """A hit found late is refused where one stands. Only the progressive knows which of them are void.

    Should one be declared between this look and the append, the late one moves nothing, and is an exception.
    """
    if table.progressive is None:
        return
    for late in said:  # asked for, or asked for before and agreed to now
        if isinstance(late, DeclareHitLate | HitDeclaredLate) and late.round is not None and late.box is not None:
            service.must_take_late_hit(look.store, look.property, table.progressive, stream, late.round, late.box)


def _belongs_to(event: EventData, stream: str) -> str | None:
    """Its hit, its slip, its round."""
    if (hit := getattr(event, "hit", None)) is not None:
        return str(hit)
    if (slip := getattr(event, "slip", None)) is not None:
        return f"{event.TYPE.partition('.')[0]}-{slip}"
    if (number := getattr(event, "round", None)) is not None:
        return f"{stream}#{number}"
    return None


def kind() -> Kind:
    """The declaration: types and rules are also those of the games."""
    return Kind(
        streams="PROPERTY/tables/TABLE/GAMING-DAY",
        title="At a table",
        summary="Ask something of a table, or report what happened there",
        types=(
            "events.tables.actions.cards",
            "events.tables.actions.common",
            "events.tables.actions.money",
            "events.tables.actions.progressive",
            "events.tables.actions.rounds",
            "events.tables.types.cards",
            "events.tables.types.common",
            "events.tables.types.money",
            "events.tables.types.progressive",
            "events.tables.types.rounds",
            *type_modules(),
        ),
        rules={**RULES, **rules_of_games()},
        begin=days.begin,
        decide=session.decide,
        evolve=session.evolve,
        route=days.route,
        beside=_beside,
        confirm=_confirm,
        claim=days.claim,
        belongs_to=_belongs_to,
        reads=("floor", "tables"),  # a day opens on the days before it
        has_sessions=True,
        snapshots=Snapshots(evolve=session.EVOLVE, dump=session.dump, load=session.load),
    )
