"""Actions with cards in every game of cards."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from events.envelope import ActionData
from events.fields import Count, Name, Note, Seat
from events.tables.event_types.shoe_and_dealt_cards import Place

Card = Annotated[str, Meta(pattern=r"^[A23456789TJQK][CDHS]$(?!\n)")]


class LoadShoe(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Put a shuffled shoe to the table: sealed (`seal` names the seal; is it whole?), or shuffled here."""

    TYPE: ClassVar[str] = "shoe.load"
    shoe: Name
    packs: Annotated[int, Meta(ge=1, le=8)]
    seal: Name | None = None
    seal_whole: bool = True


class ReachCutCard(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Report that the cut card came out."""

    TYPE: ClassVar[str] = "cut_card.reach"


class DealCard(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Deal a card to the dealer or to a hand of a box."""

    TYPE: ClassVar[str] = "card.deal"
    to: Place
    card: Card
    box: Seat | None = None
    hand: Annotated[int, Meta(ge=0, le=3)] = 0


class CountShoe(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Record the count of a shoe: its expected `packs`, the `missing` and `surplus` cards, and the packs in the order
    of a new deck (`unshuffled_packs`)."""

    TYPE: ClassVar[str] = "shoe.count"
    shoe: Name
    packs: Annotated[int, Meta(ge=1, le=8)]
    missing: Annotated[dict[Card, Count], Meta(max_length=52)] = msgspec.field(default_factory=dict)
    surplus: Annotated[dict[Card, Count], Meta(max_length=52)] = msgspec.field(default_factory=dict)
    unshuffled_packs: Annotated[int, Meta(ge=0, le=8)] = 0
    detail: Note = ""
    witness: Name | None = None
