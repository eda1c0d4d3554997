"""Hits found late: a progressive hand that was missed or keyed wrongly in the deal, declared by two people after it.

The last armed rounds are at hand in the session. Of an earlier one, or of a day that is long over, whoever hands the
action in reads the round's events from the stream (`Beside.dealt`), and the same is made of them.
"""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from events.envelope import EventData
from events.errors import Refused
from events.games.blackjack.boxes import Armed, Cards, Stake, cards_of
from events.games.blazing7s import rules as blazing7s
from events.tables.actions.progressive import DeclareHitLate
from events.tables.state import Case, Events, Session
from events.tables.types.cards import CardDealt
from events.tables.types.progressive import DealCompleted, HitDeclaredLate, ProgressiveArmed
from events.tables.types.rounds import RoundVoided
from events.tables.voids import require_two

UNDECLARED = "undeclared hit"  # the kind of irregularity that cards without a declaration are
CARDS = 2  # of a box, in the initial deal


def declare_hit_late(case: Case, data: DeclareHitLate) -> Events:
    """A hand that was missed or keyed wrongly: two people who looked at the cards declare it after the deal.

    Whether a hit that was declared before stands in its way, or is void, is for the progressive to say.
    """
    session = case.session
    armed = at_hand(session, data.round) or armed_round(case.beside.dealt, data.round, case.beside.acted)
    stake = armed.stakes.get(data.box) if armed else None
    if armed is None or stake is None or session.progressive is None:
        raise Refused("blazing7s P.1", f"box {data.box} had no armed bet in round {data.round}", source="004 L15")
    lies = blazing7s.classify(stake.cards, stake.up)
    if lies != data.level:
        raise Refused("blazing7s B", f"the cards of box {data.box} made {lies}, not {data.level}", source="004 L39")
    require_two(case, armed.dealer, armed.acted)
    where = {**session.where(), "round": data.round, "dealer": armed.dealer}
    return [
        HitDeclaredLate(
            **where,
            progressive=session.progressive,
            hit=f"{session.table}-{session.gaming_day}-{data.round}-{data.box}-late{_again(session, data)}",
            level=data.level,
            box=data.box,
            player=stake.player,
            amount_minor=stake.stake,
            approvals=case.people,
        )
    ]


def at_hand(session: Session, round_: int) -> Armed | None:
    """The armed round, if it is one of the last."""
    return next((past for past in cards_of(session).past if past.round == round_), None)


def armed_round(events: Iterable[EventData], round_: int, acted: tuple[str, ...] = ()) -> Armed | None:
    """The round that these events of it make; None where it was not armed and dealt, or was declared void.

    `acted` are those who armed, dealt or declared in it.
    """
    armed: ProgressiveArmed | None = None
    cards: dict[int, tuple[str, ...]] = {}
    up, is_dealt = "", False
    for event in events:
        if getattr(event, "round", None) != round_:
            continue
        if isinstance(event, RoundVoided):
            return None
        if isinstance(event, ProgressiveArmed):
            armed = event
        elif isinstance(event, DealCompleted):
            is_dealt = True
        elif isinstance(event, CardDealt) and not is_dealt:
            up, cards = _laid(event, up, cards)
    if armed is None or not is_dealt:
        return None
    lie = {box: laid for box, laid in cards.items() if len(laid) == CARDS}
    stakes = {bet.box: Stake(bet.player, bet.stake_minor, lie[bet.box], up) for bet in armed.bets if bet.box in lie}
    return Armed(round_, armed.dealer, stakes, acted)


def undeclared(box: int | None, level: str) -> str:
    """What is recorded of cards that make a hit which nobody declared."""
    return f"the cards of box {box} make {level}, and nobody declared it"


def undeclared_level(detail: str) -> str:
    """The level of a hit that nobody declared, out of what was recorded; "" where it does not say."""
    found = next((level for level in blazing7s.LEVELS if f" make {level}, " in detail), None)
    return found or ""


def _laid(event: CardDealt, up: str, cards: Mapping[int, tuple[str, ...]]) -> tuple[str, dict[int, tuple[str, ...]]]:
    if event.to == "dealer":
        return up or event.card, dict(cards)
    box = event.box or 0
    return up, {**cards, box: (*cards.get(box, ()), event.card)}


def _again(session: Session, data: DeclareHitLate) -> str:
    """How often a hit was found on this box before; all of them are void, or the progressive would have refused."""
    found = cards_of(session).found.get(_place(data.round, data.box), 0)
    return f"-{found + 1}" if found else ""


def _place(round_: int | None, box: int | None) -> str:
    return f"{round_}-{box}"


def hit_declared_late(session: Session, event: HitDeclaredLate) -> Session:
    cards: Cards = cards_of(session)
    place = _place(event.round, event.box)
    return replace(session, play=replace(cards, found={**cards.found, place: cards.found.get(place, 0) + 1}))
