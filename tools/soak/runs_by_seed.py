"""Evenings one after the other, each by its seed; one that fails is printed with its seed, and kept."""

import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

FOR_EVER = Path(__file__).parent / "seeds.txt"
FAILED = Path(__file__).parents[2] / "var" / "soak" / "failed-seeds"
SERVERS = "on-servers"  # a seed whose evening is to be on servers has this word on its line


class PlayEvening(Protocol):
    """Play the evening of a seed, with or without servers of its own; return the counts of its faults."""

    def __call__(self, seed: int, /, *, servers: bool) -> Counter[str]: ...


def run(
    seeds: Iterable[int], play: PlayEvening, seconds: float, *, servers: bool = False
) -> tuple[Counter[str], list[int]]:
    """Run as many seeds as fit into the seconds, at least one; return the counts of faults, and the failed seeds."""
    fault_counts, failed, until = Counter[str](), list[int](), time.monotonic() + seconds
    for seed in seeds:
        began = time.monotonic()
        try:
            counts = play(seed, servers=servers)
            fault_counts += counts
            print(f"seed {seed}: held, {counts_in_words(counts)}, in {time.monotonic() - began:.0f} s", flush=True)
        except Exception:
            traceback.print_exc()
            failed.append(seed)
            keep(seed, servers=servers)
        fault_counts["evenings"] += 1
        if time.monotonic() > until:
            break
    return fault_counts, failed


def counts_in_words(fault_counts: Counter[str]) -> str:
    """Return the counts of faults in words."""
    return ", ".join(f"{count:,} {what}" for what, count in sorted(fault_counts.items()))


def keep(seed: int, *, servers: bool = False) -> None:
    """Print the seed and write it down, to be played by every run of the tests."""
    again = f"./manage.py soak --running --seed {seed}{' --servers' if servers else ''}"
    print(f"the evening of seed {seed} failed; again by: {again}", file=sys.stderr)
    if (seed, servers) not in failed_seeds():
        FAILED.parent.mkdir(parents=True, exist_ok=True)
        with FAILED.open("a") as file:
            file.write(f"{seed} {SERVERS}\n" if servers else f"{seed}\n")


def failed_seeds() -> list[tuple[int, bool]]:
    """Seeds that failed once, each with whether on servers: those of this checkout, and those that every one plays."""
    lines = [line.split() for path in (FOR_EVER, FAILED) if path.exists() for line in path.read_text().splitlines()]
    return sorted({(int(words[0]), SERVERS in words) for words in lines if words})
