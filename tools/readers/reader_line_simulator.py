"""A simulator: lines as a card shoe, a wheel or a dice reader sends them, the same for the same seed."""

import random
from collections.abc import Iterator

RANKS, SUITS = "23456789TJQKA", "CDHS"
PACKS = 6


def lines(kind: str, seed: int) -> Iterator[str]:
    """Yield lines of a reader without end. `kind`: card, number or dice."""
    chance = random.Random(seed)  # noqa: S311 - a simulated game
    while True:
        if kind == "card":
            shoe = [f"card {rank}{suit}" for rank in RANKS for suit in SUITS] * PACKS
            chance.shuffle(shoe)
            yield from shoe
        elif kind == "number":
            yield f"number {chance.randint(0, 36)}"
        else:
            yield f"dice {chance.randint(1, 6)} {chance.randint(1, 6)}"
