"""How fast `verify` recomputes a store: events a second of CPU time on one core, and what its parts cost.

python -m tools.bench.verify_command_speed --events 100000
"""

import argparse
import contextlib
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from time import process_time

import tests.support.clocks.night_clock  # noqa: F401 - its clock
from events.desk.desk import Desk
from events.integrity.audit import audit
from events.runtime.garbage_collection import seldom_collected
from events.store import EventStore, everything, open_store
from events.store.stream_chain_verification import decode_frame
from tools.bench import generated_roulette_actions

TURNS = 3


def microseconds(work: Callable[[], object], events: int) -> float:
    """An event's share of the CPU time, of the best of some turns."""
    best = float("inf")
    for _ in range(TURNS):
        began = process_time()
        work()
        best = min(best, process_time() - began)
    return best * 1e6 / events


def measure(store: EventStore) -> dict[str, float]:
    """By part, in microseconds of CPU time an event."""
    raws = [stored_event.raw for stored_event in everything(store, batch=5_000)]
    count = len(raws)
    return {
        "all of it": microseconds(lambda: audit(store, generated_roulette_actions.PROPERTY, []), count),
        "reading": microseconds(lambda: sum(1 for _ in everything(store, batch=5_000)), count),
        "hashing the bytes": microseconds(lambda: [sha256(raw).digest() for raw in raws], count),
        "decoding envelopes": microseconds(lambda: [decode_frame(raw) for raw in raws], count),
    }


def main() -> None:
    """Play, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{Path(folder) / 'events.sqlite3'}")
        store.create()
        with contextlib.closing(Desk(store, generated_roulette_actions.PROPERTY)) as desk:
            count = generated_roulette_actions.fill(
                desk, generated_roulette_actions.furnish(desk, generated_roulette_actions.names("R", 8)), options.events
            )
        with seldom_collected():
            figures = measure(store)
        store.close()
    for part, cost in figures.items():
        print(f"{part:20} {cost:6.2f} us an event")
    print(f"{count:,} events, {1e6 / figures['all of it']:,.0f} a second of CPU time on one core")


if __name__ == "__main__":
    main()
