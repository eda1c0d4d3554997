"""Rounds that were armed for a progressive, and dealt. Late hits are checked against them.

The session of a game that keeps them has the last ones. Any other is made from its events again.
"""

from collections.abc import Iterable, Mapping
from typing import get_args

import msgspec

from events.envelope import EventData
from events.tables.event_types.progressive import DealCompleted, Level, ProgressiveArmed
from events.tables.event_types.rounds import RoundVoided
from events.tables.event_types.session import IrregularityRecorded
from events.tables.event_types.shoe_and_dealt_cards import CardDealt

UNDECLARED = "undeclared hit"  # the kind of irregularity that cards without a declaration are
CARDS = 2  # of a box, in the initial deal


class DealtStake(msgspec.Struct, frozen=True):
    """A progressive bet of a dealt round: its player, its amount, and the three cards that decided it.

    Fewer where the deal was completed with cards missing.
    """

    player: str
    stake: int
    cards: tuple[str, ...]
    up: str

    @property
    def is_whole(self) -> bool:
        """Return whether all three cards are known."""
        return len(self.cards) == CARDS and bool(self.up)


class ArmedRoundPeople(msgspec.Struct, frozen=True):
    """An armed round, the assigned dealer and the people who dealt. Late hits are checked against it."""

    round: int
    dealer: str | None
    stakes: Mapping[int, DealtStake]
    acted: tuple[str, ...] = ()


def armed_round(events: Iterable[EventData], round_: int, acted: tuple[str, ...] = ()) -> ArmedRoundPeople | None:
    """Return the round of these events; None where it was not armed and dealt, or was declared void.

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
    stakes = {bet.box: DealtStake(bet.player, bet.stake_minor, cards.get(bet.box, ()), up) for bet in armed.bets}
    return ArmedRoundPeople(round_, armed.dealer, stakes, acted)


def undeclared_level(irregularity: IrregularityRecorded) -> str:
    """Return the level of an undeclared hit; "" where its record names none.

    Records of earlier versions have the level in their sentence only.
    """
    if irregularity.params is not None:
        return str(irregularity.params.get("level", ""))
    return next((level for level in get_args(Level) if f" make {level}, " in irregularity.detail), "")


def _laid(event: CardDealt, up: str, cards: Mapping[int, tuple[str, ...]]) -> tuple[str, dict[int, tuple[str, ...]]]:
    if event.to == "dealer":
        return up or event.card, dict(cards)
    box = event.box or 0
    return up, {**cards, box: (*cards.get(box, ()), event.card)}
