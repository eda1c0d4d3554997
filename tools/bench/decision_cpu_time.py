"""CPU time of the desk's writer for a decided event and for a refused action, without waiting.

python -m tools.bench.decision_cpu_time [--pairs 5] [--refusals] [--profile] [--beside FOLDER]

Rounds have thirty actions, twenty in the queue, into a store in memory. Refusals are sent alone and sixteen together,
with a store on PostgreSQL (PITLEDGER_STORE, a spare one). `--beside` takes turns with the code of another folder. Each
side is a process, with 40 turns of some milliseconds, A B A B, then another pair of processes. The ratio is the pairs'
median.
"""

import argparse
import contextlib
import cProfile
import json
import os
import pstats
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from time import thread_time

import tests.support.clocks.night_clock  # noqa: F401 - its clock
from events.desk.command_and_answer_structs import Command, Reply
from events.desk.desk import Desk
from events.store import EventStore, open_store
from events.store.in_memory_store import MemoryStore
from tools.bench import generated_roulette_actions

QUEUED = 20
TOGETHER = 16
REFUSED = 32
TURNS = 40
Turn = Callable[[], float]  # gives microseconds of CPU time
Times = dict[str, float]  # by work


def served(desk: Desk, commands: list[Command]) -> float:
    """By the caller's thread, as the writer would; how long it took."""
    submissions = [(command, Future[list[Reply]]()) for command in commands]
    began = thread_time()
    desk.serve(submissions)
    return (thread_time() - began) * 1e6


def deciding() -> Turn:
    """A turn is some rounds: the time of an event."""
    desk = Desk(MemoryStore(), generated_roulette_actions.PROPERTY)
    rounds = cycle(
        [table.rounds() for table in generated_roulette_actions.furnish(desk, generated_roulette_actions.names("R", 8))]
    )
    desk.close()
    return lambda: (
        served(desk, [next(each) for each in islice(rounds, QUEUED)])
        / (QUEUED * generated_roulette_actions.EVENTS_A_ROUND)
    )


def refusing(store: EventStore, together: int) -> Turn:
    """A turn is some actions that the role forbids: the time of one."""
    desk = Desk(store, generated_roulette_actions.PROPERTY)
    [table] = generated_roulette_actions.furnish(
        desk, generated_roulette_actions.names(f"R{os.getpid()}-{together}-", 1)
    )
    desk.close()

    def turn() -> float:
        spent = 0.0
        for _ in range(REFUSED // together):
            spent += served(
                desk,
                [table.command([table.act("round.open")], generated_roulette_actions.AUDITOR) for _ in range(together)],
            )
        return spent / REFUSED

    return turn


def works(*, refusals: bool) -> dict[str, Turn]:
    """Return the measured work by name."""
    figures = {"an event, rounds of 30 actions": deciding()}
    if refusals:
        store = open_store(os.environ["PITLEDGER_STORE"])
        store.create()
        figures["a refusal, alone"] = refusing(store, 1)
        figures[f"a refusal, {TOGETHER} together"] = refusing(store, TOGETHER)
    return figures


def one_side(turns: dict[str, Turn]) -> None:
    """A turn of each for every line that comes."""
    print("ready", flush=True)
    for _ in sys.stdin:
        print(json.dumps({work: turn() for work, turn in turns.items()}), flush=True)


def pair(folders: list[Path], options: list[str]) -> list[Times]:
    """The medians of each folder's code, in turns."""
    with contextlib.ExitStack() as stack:
        sides = [stack.enter_context(_started(folder, options)) for folder in folders]
        figures: list[list[Times]] = [[] for _ in sides]
        for _ in range(TURNS):
            for side, times in zip(sides, figures, strict=True):
                times.append(json.loads(_next_line(side)))
    return [{work: median([turn[work] for turn in times]) for work in times[0]} for times in figures]


@contextlib.contextmanager
def _started(folder: Path, options: list[str]) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-P", __file__, "--side", *options]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    with subprocess.Popen(
        command, env=environment, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        assert process.stdin is not None
        process.stdin.close()


def _next_line(side: "subprocess.Popen[str]") -> str:
    assert side.stdin is not None
    assert side.stdout is not None
    side.stdin.write("\n")
    side.stdin.flush()
    return side.stdout.readline()


def tell(pairs: list[list[Times]]) -> None:
    """Medians, and the last folder's beside the first's."""
    for work in pairs[0][0]:
        times = [median([sides[side][work] for sides in pairs]) for side in range(len(pairs[0]))]
        ratios = [sides[-1][work] / sides[0][work] for sides in pairs]
        times_text = ", ".join(f"{time:,.1f}" for time in times)
        print(f"{work:32} {times_text} us; {', '.join(f'{ratio:.2f}' for ratio in ratios)}; ratio {median(ratios):.2f}")


def profiled(turn: Turn) -> None:
    """Where the time goes."""
    with cProfile.Profile() as profile:
        for _ in range(8):
            turn()
    pstats.Stats(profile).sort_stats("tottime").print_stats(60)


def main() -> None:
    """Measure, and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--refusals", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--beside", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--side", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.profile:
        profiled(deciding())
    elif options.side:
        one_side(works(refusals=options.refusals))
    else:
        folders = [*options.beside, Path(__file__).parents[2]]
        tell([pair(folders, ["--refusals"] if options.refusals else []) for _ in range(options.pairs)])


if __name__ == "__main__":
    main()
