"""Cases of every kind that is played at a table, made from a seed: lawful ones, edges, and what must be refused."""

from collections.abc import Iterator
from random import Random
from typing import Any

from tests.live.generate import baccarat, blackjack, craps, roulette

Case = dict[str, Any]

MAKERS = {
    **craps.MAKERS,
    **roulette.MAKERS,
    **baccarat.MAKERS,
    **blackjack.MAKERS,
}
# How many of a kind come to one of the others: kinds with much to go wrong come often.
OFTEN = {"rolls": 8, "session": 8, "round": 8, "spin": 5, "en_prison": 4}


def cases(seed: int, count: int, only: str = "") -> Iterator[Case]:
    """Yield `count` cases, always the same for a seed."""
    random = Random(seed)
    names = [name for name in MAKERS if only in ":".join(name)]
    weights = [OFTEN.get(kind, 1) for _, kind in names]
    for number in range(count):
        ruleset, kind = random.choices(names, weights)[0]
        inputs = {"kind": kind, **MAKERS[ruleset, kind](random)}
        yield {"id": f"{ruleset}-{kind}-{seed}-{number}", "ruleset": ruleset, "given": inputs}
