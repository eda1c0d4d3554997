"""Events with cards in every game of cards: the shoe, and the dealt cards."""

from typing import ClassVar, Literal

import msgspec

from events.tables.event_types.session import Seated, TableEvent

Place = Literal["dealer", "box", "player", "banker"]


class ShoeLoaded(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A shuffled shoe of `packs` packs is at the table; `seal` where it came sealed.

    `prepared`: shuffled ahead in a set-apart place and sealed, or here at the table (001 2.1).
    """

    TYPE: ClassVar[str] = "shoe.loaded.v1"
    shoe: str
    packs: int
    seal: str | None = None
    prepared: Literal["ahead", "table"] = "table"


class CutCardReached(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The cut card came: this round is finished, then the shoe is changed."""

    TYPE: ClassVar[str] = "cut_card.reached.v1"


class CardDealt(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A card is dealt face up: before the dealer, or in a hand of a box. `index` counts the round's cards from 1.

    `laid`: its wrong place before it came to the right one (001 4.3).
    """

    TYPE: ClassVar[str] = "card.dealt.v1"
    to: Place
    card: str
    index: int
    hand: int = 0
    laid: Place | None = None


class CardMisdealt(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A card without a place came out: it is set aside, and has left the shoe."""

    TYPE: ClassVar[str] = "card.misdealt.v1"
    card: str
    to: Place
    box: int | None = None


class ShoeCounted(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A shoe was counted down against its `packs`. `missing` and `surplus` are cards by how many were too few or too
    many, `unshuffled_packs` lay in the order of a new pack; `witness` counted with the actor."""

    TYPE: ClassVar[str] = "shoe.counted.v1"
    shoe: str
    packs: int
    missing: dict[str, int] = msgspec.field(default_factory=dict)
    surplus: dict[str, int] = msgspec.field(default_factory=dict)
    unshuffled_packs: int = 0
    detail: str = ""
    witness: str | None = None
