"""Joint outcomes are cached by decision. Another decision at the same address in memory never gets them."""

from collections.abc import Iterator

from events.luck.played_decisions_with_bet_results import PlayedDecision
from events.luck.win_against_theory import Weights, luck, weighed_results
from events.rules.bet_outcome_chance_structs import ChanceDecision, Risk

STAKES = range(1, 200)


def decisions() -> Iterator[PlayedDecision]:
    """Even bets of growing stakes, each gone from memory before the next one is made."""
    for stake in STAKES:
        risk = Risk(bet="b", wager="red", player="g", stake=stake, gains=(((-stake, 1),), ((stake, 1),)))
        decision = ChanceDecision(weights=(1, 1), risks=(risk,), case=0)
        yield PlayedDecision(
            table="T", game="g", pit="p", gaming_day="d", shift="s", dealer="d", decision=decision, won={"b": -stake}
        )


def test_what_is_kept_is_that_of_the_decision() -> None:
    weights = Weights()
    assert [weights.outcomes(decision, decision.decision.risks) for decision in decisions()] == [
        weighed_results(decision, decision.decision.risks) for decision in decisions()
    ]


def test_luck_is_the_same_with_and_without_what_is_kept() -> None:
    assert luck(decisions(), "table", Weights().outcomes) == luck(decisions(), "table")
