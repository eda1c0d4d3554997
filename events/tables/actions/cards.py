"""What is done with cards in every game of cards."""

from typing import Annotated, ClassVar

from msgspec import Meta

from events.envelope import ActionData
from events.fields import Name, Seat
from events.tables.types.cards import Place

Card = Annotated[str, Meta(pattern=r"^[A23456789TJQK][CDHS]$(?!\n)")]


class LoadShoe(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Put a shuffled shoe to the table: sealed (`seal` names the seal; is it whole?), or shuffled here."""

    TYPE: ClassVar[str] = "shoe.load"
    shoe: Name
    packs: Annotated[int, Meta(ge=1, le=8)]
    seal: Name | None = None
    seal_whole: bool = True


class ReachCutCard(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cut card came out."""

    TYPE: ClassVar[str] = "cut_card.reach"


class DealCard(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Turn a card: to the dealer, or to a hand of a box."""

    TYPE: ClassVar[str] = "card.deal"
    to: Place
    card: Card
    box: Seat | None = None
    hand: Annotated[int, Meta(ge=0, le=3)] = 0
