"""A gaming day that ends at a table which plays on: one stream is closed and the next opened in the same append.

The new day opens with the counted tray, so that its opener is the old day's closer, chip by chip. It takes over the
layout and the equipment: bets, shoe or dice or wheel, staff, limits. Its first event's `prev` is the digest of the old
stream's last. Ended rounds, slips, and hits found late in them stay with the old day; winnings are paid before.
"""

from typing import Any, cast

import msgspec
from msgspec.structs import replace

from events.controls import refused_fact_reasons
from events.envelope import EventData
from events.error_codes import coded
from events.errors import Refused
from events.streams.stream_kind_declaration import ForeignEvent
from events.tables import buyin_and_drop_decider
from events.tables import count_differences as differences
from events.tables.actions.session_action_structs import RollSession
from events.tables.event_types.session import (
    CarriedBet,
    LayoutCarried,
    LimitsPosted,
    Post,
    SessionRolled,
    StaffAssigned,
)
from events.tables.required_witness_checks import COUNT, require_witness
from events.tables.session_opening_and_closing_decider import opening, shift_of
from events.tables.table_session_state_structs import Bet, Evolver, Session, TableCase, tray_minor

CLAUSE = "house roll"


def roll_session(case: TableCase, data: RollSession) -> list[EventData | ForeignEvent]:
    """The old day is closed by the count, the new one opened by it."""
    try:  # a round and its bets stay with their day: a person ends it or declares it void
        case.phase("idle")
    except Refused as refused:
        case.forbid("round not ended", refused)
    session = case.session
    _must_be_settled(case, data)
    if data.witness is not None and data.drop_box is None:
        require_witness(case, data.witness, COUNT)
    goes, comes = buyin_and_drop_decider.change_box(case, _next_day(case, session, data), data.drop_box, data.witness)
    session_rolled = SessionRolled(
        **replace(session, round=0).where(),
        into=data.gaming_day,
        closer=data.closer,
        amount_minor=tray_minor(data.closer, data.colours_minor, "data.closer"),
        expected_minor=session.float_minor,
        carried_minor=sum(bet.stake for bet in _carried_bets(session)),
        colours_minor=data.colours_minor,
        witness=data.witness,
    )
    into = f"{session.stream.rpartition('/')[0]}/{data.gaming_day}"
    opens = [*_opens(case, data, session_rolled), *comes]
    count_differences = differences.of_count(case, "closer", session_rolled.amount_minor, data.witness)
    return [*goes, session_rolled, *count_differences, *(ForeignEvent(into, event, carries_on=True) for event in opens)]


def _carried_bets(session: Session) -> list[Bet]:
    return [*session.bets.values()] if session.phase == "idle" else []


def _next_day(case: TableCase, session: Session, data: RollSession) -> Session:
    return replace(session, gaming_day=data.gaming_day, shift=shift_of(case, data), round=0)


def _must_be_settled(case: TableCase, data: RollSession) -> None:
    session = case.session
    if data.gaming_day <= session.gaming_day:
        detail = coded("day-not-after-session", day=data.gaming_day, current=session.gaming_day)
        raise refused_fact_reasons.fact_refusal("day order", CLAUSE, detail, field="data.gaming_day")
    if waiting := len(session.due) + len(session.unpaid):
        message = coded("winnings-of-old-day-unpaid", count=waiting)
        case.forbid("unpaid", Refused(CLAUSE, message))


def _opens(case: TableCase, data: RollSession, session_rolled: SessionRolled) -> list[EventData]:
    """Return the events that open the next day. Its terms of the progressive are the present ones, as at every
    opening.
    """
    old = case.session
    staffed = _next_day(case, old, data)
    session = replace(staffed, dealer=None, inspector=None)
    return [
        opening(case, session, data.closer, old.chip, old.stream, data.colours_minor, data.witness),
        *_limits(session),
        *(StaffAssigned(**session.where(), post=cast(Post, post), person=person) for post, person in old.posts.items()),
        LayoutCarried(
            **staffed.where(),
            play=msgspec.json.decode(msgspec.json.encode(old.play.carried(), order="deterministic")),
            bets=tuple(_carried_bet(bet) for bet in _carried_bets(old)),
            amount_minor=session_rolled.carried_minor,
        ),
    ]


def _limits(session: Session) -> list[EventData]:
    if not session.minimum:
        return []
    maxima, minima = dict(session.maxima), dict(session.minima)
    return [LimitsPosted(**session.where(), minimum_minor=session.minimum, maxima_minor=maxima, minima_minor=minima)]


_SAME = (
    *("wager", "player", "seat", "box", "numbers", "which", "base"),
    *("on_zero", "after_win", "working", "number", "zeros"),
)


def _carried_bet(bet: Bet) -> CarriedBet:
    same: dict[str, Any] = {name: getattr(bet, name) for name in _SAME}
    same |= {"stake_minor": bet.stake, "commission_minor": bet.commission, "promotional_minor": bet.voucher}
    return CarriedBet(bet=bet.id, **same)


def _lies(bet: CarriedBet) -> Bet:
    same: dict[str, Any] = {name: getattr(bet, name) for name in _SAME}
    same |= {"stake": bet.stake_minor, "commission": bet.commission_minor, "voucher": bet.promotional_minor}
    return Bet(id=bet.bet, **same)


def rolled(session: Session, event: SessionRolled) -> Session:
    """Close the day; its bets are the next day's. A rolled day was not opened by mistake."""
    closed = replace(session, status="closed", float_minor=event.amount_minor, closer=event.closer, is_moved=True)
    return closed if session.phase != "idle" else replace(closed, bets={}, used=frozenset())


def carried(session: Session, event: LayoutCarried) -> Session:
    """Continue with the carried layout."""
    bets = {bet.bet: _lies(bet) for bet in event.bets}
    play = msgspec.convert(event.play, type(session.play), str_keys=True)
    return replace(session, bets=bets, used=frozenset(bets), play=play, is_moved=True)


EVOLVERS: dict[type[EventData], Evolver] = {SessionRolled: rolled, LayoutCarried: carried}
