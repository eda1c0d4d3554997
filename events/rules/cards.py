"""Cards as two letters, rank then suit: "7D" is the seven of diamonds, "TS" the ten of spades."""

from events.error_codes import coded
from events.errors import Invalid

RANKS = "A23456789TJQK"
SUITS = "CDHS"
RED = frozenset("DH")

PACK: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
_CARDS = frozenset(PACK)
_SIGNS = str.maketrans(dict(zip(SUITS, "♣♦♥♠", strict=True)))


def check(card: object, field: str = "card") -> str:
    """The card itself, if it is one. Raises Invalid otherwise."""
    if isinstance(card, str) and card in _CARDS:
        return card
    raise Invalid(field, coded("card-unknown", card=str(card), ranks=RANKS, suits=SUITS))


def check_all(cards: object, field: str = "cards") -> tuple[str, ...]:
    """A tuple of checked cards from a JSON list."""
    if not isinstance(cards, list | tuple):
        raise Invalid(field, coded("cards-needed"))
    return tuple(check(card, f"{field}[{i}]") for i, card in enumerate(cards))


def card_text(card: str) -> str:
    """A card as people read it: "10♠"."""
    return card[0].replace("T", "10") + card[1].translate(_SIGNS)


def packs(count: int) -> list[str]:
    """`count` packs of 52 in a fixed order (an unshuffled shoe)."""
    return list(PACK) * count
