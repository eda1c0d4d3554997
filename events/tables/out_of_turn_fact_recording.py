"""Facts that do not fit their table: recorded with an irregularity, refused only if they cannot be true.

A fact without a place in the round is an irregularity alone: it moves neither chips nor the game. Examples are a ball
that falls between two rounds, and a card for a hand that is finished. A fact that moves chips is recorded with them.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from events.controls import refused_fact_reasons
from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Full, NoSuchBet, NotApproved, Refused
from events.people import authority
from events.rules.game_declaration_and_registry import staking, type_modules
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.actions.buyins_fills_credits_drop import CountDrop, MakeBuyin, ReceiveFill, RemoveDrop, SendCredit
from events.tables.actions.card_action_structs import CountShoe
from events.tables.actions.count_action_structs import ExchangeChips, PutDrop
from events.tables.actions.round_action_structs import EndRound, MakePayment, ReportPayment
from events.tables.actions.session_action_structs import OpenSession, RollSession
from events.tables.event_types.counts import ShiftCounted, TableCounted
from events.tables.event_types.rounds import BetPlaced, BetRestaked, BetWithdrawn, RoundOpened
from events.tables.event_types.session import LayoutCarried, SessionClosed, SessionRolled
from events.tables.roles import RULES, of_closed_day
from events.tables.table_session_state_structs import Events, Session, TableCase

E = TypeVar("E")
OUT_OF_TURN = "out of turn"
AFTER_CLOSE = "after the close"
CLAUSE = "house session"
# Actions that a closed table records with their full effect.
LATE = (MakeBuyin, MakePayment, ReceiveFill, SendCredit, ExchangeChips, RemoveDrop, CountDrop, EndRound)
_AFTER_A_CLOSE = (RemoveDrop, CountDrop, ReportPayment, CountShoe)  # actions after a close that are not late
_PLAY = (
    "events.tables.actions.round_action_structs",
    "events.tables.actions.card_action_structs",
    "events.tables.actions.progressive_stake_and_hit_structs",
)


@cached_until_forgotten
def _never_late() -> tuple[type[EventData], ...]:
    """Events that no figure of a closed table takes any more: stakes, counts of the tray."""
    never_late = (
        RoundOpened,
        BetPlaced,
        BetRestaked,
        BetWithdrawn,
        ShiftCounted,
        TableCounted,
        SessionClosed,
        SessionRolled,
    )
    return (*never_late, LayoutCarried, *staking())


def is_play(data: ActionData) -> bool:
    """Return whether it is a part of a round."""
    return type(data).__module__ in (*_PLAY, *type_modules()) and not isinstance(data, CountShoe)


def check_session(session: Session, data: ActionData) -> None:
    """Raise Refused for a fact that cannot have happened at a table whose session is not open."""
    if session.status in ("closed", "counted"):
        if is_play(data) and session.phase == "idle" and not isinstance(data, LATE):
            raise refused_fact_reasons.fact_refusal(
                "closed table", CLAUSE, coded("table-closed-for-day", day=session.gaming_day)
            )
        return
    if not isinstance(data, PutDrop):
        raise refused_fact_reasons.fact_refusal("no session", CLAUSE)


def record_in_any_state(
    case: TableCase, data: ActionData, handler: Callable[[TableCase, Any], Sequence[E]]
) -> Sequence[E | EventData]:
    """Return the events of an action; a fact is recorded in any state of the table. Raises Refused, as listed.

    An `ask` is judged by its handler alone.
    """
    if case.action.intent != "fact":
        return handler(case, data)
    if refused_fact_reasons.is_decision(case.action.type):
        clause = authority.rules_of(case.action.type)[0].clause
        raise refused_fact_reasons.fact_refusal("decision", clause)
    if case.session.status != "open" and not isinstance(data, OpenSession | CountShoe):
        return _late_fact(case, data, handler)
    return _placed(case, data, handler)


def _placed(
    case: TableCase, data: ActionData, handler: Callable[[TableCase, Any], Sequence[E]]
) -> Sequence[E | EventData]:
    try:
        return handler(case, data)
    except (NotApproved, Full):
        raise
    except NoSuchBet as refused:
        raise refused_fact_reasons.with_reason("no such bet", refused) from refused
    except Refused as refused:
        if refused_fact_reasons.is_listed(refused):
            raise
        if isinstance(data, OpenSession | RollSession):
            raise refused_fact_reasons.fact_refusal(
                "no terms", refused.clause, refused.text, field=refused.field
            ) from refused
        return out_of_turn(case, data, refused)


def out_of_turn(case: TableCase, data: ActionData, refused: Refused) -> Events:
    """The irregularity alone of a fact that the table has no place for."""
    about = {name: value for name in ("bet", "seat", "box", "player") if (value := getattr(data, name, None))}
    if is_play(data) and isinstance(amount := getattr(data, "amount_minor", None), int):
        about["amount_minor"] = amount
    message = coded("fact-out-of-turn", action=case.action.type, why=refused.text)
    case.forbid(OUT_OF_TURN, Refused(refused.clause, message, source=refused.source), **about)
    return []


def _late_fact(
    case: TableCase, data: ActionData, handler: Callable[[TableCase, Any], Sequence[E]]
) -> Sequence[E | EventData]:
    """A fact of a table that is closed; of a gaming day that accounting has closed, by two departments."""
    day = case.session.gaming_day
    if isinstance(data, RollSession):
        raise refused_fact_reasons.fact_refusal("rolled", CLAUSE, coded("table-closed-for-day", day=day))
    if isinstance(data, (PutDrop, *_AFTER_A_CLOSE)):
        pass
    elif is_play(data) or isinstance(data, LATE):
        case.forbid(AFTER_CLOSE, Refused(CLAUSE, coded("fact-after-close", action=case.action.type, day=day)))
    else:
        return out_of_turn(case, data, Refused(CLAUSE, coded("table-closed-for-day", day=day)))
    events: Sequence[E | EventData] = _placed(case, data, handler)
    if any(isinstance(event, _never_late()) for event in events):
        events = out_of_turn(case, data, Refused(CLAUSE, coded("table-closed-for-day", day=day)))
    if events and case.context.is_day_closed and not isinstance(data, PutDrop):
        _must_be_agreed(case)
    return events


def _must_be_agreed(case: TableCase) -> None:
    """Raise NotApproved. Raise Refused for play of a round that was not ended before accounting closed the day."""
    rule = RULES.get(of_closed_day(case.action.type))
    if rule is None:
        reason = coded("accounting-closed-day", day=case.session.gaming_day)
        raise refused_fact_reasons.fact_refusal("closed table", CLAUSE, reason)
    authority.require(rule, case.people)
