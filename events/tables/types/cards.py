"""What happens with cards: shoes, the deal, baccarat's coup, blackjack's hands and the progressive on them."""

from typing import ClassVar, Literal

import msgspec

from events.tables.types.common import Seated, Table

Place = Literal["dealer", "box", "player", "banker"]
Level = Literal["mega", "major", "minor"]


class ShoeLoaded(Table, frozen=True, kw_only=True, omit_defaults=True):
    """A shuffled shoe of `packs` packs is at the table; `seal` where it came sealed.

    `prepared`: shuffled ahead in a set-apart place and sealed, or here at the table (001 2.1).
    """

    TYPE: ClassVar[str] = "shoe.loaded.v1"
    shoe: str
    packs: int
    seal: str | None = None
    prepared: Literal["ahead", "table"] = "table"


class CardsBurnt(Table, frozen=True, kw_only=True, omit_defaults=True):
    """A new shoe is opened: `card` face up, as many face down as it is worth (001 3.1.1)."""

    TYPE: ClassVar[str] = "cards.burnt.v1"
    card: str
    face_down: int


class ShoeRuled(Table, frozen=True, kw_only=True, omit_defaults=True):
    """The game manager's decision where bets were taken from a shoe that was not opened (001 3.3)."""

    TYPE: ClassVar[str] = "shoe.ruled.v1"
    ruling: Literal["new_cards", "free_round", "go_on"]


class CutCardReached(Table, frozen=True, kw_only=True, omit_defaults=True):
    """The cut card came: this round is finished, then the shoe is changed."""

    TYPE: ClassVar[str] = "cut_card.reached.v1"


class CardDealt(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A card lies face up: before the dealer, or in a hand of a box. `index` counts the round's cards from 1.

    `laid`: where it was laid by mistake before it came to its right place (001 4.3).
    """

    TYPE: ClassVar[str] = "card.dealt.v1"
    to: Place
    card: str
    index: int
    hand: int = 0
    laid: Place | None = None


class CardMisdealt(Table, frozen=True, kw_only=True, omit_defaults=True):
    """A card came out that had no place: it is put aside, and is not in the shoe any more."""

    TYPE: ClassVar[str] = "card.misdealt.v1"
    card: str
    to: Place
    box: int | None = None


class CardKept(Table, frozen=True, kw_only=True, omit_defaults=True):
    """A card too many came out: it is never burnt, and begins the next round (001 4.3)."""

    TYPE: ClassVar[str] = "card.kept.v1"
    card: str


class HandGiven(Table, frozen=True, kw_only=True, omit_defaults=True):
    """Who turns a side's cards: a player, or the dealer (001 5.1). `due_to` is whose right it was."""

    TYPE: ClassVar[str] = "hand.given.v1"
    side: Literal["player", "banker"]
    player: str
    due_to: str


class CoupEnded(Table, frozen=True, kw_only=True, omit_defaults=True):
    """Both hands are complete: the totals of the cards that were dealt (001 7.1)."""

    TYPE: ClassVar[str] = "coup.ended.v1"
    player_total: int
    banker_total: int
    winner: Literal["player", "banker", "tie"]
    natural: bool = False
    player_pair: bool = False
    banker_pair: bool = False


class NewStake(msgspec.Struct, frozen=True, kw_only=True):
    """What a bet would be after the reduction."""

    bet: str
    stake_minor: int


class ReductionAsked(Table, frozen=True, kw_only=True, omit_defaults=True):
    """The gap between the sides passes the maximum difference: these stakes would be inside it (001 6.1.2).

    Each of the heavier side is multiplied by `factor` ("n/d"), then rounded down to the minor unit.
    """

    TYPE: ClassVar[str] = "reduction.asked.v1"
    difference_minor: int
    limit_minor: int
    heavier: Literal["player", "banker"]
    factor: str
    stakes: tuple[NewStake, ...]


class PersonalLimitSet(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A player has an approved limit of his own; a marker lies at his place (001 9).

    `wager`: the kind of bet it is for (roulette: 002 §7b, by player and place); none at baccarat.
    """

    TYPE: ClassVar[str] = "personal_limit.set.v1"
    minimum_minor: int
    maximum_minor: int
    wager: str | None = None


class HandStood(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """The player takes no more cards."""

    TYPE: ClassVar[str] = "hand.stood.v1"
    hand: int


class HandDoubled(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A second stake (`amount_minor`) and exactly one more card (004 L79)."""

    TYPE: ClassVar[str] = "hand.doubled.v1"
    hand: int
    bet: str


class HandSplit(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """Two hands of one; `amount_minor` is the second stake (004 L83). The new hand stands right after the old one."""

    TYPE: ClassVar[str] = "hand.split.v1"
    hand: int
    bet: str
    new_bet: str


class InsuranceTaken(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A stake against the dealer's blackjack (004 L87)."""

    TYPE: ClassVar[str] = "insurance.taken.v1"
    bet: str


class ProgressiveStake(msgspec.Struct, frozen=True, kw_only=True):
    """One box's stake in an armed round."""

    box: int
    player: str
    stake_minor: int
    bet: str


class RightDeclined(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A player of the box declines its progressive bet for this round: the right is the next one's (004 L13)."""

    TYPE: ClassVar[str] = "right.declined.v1"


class ProgressiveArmed(Table, frozen=True, kw_only=True, omit_defaults=True):
    """The round's progressive stakes are registered, before a card is dealt (004 L15); they feed the meters."""

    TYPE: ClassVar[str] = "progressive.armed.v1"
    progressive: str
    bets: tuple[ProgressiveStake, ...]
    amount_minor: int


class DealCompleted(Table, frozen=True, kw_only=True, omit_defaults=True):
    """Every player has two cards: no more hits in this round."""

    TYPE: ClassVar[str] = "deal.completed.v1"
    progressive: str | None = None


class HitDeclared(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """The dealer declares a progressive hand; `hit` names it in the property."""

    TYPE: ClassVar[str] = "hit.declared.v1"
    progressive: str
    hit: str
    level: Level


class HitDeclaredLate(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A hit that was missed and found after the deal: a group of its own, at its own position."""

    TYPE: ClassVar[str] = "hit.declared_late.v1"
    progressive: str
    hit: str
    level: Level
    approvals: tuple[tuple[str, str], ...] = ()
