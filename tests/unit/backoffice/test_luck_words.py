"""The words of actual vs theoretical: a probability with its side, and the bound of its error."""

from typing import Any

import pytest

from backoffice.days.luck.luck_tags import chance, reckoned
from events.luck.tails import LuckTails
from events.luck.win_against_theory import Luck


def line(tail: LuckTails, basis: Any) -> Luck:
    sums: dict[str, Any] = {
        "decisions": 1,
        "bets": 1,
        "handle_minor": 1,
        "win_minor": 0,
        "theory_micro": 0,
        "variance_minor2": 1.0,
    }
    return Luck(name="R1", deviation_minor=1.0, tail=tail, basis=basis, **sums)


@pytest.mark.parametrize(
    ("at_most", "at_least", "words"),
    [
        (0.98765, 0.012346, "1.23 % for this win or more"),
        (0.25, 0.9, "25 % for this win or less"),
        (1e-9, 1.0, "under 0.0001 % for this win or less"),
    ],
)
def test_a_chance_is_that_of_its_own_side(at_most: float, at_least: float, words: str) -> None:
    assert chance(LuckTails(at_most=at_most, at_least=at_least, how="exact")).replace("\u00a0", " ") == words


@pytest.mark.parametrize(
    ("basis", "error", "words"),
    [
        ("exact", 0.0, "exact"),
        ("exact", 0.00279, "to 0.28 %"),
        ("exact", 1e-9, "to 0.0001 %"),
        ("throw by throw", 0.01, "round by round, to 1 %"),
    ],
)
def test_what_is_not_counted_says_how_far_off_it_may_be(basis: str, error: float, words: str) -> None:
    tail = LuckTails(at_most=0.5, at_least=0.5, how="saddle point" if error else "exact", error=error)
    assert reckoned(line(tail, basis)).replace("\u00a0", " ") == words
