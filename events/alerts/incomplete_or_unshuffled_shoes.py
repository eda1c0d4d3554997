"""Wrong shoes: cards missing, surplus, or in the order of a new pack.

A count of the shoe finds them; the order also shows in the cards as they are dealt.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, raised
from events.alerts.fact_behind_irregularity import with_fact
from events.envelope import EventData
from events.rules.cards import RANKS
from events.rules.game_declaration_and_registry import CardOut, at_tables
from events.tables.event_types.session import LayoutCarried
from events.tables.event_types.shoe_and_dealt_cards import CardDealt, CardMisdealt, ShoeCounted, ShoeLoaded

MISSING, ORDER = "missing cards", "card order"
SHOES_MAX = 100  # shoes of a session whose loading is kept


class ShoeOrder(msgspec.Struct):
    """The shoes of a session by the event that loaded them; `loaded` is the last.

    Of its cards it has the last one and the step from card to card (1 up, -1 down, 0 no order). It also has the events
    that came in order so far, and whether an alert was raised.
    """

    shoes: dict[str, str] = {}
    loaded: str = ""
    last: str = ""
    step: int = 0
    events: list[str] = []
    is_ordered: bool = False


class Shoes(Watch):
    """One state a session."""

    name = "shoes"
    state = ShoeOrder

    def handlers(self) -> Mapping[type[EventData], Handler]:
        games = at_tables().values()
        return {
            ShoeLoaded: self._loaded,
            LayoutCarried: self._carried,
            ShoeCounted: self._counted,
            **dict.fromkeys((CardDealt, CardMisdealt), self._dealt),
            **{kind: _taking(read) for game in games for kind, read in game.cards.items()},
        }

    def _loaded(self, state: ShoeOrder, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        state.shoes[event.data.shoe] = event.id
        if len(state.shoes) > SHOES_MAX:
            del state.shoes[next(iter(state.shoes))]
        return _begin(state, event)

    def _carried(self, state: ShoeOrder, event: WatchedEvent, _context: RuleContext) -> tuple[()] | None:
        shoe = event.data.play.get("shoe")
        if shoe is None:
            return None
        state.shoes[shoe] = event.id
        return _begin(state, event)

    def _dealt(self, state: ShoeOrder, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        return _take_card_out(state, event, CardOut(event.data.card), context)

    def _counted(self, state: ShoeOrder, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert]:
        count: ShoeCounted = event.data
        loaded_shoe = state.shoes.get(count.shoe, "")
        details: dict[str, Any] = {"person": event.envelope.actor, "shoe": count.shoe, "packs": count.packs}
        details |= {"witness": count.witness, "detail": count.detail or None}
        alerts = []
        if count.missing or count.surplus:
            cards: dict[str, Any] = {"missing": count.missing or None, "surplus": count.surplus or None}
            how_many = sum(count.surplus.values()) - sum(count.missing.values())
            alerts.append(raised(MISSING, event, loaded_shoe, **details, **cards, cards=how_many))
        if count.unshuffled_packs:
            unshuffled: dict[str, Any] = {"unshuffled_packs": count.unshuffled_packs, "reason": "counted down in order"}
            alerts.append(raised(ORDER, event, loaded_shoe, **details, **unshuffled))
        return [with_fact(alert, event, context) for alert in alerts]


def _begin(state: ShoeOrder, event: WatchedEvent) -> tuple[()]:
    state.loaded, state.last, state.step, state.events, state.is_ordered = event.id, "", 0, [], False
    return ()


def _taking(read: Any) -> Handler:
    def take(state: ShoeOrder, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        return _take_card_out(state, event, read(event.data), context)

    return take


def _take_card_out(
    state: ShoeOrder, event: WatchedEvent, out: CardOut, context: RuleContext
) -> Sequence[RaisedAlert] | None:
    """A card left the shoe: whether it follows the one before as in a new pack."""
    if state.is_ordered:
        return None
    step = _step(state.last, out.card)
    goes_on = step != 0 and state.step in (0, step) and not out.is_kept
    state.events = [*state.events, event.id] if goes_on else [event.id]
    state.last, state.step = out.card, step if goes_on else 0
    if out.face_down:  # cards in between that no one saw
        state.last, state.step, state.events = "", 0, []
    if len(state.events) < context.rules[ORDER].parameters["in_order"]:
        return ()
    state.is_ordered = True
    data = event.data
    about: dict[str, Any] = {"person": data.dealer, "dealer": data.dealer, "cards": len(state.events)}
    return (raised(ORDER, event, state.loaded, *state.events, once=state.loaded, reason="dealt in order", **about),)


def _step(before: str, card: str) -> int:
    """1 where a card follows the one before in a new pack, -1 where it precedes it, else 0."""
    if not before or before[1] != card[1]:
        return 0
    step = RANKS.index(card[0]) - RANKS.index(before[0])
    return step if step in (1, -1) else 0
