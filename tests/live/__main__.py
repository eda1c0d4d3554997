"""Play many cases at live tables: generated ones, or those on standard input."""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from tests.live.generate import cases
from tests.live.playing_and_comparing_cases import PlayedCases, close_tables, house, play


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    parser = argparse.ArgumentParser(prog="python -m tests.live", description=__doc__)
    parser.add_argument("--cases", type=int, default=5_000, help="how many to make (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="from which seed (default: %(default)s)")
    parser.add_argument("--unit", type=int, default=100, help="minor units to a case's unit (default: %(default)s)")
    parser.add_argument("--only", default="", help='some of them: part of "RULESET:KIND"')
    parser.add_argument(
        "--stdin", action="store_true", help="play the cases on standard input instead, a JSON line each"
    )
    options = parser.parse_args()
    chosen = _lines() if options.stdin else cases(options.seed, options.cases, options.only)
    started = time.monotonic()
    with house() as floor:
        played = play(floor, chosen, options.unit)
        won = close_tables(floor)
        events = floor.house.store.position()
    _report(played)
    print(f"{len(won)} trays agree; {events} events, {time.monotonic() - started:.0f} s")
    return 1 if played.failures else 0


def _lines() -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in sys.stdin if line.strip())


def _report(played: PlayedCases) -> None:
    for failure in played.failures:
        print(failure)
    for name in sorted(played.agree | played.unreachable):
        agree, refused, no_table = played.agree[name], played.refused[name], played.unreachable[name]
        print(f"{':'.join(name):36} {agree:6} agree, {refused:5} of them refused by both; {no_table} at no table")
    print(f"{sum(played.agree.values())} agree, {len(played.failures)} differ")


if __name__ == "__main__":
    sys.exit(main())
