"""Hits found late: a progressive hand that was missed or keyed wrongly in the deal, declared by two people after it.

The session keeps the last armed rounds. For an earlier one, or for an earlier day, the caller reads the round's events
from the stream (`Beside.dealt`), and they give the same round.
"""

from msgspec.structs import replace

from events.error_codes import coded
from events.errors import Refused
from events.games.blackjack.shoe_and_boxes import BlackjackCards, cards_of
from events.games.blazing7s import rules as blazing7s
from events.tables.actions.progressive_stake_and_hit_structs import DeclareHitLate
from events.tables.armed_rounds_for_late_hits import armed_round
from events.tables.event_types.progressive import HitDeclaredLate
from events.tables.table_session_state_structs import Events, Session, TableCase, at_hand
from events.tables.void_round_and_day_decider import require_two


def declare_hit_late(case: TableCase, data: DeclareHitLate) -> Events:
    """Declare a hand that was missed or keyed wrongly: two people who looked at the cards do so after the deal.

    The progressive decides whether an earlier declaration blocks it, or is void.
    """
    session = case.session
    dealt = (event.data for event in case.context.dealt)
    armed = at_hand(session, data.round) or armed_round(dealt, data.round, case.context.acted)
    stake = armed.stakes.get(data.box) if armed else None
    if armed is None or stake is None or session.progressive is None:
        raise Refused("blazing7s P.1", coded("box-had-no-armed-bet", box=data.box, round=data.round), source="004 L15")
    lies = blazing7s.classify(stake.cards, stake.up) if stake.is_whole else data.level  # they have seen the cards
    if lies != data.level:
        raise Refused(
            "blazing7s B",
            coded("cards-make-another-level", box=data.box, lies=lies, level=data.level),
            source="004 L39",
        )
    require_two(case, armed.dealer, armed.acted)
    place = {**session.where(), "round": data.round, "dealer": armed.dealer}
    return [
        HitDeclaredLate(
            **place,
            progressive=session.progressive,
            hit=f"{session.table}-{session.gaming_day}-{data.round}-{data.box}-late{_again(session, data)}",
            level=data.level,
            box=data.box,
            player=stake.player,
            amount_minor=stake.stake,
            approvals=case.people,
        )
    ]


def _again(session: Session, data: DeclareHitLate) -> str:
    """Return the number of earlier hits on this box. All are void, or the progressive would have refused."""
    times = cards_of(session).late_hits.get(_place(data.round, data.box), 0)
    return f"-{times + 1}" if times else ""


def _place(round_: int | None, box: int | None) -> str:
    return f"{round_}-{box}"


def hit_declared_late(session: Session, event: HitDeclaredLate) -> Session:
    cards: BlackjackCards = cards_of(session)
    place = _place(event.round, event.box)
    return replace(
        session, play=replace(cards, late_hits={**cards.late_hits, place: cards.late_hits.get(place, 0) + 1})
    )
