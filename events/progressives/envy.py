"""Envy: the bonus of the others in a winner's round (004 L53). Pure; `settle` and the house run the same functions."""

from collections.abc import Callable, Iterable, Iterator, Mapping


def best(bets: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Each player's highest of (player, stake), in the order of the bets: envy is by that one alone (BLZ-15)."""
    by_player: dict[str, int] = {}
    for player, stake in bets:
        by_player[player] = max(stake, by_player.get(player, stake))
    return by_player


def due_envy(
    taking_part: Mapping[str, int], winner: str, amount: Callable[[int], int], *, to_winner: bool
) -> Iterator[tuple[str, int]]:
    """Yield (player, minor units) for one hit, by each player's stake; the winner only if that is agreed (BLZ-6)."""
    for player, stake in taking_part.items():
        minor = amount(stake)
        if minor and (player != winner or to_winner):
            yield player, minor
