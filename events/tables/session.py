"""The table session's decider: `decide(session, action) -> events`, `evolve(session, event) -> session`.

Pure. A session is one stream, one table's gaming day; a round lives inside it, because craps bets and roulette's
imprisoned stakes carry over. What each game adds stands in the module of its name.
"""

import msgspec
from msgspec.structs import replace

from events import approvals, catalogue
from events.approvals import ApprovalGiven, ApprovalRequested, GiveApproval
from events.envelope import Action, ActionData, EventData, Who
from events.errors import Conflict, Forbidden, NotApproved, Refused
from events.tables import actions as do
from events.tables import baccarat, blackjack, corrections, craps, house, roulette, rounds, voids
from events.tables.state import Case, Events, Evolver, Game, Handler, Play, Session

# Raise it whenever `evolve` computes another state from the same events: older snapshots are then ignored.
EVOLVE = "session-2"

GAMES: dict[str, Game] = {"roulette": roulette, "blackjack": blackjack, "baccarat": baccarat, "craps": craps}
PLAYS = roulette.Wheel | blackjack.Cards | baccarat.Coup | craps.Layout

MAX_REQUESTS = 100  # that wait for a second person at one table

_AT_THE_TABLE = ("dealer", "inspector", "pit boss")
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


def role_for(data: ActionData, who: Who) -> str:
    """The role in force under which this person may do this. Raises Forbidden."""
    allowed = ROLES.get(type(data), _AT_THE_TABLE)
    for role in allowed:
        if role in who.roles:
            return role
    raise Forbidden(f"{data.TYPE} is for: {', '.join(allowed)}")


def decide(session: Session, action: Action, data: ActionData, who: Who) -> list[EventData]:
    """What the action makes happen. Raises Refused with a clause, Invalid, Forbidden, or Conflict for an old round."""
    role_for(data, who)
    if who.table is not None and who.table != session.table:
        raise Forbidden(f"this device is bound to table {who.table}")
    if action.round is not None and action.round != session.round:
        raise Conflict(f"round {action.round} is not the current one: the table is at round {session.round}")
    if session.status != "open" and type(data) not in (do.OpenSession, do.RemoveDrop, do.CountDrop):
        raise Refused("house session", f"the table is not open on {session.gaming_day}")
    people = tuple((who.person, role) for role in sorted(who.roles))
    if isinstance(data, GiveApproval):
        return _approve(session, data, who, people)
    try:
        return _judge(session, action, data, who, people)
    except NotApproved:
        if action.intent == "fact" or sum(not request.done for request in session.requests.values()) >= MAX_REQUESTS:
            raise
        return [approvals.requested(action, who.person, who.roles, **session.where())]


def _judge(session: Session, action: Action, data: ActionData, who: Who, people: tuple[tuple[str, str], ...]) -> Events:
    case = Case(session, action, who, [], people)
    events = _handler(session, data)(case, data)
    return [*events, *case.found]


def _approve(session: Session, data: GiveApproval, who: Who, people: tuple[tuple[str, str], ...]) -> Events:
    """One more person agrees; what was asked for is judged again, here and now, with all of them."""
    request = approvals.find(dict(session.requests), data, who.person)
    action = approvals.action_of(request)
    try:
        decided = _judge(session, action, catalogue.decode_action(action), who, (*request.people, *people))
    except NotApproved:
        decided = []
    given = approvals.given(data, who.person, who.roles, decided=bool(decided), **session.where())
    return [given, *decided]


def _handler(session: Session, data: ActionData) -> Handler:
    game = GAMES.get(session.game)
    if game is None:
        raise Refused("house game", f"there is no game {session.game}")
    shape = type(data)
    found = game.HANDLERS.get(shape) or _HANDLERS.get(shape)
    if found is None:
        raise Refused(f"{session.ruleset} P", f"{data.TYPE} is nothing that is done in {session.game}")
    return found


def evolve(session: Session, event: EventData) -> Session:
    """The session after the event."""
    shape = type(event)
    common = _COMMON.get(shape)
    if common is not None:
        session = common(session, event)
    game = GAMES[session.game]
    if session.play is None:
        session = replace(session, play=game.new_play())
    own: Evolver | None = game.EVOLVERS.get(shape)
    return own(session, event) if own is not None else session


def _asked(session: Session, event: EventData) -> Session:
    return replace(session, requests=approvals.evolve(dict(session.requests), event))


_HANDLERS: dict[type[ActionData], Handler] = {**house.HANDLERS, **rounds.HANDLERS, **voids.HANDLERS}
_COMMON: dict[type[EventData], Evolver] = {
    **house.EVOLVERS,
    **rounds.EVOLVERS,
    **voids.EVOLVERS,
    **corrections.EVOLVERS,
    ApprovalRequested: _asked,
    ApprovalGiven: _asked,
}


def dump(session: Session) -> bytes:
    """A snapshot's bytes."""
    return msgspec.json.encode(session)


def load(raw: bytes) -> Session:
    """The session of a snapshot's bytes."""
    session = msgspec.json.decode(raw, type=Session)
    play: Play | None = msgspec.convert(session.play, PLAYS) if session.play is not None else None
    return replace(session, play=play)
