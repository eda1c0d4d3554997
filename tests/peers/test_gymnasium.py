"""Every hand of the player and of the dealer, beside gymnasium's Blackjack. A clause explains each difference.

The environment deals by itself, so the test supplies the cards of both in the order of its requests. It can only hit
and stick.
"""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import cycle, product
from typing import Any

import pytest

from events.games.blackjack import rules as blackjack
from events.games.blackjack.rules import BlackjackHand

pytestmark = pytest.mark.peers

STAKE = 10
ROUNDS = 63_962  # 54,433 hands of the dealer, 9,389 bust hands of the player, 20 kinds against 7
Values = tuple[int, ...]  # of cards: ace 1, faces 10

# (what the player has, what the dealer has): why, and the clause. Every other two hands are settled alike.
EXPLAINED = {
    ("blackjack", "21"): "P.6: a blackjack beats three or more cards worth 21; gymnasium compares totals, a stand-off",
    ("21", "blackjack"): "P.6, B.1: the same the other way round; gymnasium: a stand-off",
}


class Cards:
    """Their chance: hands out these cards; their choice of a suit to be shown is of no interest."""

    def __init__(self, values: Sequence[int]) -> None:
        self.values = deque(values)

    def choice(self, options: Sequence[Any]) -> Any:
        return options[0] if isinstance(options[0], str) else self.values.popleft()


@cache
def their_table() -> Any:
    from gymnasium.envs.toy_text.blackjack import BlackjackEnv

    return BlackjackEnv(natural=True)


def card(value: int) -> str:
    return "A23456789T"[value - 1] + "S"


@cache
def hand(values: Values) -> BlackjackHand:
    return BlackjackHand(tuple(card(value) for value in values), STAKE)


@cache
def kind(values: Values) -> str:
    """Return the kind of a hand, as far as the differences need it."""
    cards = hand(values).cards
    if blackjack.is_blackjack(cards):
        return "blackjack"
    return "bust" if blackjack.is_bust(cards) else str(blackjack.total(cards)[0])


def players() -> list[Values]:
    """Every hand, by its cards' values in any order, that can be reached by hitting on less than 21."""
    rules = blackjack.rules()
    hands: dict[Values, Values] = {}
    waiting: deque[Values] = deque(product(range(1, 11), repeat=2))
    while waiting:
        values = waiting.popleft()
        if tuple(sorted(values)) not in hands:
            hands[tuple(sorted(values))] = values
            if "hit" in blackjack.legal_actions(rules, hand(values), 0):
                waiting.extend((*values, value) for value in range(1, 11))
    return list(hands.values())


def dealers(values: Values = ()) -> Iterator[Values]:
    """Every hand of the dealer, in the order of its cards, by our rule of drawing."""
    if len(values) >= 2 and not blackjack.dealer_draws(blackjack.rules(), hand(values).cards):
        yield values
    else:
        for value in range(1, 11):
            yield from dealers((*values, value))


def own_win(player: Values, dealer: Values) -> Fraction:
    return Fraction(blackjack.settle_hand(blackjack.rules(), hand(player), hand(dealer).cards)[1])


def peer_win(player: Values, dealer: Values) -> Fraction:
    """Return the player's win with gymnasium. Check that every total equals ours, and that all cards are used."""
    table = their_table()
    table.np_random = Cards([*dealer[:2], *player, *dealer[2:]])
    seen, _ = table.reset()
    reward, over = 0.0, False
    for number in range(2, len(player) + 1):
        if number > 2:
            seen, reward, over, _, _ = table.step(1)
        assert (seen[0], bool(seen[2])) == blackjack.total(hand(player[:number]).cards)
    if not over:
        seen, reward, over, _, _ = table.step(0)
        assert not table.np_random.values
    return Fraction(reward) * STAKE


def rounds() -> Iterator[tuple[Values, Values]]:
    """Yield each hand of the dealer with a standing hand, each bust hand, then every kind against every kind."""
    of_player, of_dealer = players(), list(dealers())
    standing = [values for values in of_player if kind(values) != "bust"]
    yield from zip(cycle(standing), of_dealer, strict=False)
    yield from ((values, of_dealer[0]) for values in of_player if kind(values) == "bust")
    yield from product({kind(p): p for p in of_player}.values(), {kind(d): d for d in of_dealer}.values())


def test_every_difference_from_gymnasium_is_explained_by_a_clause() -> None:
    counts = Counter(
        (kind(player), kind(dealer), own_win(player, dealer) == peer_win(player, dealer)) for player, dealer in rounds()
    )
    assert {(player, dealer) for player, dealer, same in counts if not same} == set(EXPLAINED)
    assert not {(player, dealer) for player, dealer, same in counts if same} & set(EXPLAINED)
    assert counts.total() == ROUNDS
