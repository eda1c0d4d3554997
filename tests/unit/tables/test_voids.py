"""A void takes back the settlements, but not the player's changes to a bet that stayed on the layout."""

from typing import Any

import pytest

from tests.support.tables.in_memory_tables import TableInMemory, craps_table


@pytest.fixture
def won() -> TableInMemory:
    """A place bet on 6 has won in this round, and stays up; its winnings are not paid."""
    table = craps_table("craps-by")
    table.ask("bet.place", bet="line", wager="pass", amount_minor=1_000, player="Ann", seat=1)
    table.ask("dice.offer").ask("dice.roll", dice=[2, 2])
    place: dict[str, Any] = {"bet": "six", "wager": "place", "number": 6, "after_win": "stay"}
    table.ask("bet.place", **place, amount_minor=1_200, player="Bob", seat=2)
    table.ask("dice.offer").ask("dice.roll", dice=[3, 3])
    assert table.settled("six").remaining_minor == 1_200
    return table


def void(table: TableInMemory) -> TableInMemory:
    table.approved("round.void", round=table.state.round, reason="a misdeal")
    table.chips_are_conserved()
    table.replays()
    return table


def test_a_bet_that_won_and_stays_goes_back_once(won: TableInMemory) -> None:
    void(won)
    assert (won.players["Bob"], won.state.bets, won.state.due) == (0, {}, {})


def test_a_bet_taken_back_after_its_win_does_not_lie_again(won: TableInMemory) -> None:
    won.ask("bet.withdraw", bet="six")
    void(won)
    assert (won.players["Bob"], won.state.bets) == (0, {})


def test_a_bet_raised_after_its_win_goes_back_with_its_whole_stake(won: TableInMemory) -> None:
    won.fact("bet.restake", bet="six", amount_minor=2_400, irregular="craps-by P.14")
    void(won)
    assert (won.players["Bob"], won.settled("six").returned_minor) == (0, 2_400)
