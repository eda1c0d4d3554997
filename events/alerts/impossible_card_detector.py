"""Impossible cards, and cards in the wrong place.

The count of each card of every shoe is kept. A card that was kept from the round before came once. Cards burnt face
down are known by number only: they count against the whole content of the shoe.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, action_of, raised
from events.alerts.fact_behind_irregularity import with_fact
from events.envelope import EventData
from events.rules.game_declaration_and_registry import CardOut, at_tables
from events.tables.event_types.session import IrregularityRecorded, LayoutCarried, SessionOpened
from events.tables.event_types.shoe_and_dealt_cards import CardDealt, CardMisdealt, ShoeLoaded

WRONG, IMPOSSIBLE = "wrong card", "impossible card"
WRONG_KINDS = ("wrong card", "card out of order", "card not drawn")
PACK = 52


class Shoe(msgspec.Struct):
    """Cards that came out of the shoe: how often each card, how many face down, and the cards kept for the next round.

    `loaded` is the event that brought it, `last` the last card's, `action` the last whose wrong card was raised.
    """

    packs: int = 0
    loaded: str = ""
    seen: dict[str, int] = {}
    face_down: int = 0
    next_cards: list[str] = msgspec.field(name="kept", default_factory=list)
    last: str = ""
    last_action: str = ""
    action: str = ""


class CardsWatch(Watch):
    """One state a session; a shoe that is used in the next gaming day is carried over."""

    name = "cards"
    state = Shoe

    def handlers(self) -> Mapping[type[EventData], Handler]:
        games = at_tables().values()
        return {
            ShoeLoaded: self._loaded,
            SessionOpened: self._opened,
            LayoutCarried: self._carried,
            **dict.fromkeys((CardDealt, CardMisdealt), self._dealt),
            **{kind: _taking(read) for game in games for kind, read in game.cards.items()},
            IrregularityRecorded: self._irregular,
        }

    def _loaded(self, state: Shoe, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        state.packs, state.loaded = event.data.packs, event.id
        state.seen, state.face_down, state.next_cards = {}, 0, []
        return ()

    def _opened(self, state: Shoe, event: WatchedEvent, context: RuleContext) -> tuple[()] | None:
        """Keep the number of cards burnt face down, for a shoe from the gaming day before."""
        if event.data.follows is None:
            return None
        before: Shoe = context.state(self.name, event.data.follows)
        state.face_down = before.face_down
        return ()

    def _carried(self, state: Shoe, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        play: dict[str, Any] = event.data.play
        state.packs, state.loaded = play.get("packs", 0), event.id
        state.seen, state.next_cards = dict(play.get("seen", {})), [*play.get("kept", ())]
        return ()

    def _dealt(self, state: Shoe, event: WatchedEvent, _context: RuleContext) -> Sequence[RaisedAlert]:
        return _take_card_out(state, event, CardOut(event.data.card))

    def _irregular(self, state: Shoe, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        """Raise an alert once an action, with the card that it concerns."""
        action, data = action_of(event), event.data
        if data.kind not in WRONG_KINDS or state.action == action:
            return None
        state.action = action
        card = state.last if state.last_action == action else ""
        about: dict[str, Any] = {"dealer": data.dealer, "person": data.dealer, "box": data.box}
        about |= {"detail": data.detail, "code": data.code, "params": data.params}
        return (with_fact(raised(WRONG, event, card, **about), event, context),)


def _taking(read: Any) -> Handler:
    def take(state: Shoe, event: WatchedEvent, _context: RuleContext) -> Sequence[RaisedAlert]:
        return _take_card_out(state, event, read(event.data))

    return take


def _take_card_out(state: Shoe, event: WatchedEvent, out: CardOut) -> Sequence[RaisedAlert]:
    """A card left the shoe, or came from those that were kept."""
    state.last, state.last_action = event.id, action_of(event)
    if state.next_cards and out.card == state.next_cards[0] and not out.is_kept:
        state.next_cards = state.next_cards[1:]
        return ()
    if out.is_kept:
        state.next_cards = [*state.next_cards, out.card]
    state.seen[out.card] = times = state.seen.get(out.card, 0) + 1
    state.face_down += out.face_down
    if not state.packs:
        return ()
    is_over_pack_count = sum(state.seen.values()) + state.face_down > PACK * state.packs
    if times <= state.packs and not is_over_pack_count:
        return ()
    data = event.data
    about: dict[str, Any] = {"card": out.card, "came": times, "packs": state.packs, "box": getattr(data, "box", None)}
    return (raised(IMPOSSIBLE, event, state.loaded, person=data.dealer, dealer=data.dealer, **about),)
