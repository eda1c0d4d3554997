"""Procedure of a round of Trilux blackjack: bets, deal, order of settlement (file 004, P.1-P.10 and L.).

Boxes are numbered from 1, from the dealer's left to his right: "left to right" is ascending.
"""

from events.error_codes import coded
from events.games.blackjack.rules import BlackjackRules, refused

DEALER = "dealer"


def deal_order(rules: BlackjackRules, boxes: int | list[int]) -> list[int | str]:
    """Return the receivers of the initial deal in order: each box, the dealer, each box again (P.4).

    `boxes` is the number of boxes, or the numbers of those with a bet. No second card for the dealer: no hole card.
    """
    taken = _boxes(rules, boxes)
    return [*taken, DEALER, *taken]


def bonus_settlement(rules: BlackjackRules, boxes: int | list[int]) -> list[int]:
    """The order in which Trilux bets, and after them fixed Blazing 7's pays, are settled: right to left (P.5)."""
    return _boxes(rules, boxes)[::-1]


def check_packs(rules: BlackjackRules, packs: int) -> None:
    """Raise Refused unless the shoe has four to six packs (P.1)."""
    least, most = rules.packs
    if not least <= packs <= most:
        raise refused("P.1", coded("packs-outside-range", least=least, most=most, packs=packs), "L9")


def check_bet_open(*, dealing_started: bool) -> None:
    """Raise Refused once the dealer has begun to deal (P.3)."""
    if dealing_started:
        raise refused("P.3", coded("dealing-has-begun"), "L17")


def check_side_bet(*, main_stake: int) -> None:
    """Raise Refused for a side bet on a box without the compulsory bet (P.2)."""
    if main_stake <= 0:
        raise refused("P.2", coded("compulsory-bet-first"), "L11")


def check_stake(stake: int, minimum: int, maximum: int | None = None) -> None:
    """Raise Refused for a main stake below the table's minimum or above its maximum (L.)."""
    if stake < max(1, minimum):
        raise refused("L.1", coded("stake-below-minimum", minimum=minimum, stake=stake), "L99")
    if maximum is not None and stake > maximum:
        raise refused("L.1", coded("stake-above-maximum", maximum=maximum, stake=stake), "L99")


def check_change(*, hand_over: bool) -> None:
    """Raise Refused for changing cash or chips while a hand is being played (P.9)."""
    if not hand_over:
        raise refused("P.9", coded("change-after-hand"), "L93")


def check_shoe(rules: BlackjackRules, cards: list[str]) -> None:
    """Raise Refused if a card occurs more often than in the largest shoe (P.1)."""
    seen: dict[str, int] = {}
    for card in cards:
        seen[card] = seen.get(card, 0) + 1
        if seen[card] > rules.packs[1]:
            raise refused("P.1", coded("card-lies-too-often", card=card, times=seen[card], packs=rules.packs[1]), "L9")


def _boxes(rules: BlackjackRules, boxes: int | list[int]) -> list[int]:
    numbers = list(range(1, min(boxes, rules.boxes + 1) + 1)) if isinstance(boxes, int) else sorted(boxes)
    if not numbers or numbers[0] < 1 or numbers[-1] > rules.boxes or len(set(numbers)) != len(numbers):
        raise refused("P.1", coded("box-unknown", boxes=rules.boxes), "L9")
    return numbers
