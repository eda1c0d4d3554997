"""The table session's decider: `decide(session, action) -> events`, `evolve(session, event) -> session`.

Pure. A session is one stream, one table's gaming day; a round lives inside it, because craps bets and roulette's
imprisoned stakes carry over. What each game adds stands in the module of its name.
"""

from contextlib import suppress

import msgspec
from msgspec.structs import replace

from events import approvals, catalogue
from events.approvals import ApprovalGiven, ApprovalRequested, GiveApproval
from events.envelope import Action, ActionData, EventData, Who
from events.errors import Conflict, Forbidden, NotApproved, Refused
from events.tables import actions as do
from events.tables import baccarat, blackjack, corrections, craps, house, roulette, rounds, voids
from events.tables.state import NOTHING, Beside, Case, Events, Evolver, Game, Handler, Play, Session
from events.tables.types import SessionOpened

# Raise it whenever `evolve` computes another state from the same events: older snapshots are then ignored.
EVOLVE = "session-9"

GAMES: dict[str, Game] = {"roulette": roulette, "blackjack": blackjack, "baccarat": baccarat, "craps": craps}
PLAYS = roulette.Wheel | blackjack.Cards | baccarat.Coup | craps.Layout

MAX_REQUESTS = 100  # that wait for a second person at one table

AT_THE_TABLE = ("dealer", "inspector", "pit boss")
_SUPERVISORS = ("inspector", "pit boss")
ROLES: dict[type[ActionData], tuple[str, ...]] = {
    do.OpenSession: _SUPERVISORS,
    do.CloseSession: _SUPERVISORS,
    do.PostLimits: _SUPERVISORS,
    do.AssignStaff: _SUPERVISORS,
    do.CorrectBet: _SUPERVISORS,
    do.PutDice: _SUPERVISORS,
    do.TakeDiceAway: _SUPERVISORS,
    do.RuleShoe: _SUPERVISORS,
    do.MarkLimit: _SUPERVISORS,
    do.VoidRound: _SUPERVISORS,
    do.DeclareHitLate: (*_SUPERVISORS, "surveillance"),
    GiveApproval: (*_SUPERVISORS, "surveillance"),
    do.ReceiveFill: _SUPERVISORS,
    do.SendCredit: _SUPERVISORS,
    do.RemoveDrop: (*_SUPERVISORS, "count"),
    do.CountDrop: ("count",),
}


# What is done to a table that is not open, beside what a hit found late brings with it.
_BEFORE_AND_AFTER = (do.OpenSession, do.RemoveDrop, do.CountDrop)


def role_for(data: ActionData, who: Who) -> str:
    """The role in force under which this person may do this. Raises Forbidden."""
    allowed = ROLES.get(type(data), AT_THE_TABLE)
    for role in allowed:
        if role in who.roles:
            return role
    raise Forbidden(f"{data.TYPE} is for: {', '.join(allowed)}")


def decide(session: Session, action: Action, data: ActionData, who: Who, beside: Beside = NOTHING) -> list[EventData]:
    """What the action makes happen. Raises Refused with a clause, Invalid, Forbidden, or Conflict for an old round."""
    role_for(data, who)
    if who.table is not None and who.table != session.table:
        raise Forbidden(f"this device is bound to table {who.table}")
    if action.round is not None and action.round != session.round:
        raise Conflict(f"round {action.round} is not the current one: the table is at round {session.round}")
    if session.status != "open" and not (type(data) in _BEFORE_AND_AFTER or is_after_close(session, data)):
        raise Refused("house session", f"the table is not open on {session.gaming_day}")
    if isinstance(data, GiveApproval):
        return _approve(session, data, who, beside)
    case = Case(session, action, who, [], beside=beside)
    try:
        events = _handler(session, data)(case, data)
    except NotApproved:
        if action.intent == "fact" or sum(not request.done for request in session.requests.values()) >= MAX_REQUESTS:
            raise
        return [approvals.requested(action, who.person, who.roles, **session.where())]
    return [*events, *case.found]


def late_hit(session: Session, data: ActionData) -> do.DeclareHitLate | None:
    """The late hit that is declared, or was asked for and is agreed to."""
    if isinstance(data, do.DeclareHitLate):
        return data
    request = session.requests.get(data.request) if isinstance(data, GiveApproval) else None
    if request is None or request.asked.action != do.DeclareHitLate.TYPE:
        return None
    wanted = catalogue.decode_action(approvals.action_of(request))
    return wanted if isinstance(wanted, do.DeclareHitLate) else None


def is_after_close(session: Session, data: ActionData) -> bool:
    """A winner is found, and agreed on, on any later day: surveillance looks at the cards the next morning."""
    return session.status in ("closed", "counted") and late_hit(session, data) is not None


def _approve(session: Session, data: GiveApproval, who: Who, beside: Beside) -> Events:
    """One more person agrees; what was asked for is judged again, here and now, with all of them."""
    request = approvals.find(dict(session.requests), data, who.person)
    action = approvals.action_of(request)
    wanted = catalogue.decode_action(action)
    case = Case(session, action, who, [], request.people, beside)
    decided: Events = []
    with suppress(NotApproved):
        decided = [*_handler(session, wanted)(case, wanted), *case.found]
    given = approvals.given(data, who.person, who.roles, decided=bool(decided), **session.where())
    return [given, *decided]


def _handler(session: Session, data: ActionData) -> Handler:
    game = _HANDLERS.get(session.game)
    if game is None:
        raise Refused("house game", f"there is no game {session.game}")
    found = game.get(type(data))
    if found is None:
        raise Refused(f"{session.ruleset} P", f"{data.TYPE} is nothing that is done in {session.game}")
    return found


def evolve(session: Session, event: EventData) -> Session:
    """The session after the event."""
    if isinstance(event, SessionOpened):  # the table may have been arranged anew since
        session = replace(session, game=event.game, pit=event.pit)
    if session.play is None:
        session = replace(session, play=GAMES[session.game].new_play())
    for evolver in _EVOLVERS[session.game].get(type(event), ()):
        session = evolver(session, event)
    return session


def _asked(session: Session, event: EventData) -> Session:
    return replace(session, requests=approvals.evolve(dict(session.requests), event))


# By game: what all of them do, and what each does in its own way or besides.
_HANDLERS: dict[str, dict[type[ActionData], Handler]] = {
    name: {**house.HANDLERS, **rounds.HANDLERS, **voids.HANDLERS, **game.HANDLERS} for name, game in GAMES.items()
}
_COMMON: dict[type[EventData], Evolver] = {
    **house.EVOLVERS,
    **rounds.EVOLVERS,
    **voids.EVOLVERS,
    **corrections.EVOLVERS,
    ApprovalRequested: _asked,
    ApprovalGiven: _asked,
}
_EVOLVERS: dict[str, dict[type[EventData], tuple[Evolver, ...]]] = {
    name: {
        shape: tuple(evolvers[shape] for evolvers in (_COMMON, game.EVOLVERS) if shape in evolvers)
        for shape in {*_COMMON, *game.EVOLVERS}
    }
    for name, game in GAMES.items()
}


def dump(session: Session) -> bytes:
    """A snapshot's bytes."""
    return msgspec.json.encode(session)


def load(raw: bytes) -> Session:
    """The session of a snapshot's bytes."""
    session = msgspec.json.decode(raw, type=Session)
    play: Play | None = msgspec.convert(session.play, PLAYS, str_keys=True) if session.play is not None else None
    return replace(session, play=play)
