"""How long it takes to explain a hit and to certify it, in a store of many events, beside folding the whole life.

python -m tools.bench.jackpot_explanation_time [EVENTS]
"""

import contextlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from events.envelope import Meta, now
from events.integrity.award_certificate import certificate
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import Heads, open_heads
from events.progressives import due_lock_and_lapse_appending, history_reader
from events.progressives.award_report import award
from events.progressives.hit_amount_explanation import explain
from events.signing import house_signing_key
from events.store import Append, EventStore, NewEvent, open_store
from events.tables.event_types.progressive import DealCompleted, ProgressiveArmed, ProgressiveStake
from events.tables.event_types.rounds import BetPlaced, BetsClosed, RoundEnded, RoundOpened
from events.tables.event_types.session import TableEvent
from tests.support.houses.progressive_house import DAY, NAME, PROPERTY, Casino

EVENTS = 300_000
CYCLE = 20_000  # events from one Minor to the next
ROUNDS = 40  # of one table, in one append
TABLES = 12


def main(event_count: int) -> None:
    """Play, then print."""
    with tempfile.TemporaryDirectory() as folder, filled(Path(folder), event_count) as (store, heads, hits):
        hit = hits[len(hits) // 2]
        print(f"{store.position():,} events, {len(hits)} Minors, one of the middle: {hit}")
        timed("the whole life, folded", lambda _store: whole_life(store, hit), folder)
        timed("explain", lambda fresh: award(fresh, PROPERTY, hit), folder)
        timed("certificate", lambda fresh: certificate(fresh, heads, PROPERTY, hit), folder)


def timed(what: str, work: Callable[[EventStore], object], folder: str) -> None:
    """Print the best of three times, each on a store that was just opened and knows nothing yet."""
    times = []
    for _ in range(3):
        with contextlib.closing(open_store(f"sqlite:///{folder}/events.sqlite3")) as fresh:
            begun = time.perf_counter()
            work(fresh)
            times.append(time.perf_counter() - begun)
    print(f"{what:<24} {1_000 * min(times):8,.0f} ms")


def whole_life(store: EventStore, hit: str) -> None:
    """Read and fold everything without a snapshot."""
    facts = (fact for _, fact in history_reader.facts(store, PROPERTY, NAME))
    explain(history_reader.start(store, PROPERTY, NAME), facts, hit)


@contextlib.contextmanager
def filled(folder: Path, event_count: int) -> Iterator[tuple[EventStore, Heads, list[str]]]:
    """A store with so many events of twelve tables, a Minor every `CYCLE` of them, snapshots and heads."""
    url = f"sqlite:///{folder / 'events.sqlite3'}"
    casino = Casino(open_store(url))
    store, heads, by = casino.store, open_heads(url), house_signing_key.signer(folder)
    hits: list[str] = []
    for number in range(sys.maxsize):
        table = f"BJ{number % TABLES}"
        stream = f"{PROPERTY}/tables/{table}/{DAY}"
        first = number // TABLES * ROUNDS + 1
        meta = Meta(time=now(), actor="dora", actorrole="dealer")
        events = [NewEvent(event, meta) for at in range(first, first + ROUNDS) for event in played(table, at)]
        store.append([Append(stream, store.head(stream), events)])
        due_lock_and_lapse_appending.reconcile(store, PROPERTY, NAME)
        if store.position() > (len(hits) + 1) * CYCLE:
            hits += casino.play("BJ99", hits=((1, "minor"),))
            casino.reconcile()
            make_head(store, heads, PROPERTY, by)
        if store.position() >= event_count:
            break
    make_head(store, heads, PROPERTY, by)
    yield store, heads, hits
    heads.close()
    casino.close()


def played(table: str, number: int) -> Iterator[TableEvent]:
    """A round with six players, of whom three are in the progressive: 23 events."""
    where: dict[str, Any] = {"pit": "A", "table": table, "gaming_day": DAY, "shift": "day", "ruleset": "bj"}
    where |= {"round": number, "dealer": "dora"}
    stakes = tuple(
        ProgressiveStake(box=box, player=f"g-{box}", stake_minor=stake, bet=f"p{number}-{box}")
        for box, stake in ((1, 500), (2, 1_000), (3, 500))
    )
    yield RoundOpened(**where)
    for wager in ("main", "trilux", "insurance"):
        for box in range(1, 7):
            bet = f"{wager}{number}-{box}"
            yield BetPlaced(**where, box=box, player=f"g-{box}", bet=bet, wager=wager, amount_minor=1_000)
    yield BetsClosed(**where)
    yield ProgressiveArmed(**where, progressive=NAME, bets=stakes, amount_minor=2_000)
    yield DealCompleted(**where, progressive=NAME)
    yield RoundEnded(**where, progressive=NAME)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS)
