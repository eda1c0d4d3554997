"""The table session's decider: `decide(session, action) -> events`, `evolve(session, event) -> session`.

Pure. A session is one stream, one table's gaming day; a round lives inside it, because craps bets and roulette's
imprisoned stakes carry over. Each game declares its own part (`events/rules/game_declaration_and_registry.py`).
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from events import catalogue
from events.controls import refused_fact_reasons
from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded
from events.errors import Conflict, Forbidden, Refused
from events.people import approval_request_lifecycle, authority
from events.people.approval_request_lifecycle import ApprovalLapsed, Moment
from events.rules.game_declaration_and_registry import at_tables
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.streams.stream_kind_declaration import ForeignEvent
from events.tables import (
    bet_corrections,
    buyin_and_drop_decider,
    day_rollover,
    fill_and_credit_decider,
    out_of_turn_fact_recording,
    payments_reported_after_round,
    physical_shoe_count_decider,
    round_and_bet_decider,
    session_opening_and_closing_decider,
    settlement_corrections,
    tray_count_decider,
    voided_rounds_and_days_decider,
)
from events.tables.actions.buyins_fills_credits_drop import CountDrop, RemoveDrop
from events.tables.actions.card_action_structs import CountShoe
from events.tables.actions.count_action_structs import CountHeads, NoteResult
from events.tables.actions.progressive_stake_and_hit_structs import DeclareHitLate
from events.tables.actions.round_action_structs import CorrectSettlement, EndRound, OpenRound, ReportPayment, VoidRound
from events.tables.actions.session_action_structs import CloseSession, OpenSession, RollSession, VoidSession
from events.tables.event_types.counts import HeadsCounted, ResultNoted
from events.tables.event_types.rounds import RoundOpened
from events.tables.event_types.session import IrregularityRecorded, SessionOpened
from events.tables.table_session_state_structs import (
    NOTHING,
    Events,
    Evolver,
    GamePlay,
    Handler,
    Session,
    TableCase,
    TableContext,
    acting,
)


def count_heads(case: TableCase, data: CountHeads) -> Events:
    """Record the heads, in any phase."""
    return [HeadsCounted(**case.session.where(), heads=data.heads)]


def note_result(case: TableCase, data: NoteResult) -> Events:
    """Record a result. No bet is settled by it."""
    return [ResultNoted(**case.session.where(), result=data.result)]


HANDLERS: dict[type[ActionData], Handler] = {CountHeads: count_heads, NoteResult: note_result}
EVOLVERS: dict[type[EventData], Evolver] = {ResultNoted: lambda session, _event: replace(session, has_results=True)}


# Raise it whenever `evolve` computes another state from the same events: older snapshots are then ignored.
EVOLVE = "session-21"

MAX_REQUESTS = 100  # that wait for a second person at one table

# Actions on findings after a round, or a table's gaming day, is over.
Late = ReportPayment | CorrectSettlement | DeclareHitLate
LATE = (ReportPayment, CorrectSettlement, DeclareHitLate)

_CLOSING = frozenset((CloseSession, RollSession))

# Actions on a table that is not open, in addition to those of a hit found late.
_BEFORE_AND_AFTER = (OpenSession, VoidSession, RemoveDrop, CountDrop)


def role_for(data: ActionData, actor: Who) -> str:
    """The role in force under which this person may do this. Raises Forbidden."""
    return authority.role_for("tables", data.TYPE, actor.roles)


def decide(
    session: Session, action: Action, data: ActionData, actor: Who, moment: Moment, context: TableContext = NOTHING
) -> list[EventData | ForeignEvent]:
    """Return the events of the action. Raises Refused with a clause, Invalid, Forbidden, or Conflict for an old
    round."""
    irregularities = _without_role(session, action, data, actor)
    session = context.again or session
    if actor.table is not None and actor.table != session.table:
        raise Forbidden(coded("device-of-another-table", table=actor.table))
    if action.round is not None and action.round != session.round:
        raise Conflict(coded("round-not-current", round=action.round, current=session.round))
    if session.status != "open" and not (type(data) in _BEFORE_AND_AFTER or is_after_close(session, data)):
        if action.intent == "ask":
            raise Refused("house session", coded("table-not-open", day=session.gaming_day))
        out_of_turn_fact_recording.check_session(session, data)
    if type(data) is RollSession:
        case = TableCase(session, action, actor, [], context=context, roles=moment.roles)
        return [
            *out_of_turn_fact_recording.record_in_any_state(case, data, day_rollover.roll_session),
            *case.irregularities,
            *irregularities,
            *_closing(session, data),
        ]
    judge = _judge(session, actor, moment, context)
    if irregularities:
        return [*in_opened_round([*judge(action, data, ()), *irregularities]), *_closing(session, data)]
    events = approval_request_lifecycle.decide(
        "tables", session.requests, action, data, actor, moment, judge, most=MAX_REQUESTS, fields=session.where
    )
    return [*events, *_closing(session, data)]


def _without_role(session: Session, action: Action, data: ActionData, actor: Who) -> Events:
    """Report an action by a person of the house without the role for it: an irregularity. Raises Forbidden else.

    Only actions that need no more than one person's badge can have happened so.
    """
    try:
        role_for(data, actor)
    except Forbidden as forbidden:
        rules = authority.rules_of(data.TYPE)
        is_plain = bool(rules) and not any(rule.needs_factor and not rule.late for rule in rules)
        if action.intent != "fact" or not is_plain or not authority.works(actor.roles):
            raise
        case = TableCase(session, action, actor, [])
        case.forbid(
            "without the role",
            Refused("house roles", coded("action-without-role", person=actor.person, why=forbidden.text)),
        )
        return case.irregularities
    return []


def requested_data(session: Session, data: ActionData) -> ActionData | None:
    """Return the requested or reported data, now or in the answered request; None where no such request waits."""
    if not isinstance(data, approval_request_lifecycle.ANSWERING):
        return data
    request = session.requests.get(data.request)
    return None if request is None else catalogue.decode_action(approval_request_lifecycle.action_of(request))


def is_after_close(session: Session, data: ActionData) -> bool:
    """Return whether an action is possible after the close of its table.

    A winner is found and approved on any later day: surveillance looks at the cards the next morning. Also later are an
    unrecorded payment, the void of a gaming day that was opened by mistake, and the count-down of a shoe.
    """
    is_over = session.status in ("closed", "counted")
    action = requested_data(session, data)
    is_answer = action is not data  # of a fact that waits for others
    if isinstance(action, VoidRound):  # the table was closed in it
        return is_over and session.phase != "idle"
    return is_over and isinstance(
        action, (*LATE, VoidSession, CountShoe, *(out_of_turn_fact_recording.LATE if is_answer else ()))
    )


def _judge(session: Session, actor: Who, moment: Moment, context: TableContext) -> approval_request_lifecycle.Judge:
    """Return the judge of a request, with `actor` in addition to the earlier approvers."""

    def judge(action: Action, data: ActionData, before: tuple[tuple[str, str], ...]) -> Events:
        case = TableCase(session, action, actor, [], before, context, moment.roles)
        return in_opened_round(
            [*out_of_turn_fact_recording.record_in_any_state(case, data, _handler(session, data)), *case.irregularities]
        )

    return judge


def in_opened_round(events: Events) -> Events:
    """The same events; where they open a round, their irregularities are of that round, but for those by which the
    round before it ended."""
    if len(events) < 2:  # as with nearly every action
        return events
    opened = [event.round for event in events if type(event) is RoundOpened]
    if not opened or (number := opened[0]) is None:
        return events
    return [replace(event, round=number) if _is_of_opened_round(event) else event for event in events]


def _is_of_opened_round(event: EventData) -> bool:
    return isinstance(event, IrregularityRecorded) and event.kind not in round_and_bet_decider.OF_AN_END


def _closing(session: Session, data: ActionData) -> Events:
    """Let requests lapse at the close of a table, but for late discoveries."""
    if type(data) not in _CLOSING:
        return []
    late, requests = {action_type.TYPE for action_type in LATE}, session.requests.items()
    waiting = [key for key, request in requests if not request.done and request.event.action not in late]
    return [ApprovalLapsed(**session.where(), request=key, why="table closed") for key in waiting]


def _handler(session: Session, data: ActionData) -> Handler:
    if session.game not in at_tables():
        raise Refused("house game", coded("game-unknown-here", game=session.game))
    if not session.recorded and type(data) not in _COUNTED_ONLY:
        raise refused_fact_reasons.fact_refusal(
            "counted only", COUNTED_ONLY, coded("action-at-table", action=data.TYPE, table=session.table)
        )
    handler = _procedure(session.game).handlers.get(type(data))
    if handler is None:
        detail = coded("not-an-action-of-game", action=data.TYPE, game=session.game)
        raise refused_fact_reasons.fact_refusal("other game", f"{session.ruleset} P", detail)
    if type(data) is OpenRound and session.phase != "idle":
        return _opening_after(session, handler)
    return handler


def _opening_after(session: Session, opens: Handler) -> Handler:
    """Opens a round before the last one has ended: that one ends by it."""
    ends = _procedure(session.game).handlers[EndRound]

    def end_and_open(case: TableCase, data: OpenRound) -> Events:
        if case.action.intent == "ask":
            return opens(case, data)
        refused = Refused(f"{session.game} phase", coded("round-not-ended", round=session.round))
        case.forbid("round not ended", refused)
        ended = ends(case, EndRound())
        for event in ended:
            case.session = evolve(case.session, event)
        return [*ended, *opens(case, data)]

    return end_and_open


def evolve(session: Session, event: EventData, actor: str = "") -> Session:
    """Return the session after the event; `actor` is its person."""
    if type(event) is SessionOpened:  # the table may have been arranged again since
        session = replace(session, game=event.game, pit=event.pit)
    procedure = _procedure(session.game)
    if session.play is None:
        session = replace(session, play=procedure.play())
    if type(event) in procedure.acting and actor not in session.acted:
        session = replace(session, acted=(*session.acted, actor))
    for evolver in procedure.evolvers.get(type(event), ()):
        session = evolver(session, event)
    return session


def _apply_request(session: Session, event: EventData) -> Session:
    return replace(session, requests=approval_request_lifecycle.evolve(dict(session.requests), event))


# Actions of all games.
_HANDLERS: Mapping[type[ActionData], Handler] = {
    **session_opening_and_closing_decider.HANDLERS,
    **buyin_and_drop_decider.HANDLERS,
    **tray_count_decider.HANDLERS,
    **HANDLERS,
    **fill_and_credit_decider.HANDLERS,
    **round_and_bet_decider.HANDLERS,
    **payments_reported_after_round.HANDLERS,
    **settlement_corrections.HANDLERS,
    **voided_rounds_and_days_decider.HANDLERS,
}
# Actions at a table whose bets are no events.
COUNTED_ONLY = "house counted only"
_COUNTED_ONLY = {
    *(
        *session_opening_and_closing_decider.HANDLERS,
        *buyin_and_drop_decider.HANDLERS,
        *fill_and_credit_decider.HANDLERS,
        *tray_count_decider.HANDLERS,
    ),
    *(RollSession, VoidSession),
    *HANDLERS,
    *physical_shoe_count_decider.HANDLERS,  # the count-down of a shoe needs no bets
}
_EVOLVERS: Mapping[type[EventData], Evolver] = {
    **session_opening_and_closing_decider.EVOLVERS,
    **buyin_and_drop_decider.EVOLVERS,
    **tray_count_decider.EVOLVERS,
    **EVOLVERS,
    **fill_and_credit_decider.EVOLVERS,
    **round_and_bet_decider.EVOLVERS,
    **voided_rounds_and_days_decider.EVOLVERS,
    **bet_corrections.EVOLVERS,
    **settlement_corrections.EVOLVERS,
    **day_rollover.EVOLVERS,
    **dict.fromkeys(approval_request_lifecycle.EVENTS, _apply_request),
}


class _Procedure(msgspec.Struct, frozen=True):
    """The procedure of a game: the common actions, and its own."""

    handlers: Mapping[type[ActionData], Handler]
    evolvers: Mapping[type[EventData], tuple[Evolver, ...]]
    play: type[GamePlay]
    acting: frozenset[type[EventData]]


@cached_until_forgotten
def _procedure(game: str) -> _Procedure:
    own = at_tables()[game]
    evolvers = {
        shape: tuple(table_[shape] for table_ in (_EVOLVERS, own.evolvers) if shape in table_)
        for shape in {*_EVOLVERS, *own.evolvers}
    }
    return _Procedure({**_HANDLERS, **own.handlers}, evolvers, own.play, frozenset(acting()))


def actions_at(session: Session) -> frozenset[str]:
    """The types of the actions that a table's game knows; at a counted-only table those without bets."""
    action_types: list[type[ActionData]] = [RollSession, *_procedure(session.game).handlers]
    return frozenset(data.TYPE for data in action_types if session.recorded or data in _COUNTED_ONLY)


def load(raw: bytes) -> Session:
    """The session of a snapshot's bytes."""
    session = msgspec.json.decode(raw, type=Session)
    if session.play is None:
        return session
    return replace(session, play=msgspec.convert(session.play, at_tables()[session.game].play, str_keys=True))
