"""State of shoe and boxes, for a terminal that starts again."""

from collections.abc import Mapping

import msgspec

from events.games.blackjack.blackjack_table_state import cards_of
from events.games.blackjack.rules import BlackjackHand
from events.tables.table_session_state_structs import Session
from events.tables.terminal_snapshot import Playing


class HandOnBox(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A hand of a box, and its first player's stake on it."""

    cards: tuple[str, ...]
    stake_minor: int
    from_split: bool = False
    doubled: bool = False
    stood: bool = False


class Boxes(Playing, frozen=True, kw_only=True, omit_defaults=True, tag="blackjack"):
    """The shoe (`came`: how often each card came, `cut`: its cut card did), and the round's cards.

    `hits` are those declared, by box; `declined` the players who passed on the right to a box's progressive bet.
    """

    shoe: str | None = None
    packs: int = 0
    came: Mapping[str, int] = {}
    cut: bool = False
    dealer: tuple[str, ...] = ()
    boxes: Mapping[int, tuple[HandOnBox, ...]] = {}
    armed: bool = False
    hits: Mapping[int, str] = {}
    declined: Mapping[int, tuple[str, ...]] = {}


def terminal_state(session: Session) -> Boxes:
    """Return the state from the session."""
    cards = cards_of(session)
    return Boxes(
        shoe=cards.shoe,
        packs=cards.packs,
        came=cards.seen,
        cut=cards.cut,
        dealer=cards.dealer,
        boxes={number: tuple(_hand(hand) for hand in box.hands) for number, box in cards.boxes.items()},
        armed=cards.armed,
        hits=cards.hits,
        declined=cards.declined,
    )


def _hand(hand: BlackjackHand) -> HandOnBox:
    return HandOnBox(
        cards=hand.cards,
        stake_minor=hand.stake,
        from_split=hand.from_split,
        doubled=hand.doubled,
        stood=hand.stood,
    )
