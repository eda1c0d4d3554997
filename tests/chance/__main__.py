"""Compare theoretical win and variance with many simulated rounds of each game: `python -m tests.chance`."""

import argparse
import sys
import time

from tests.chance.random_rounds_by_game import GAMES
from tests.chance.win_against_theory import held

FAR = 4.5  # standard errors: once in a hundred thousand times by chance


def main() -> int:
    """Exit code 1 where a game is off."""
    parser = argparse.ArgumentParser(prog="python -m tests.chance", description="hold luck against seeded play")
    parser.add_argument("--rounds", type=int, default=1_000_000, help="of each game (default: a million)")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--game", choices=GAMES, action="append", help="only this one; may be said again")
    options = parser.parse_args()
    is_off = False
    for game in options.game or GAMES:
        began = time.perf_counter()
        result = held(game, options.rounds, options.seed)
        is_off |= max(abs(result.sum_off), abs(result.spread_off)) > FAR
        summary = f"won {result.won:,.0f}, theory {result.theory:,.0f}"
        off = f"off by {result.sum_off:+.2f} standard errors, its spread by {result.spread_off:+.2f}"
        print(f"{game:10} {result.rounds:,} rounds: {summary}; {off} ({time.perf_counter() - began:.0f} s)", flush=True)
    return int(is_off)


if __name__ == "__main__":
    sys.exit(main())
