"""The whole table of play, beside pybaccarat, which is dealt the same cards.

It knows no bets, so money is not compared. No difference is known: both read the table of play by BAC-1, and burn by
BAC-9.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement, cycle, product
from typing import Any

import pytest

from events.games.baccarat import rules as baccarat
from events.games.baccarat import table_procedure_and_limit_rules
from events.rules.cards import PACK, RANKS

pytestmark = pytest.mark.peers

Cards = tuple[str, ...]
# What a coup comes to: Player's and Banker's cards, the winner, and whether a natural ended the dealing.
Coup = tuple[Cards, Cards, str, bool]

COUPS = 103_411  # what `shoes` comes to
_WINNERS = {"P": "player", "B": "banker", "T": "tie"}
_TENS = cycle("TJQK")
_SUITS = cycle("CDHS")


class Shoe:
    """Their shoe with our cards. It records the number of dealt cards, and its cut card comes in the first coup."""

    def __init__(self, cards: Sequence[str]) -> None:
        self.cards = cards
        self.dealt = 0

    def deal(self) -> Any:
        self.dealt += 1
        return their_card(self.cards[self.dealt - 1])

    def cut_card_seen(self) -> bool:
        return True

    def reset(self) -> None:
        """The cards lie as they were given."""

    def shuffle(self) -> None:
        """Leave the cards in their order."""

    def set_cut_card(self, position: int) -> None:
        """Do nothing: the cut card comes in the first coup in any case."""


@cache
def their_card(card: str) -> Any:
    from pybaccarat.playingcards import Card

    return Card(RANKS.index(card[0]) + 1, card[1].lower())


@cache
def their_hands() -> Any:
    """Return pybaccarat's class of hands. It compares by `__cmp__`, as in Python 2, so Python 3 needs the operators."""
    from pybaccarat.baccarat import Hand

    compare = {
        "__lt__": lambda left, right: left.__cmp__(right) < 0,
        "__gt__": lambda left, right: left.__cmp__(right) > 0,
    }
    return type("Hand", (Hand,), compare)


def card_codes(hand: Any) -> Cards:
    return tuple(str(card).upper() for place in range(3) if (card := hand.get_card(place)) is not None)


def peer_coup(cards: Sequence[str]) -> Coup:
    from pybaccarat.baccarat import Game

    player, banker = their_hands()(), their_hands()()
    winner, _, _ = Game(Shoe(cards), player, banker).play_hand()
    return card_codes(player), card_codes(banker), _WINNERS[winner], player.is_natural() or banker.is_natural()


def own_coup(cards: Sequence[str]) -> Coup:
    hands = baccarat.deal(cards)
    end = baccarat.coup(hands.player, hands.banker)
    return hands.player, hands.banker, end.winner, end.natural


def card(points: int) -> str:
    """Return a card with this number of points, the tens and the suits in turn."""
    return (RANKS[points - 1] if points else next(_TENS)) + next(_SUITS)


def shoes() -> Iterator[list[str]]:
    """Every two first cards of each side, by points, and after them every card that pybaccarat draws."""
    pairs = list(combinations_with_replacement(range(10), 2))
    for player, banker in product(pairs, pairs):
        opening = [card(points) for points in (player[0], banker[0], player[1], banker[1])]
        for fifth in range(10):
            cards = [*opening, card(fifth), card(0)]
            drawn = drawn_by_them(cards)
            yield from ([*cards[:5], card(sixth)] for sixth in range(10 if drawn == 2 else 1))
            if not drawn:
                break


def drawn_by_them(cards: Sequence[str]) -> int:
    player, banker, _, _ = peer_coup(cards)
    return len(player) + len(banker) - 4


def test_every_coup_is_dealt_and_won_as_with_pybaccarat() -> None:
    tried = list(shoes())
    for cards in tried:
        assert own_coup(cards) == peer_coup(cards), cards
    assert len(tried) == COUPS


def test_every_card_is_worth_the_same() -> None:
    from pybaccarat.baccarat import Hand

    for name in PACK:
        hand = Hand()
        hand.add(Shoe([name]).deal())
        assert baccarat.points(name) == hand.value(), name


@pytest.mark.parametrize("rank", RANKS)
def test_as_many_cards_are_burnt(rank: str, capsys: pytest.CaptureFixture[str]) -> None:
    from pybaccarat.baccarat import Game

    first = f"{rank}S"
    shoe, player, banker = Shoe([first, *PACK]), their_hands()(), their_hands()()
    Game(shoe, player, banker).play()
    assert capsys.readouterr().out.startswith(f"burn({rank}s)")
    assert table_procedure_and_limit_rules.burn(first).total == shoe.dealt - len(card_codes(player)) - len(
        card_codes(banker)
    )
