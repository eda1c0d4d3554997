"""The Trilux bonus bet (file 004): the player's first two cards and the dealer's first as a three-card hand.

Settled before play, from right to left, for every blackjack hand (P.5, BJ-13).
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from events.error_codes import coded
from events.games.blackjack.rules import BlackjackRules, refused

Class: TypeAlias = Literal["royal", "straight_flush", "three_of_a_kind", "straight", "flush", "none"]

CLASSES: tuple[Class, ...] = ("royal", "straight_flush", "three_of_a_kind", "straight", "flush", "none")
_RUNS = {frozenset(run) for run in ("A23", "QKA", *("23456789TJQK"[i : i + 3] for i in range(10)))}
_ROYAL = frozenset("QKA")


def trilux_class(player: Sequence[str], dealer: str) -> Class:
    """Return the best line of the table that the three cards make (B.5). Raises Refused unless `player` has two cards.

    A-2-3 and Q-K-A are runs, K-A-2 is not (BJ-10). A run of one suit is never a mere straight or flush (BJ-9, BJ-12).
    Three identical cards are three of a kind, the higher line (BJ-11).
    """
    if len(player) != 2:
        raise refused("B.5", coded("trilux-needs-three-cards"), "L21")
    ranks = frozenset((player[0][0], player[1][0], dealer[0]))
    suited = player[0][1] == player[1][1] == dealer[1]
    if ranks in _RUNS:
        if not suited:
            return "straight"
        return "royal" if ranks == _ROYAL else "straight_flush"
    if len(ranks) == 1:
        return "three_of_a_kind"
    return "flush" if suited else "none"


def settle_trilux(rules: BlackjackRules, hand: Class, stake: int) -> int:
    """Profit of `stake` on this class of hand, N to 1; a hand of no class loses the stake (B.5)."""
    multiple = rules.trilux_pays.get(hand)
    return -stake if multiple is None else multiple * stake


def limits_valid(rules: BlackjackRules, minimum: int, maximum: int) -> bool:
    """Return whether the casino may post these limits: the maximum at least the minimum and at most 50 times it
    (L.).
    """
    return 0 < minimum <= maximum <= rules.trilux_multiple * minimum


def check_posted(rules: BlackjackRules, minimum: int, maximum: int) -> None:
    """Raise Refused for limits that the casino may not post (L.)."""
    if not limits_valid(rules, minimum, maximum):
        raise refused("L.1", coded("trilux-maximum-too-high", multiple=rules.trilux_multiple), "L101")


def check_stake(rules: BlackjackRules, stake: int, minimum: int, maximum: int) -> None:
    """Raise Refused for posted limits that may not be, or a stake outside of them (L.)."""
    check_posted(rules, minimum, maximum)
    if not minimum <= stake <= maximum:
        raise refused(
            "L.1", coded("trilux-stake-outside-limits", minimum=minimum, maximum=maximum, stake=stake), "L101"
        )
