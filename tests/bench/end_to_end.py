"""The whole way, each part a process: desk and deciders, store, relay, Apache Kafka, projector with the event log."""

import select
import subprocess
import time
from bisect import bisect_left
from collections.abc import Sequence

import msgspec
import psycopg

from projections.registry import PROJECTORS
from tests.bench import peer_projection, writer
from tests.bench.measure import Options, in_turn, percentile
from tests.bench.parts import House, Parts, child, said
from tests.bench.report import Line

TABLES = 40
RATE = 5_000
OURS_A_SECOND, PEERS_A_SECOND = 10_000, 800  # so many events are written for each second of a turn
WARM_S = 1.0  # of an offered rate, not counted
POLL_S = 0.002
CAUGHT_UP_S = 300.0
READ = "SELECT COALESCE(min(position), 0) FROM projections_reader HAVING count(*) = {}"
TRACKED = "SELECT COALESCE(max(notification_id), 0) FROM counts_tracking"


def measure(options: Options, parts: Parts) -> list[Line]:
    """Throughput when saturated, against ProjectionRunner; latency at 5,000 events a second."""
    with parts.house() as house, parts.database() as theirs:
        turns = _Turns(options, house, theirs)
        turns.ours(options.seconds)  # does not count: the broker's compiler takes its share of the first seconds
        found = in_turn(options, {"ours": turns.ours, "ProjectionRunner": turns.peers})
        answered, due = turns.latency()
    ours = found["ours"]
    lines = [
        Line(
            work="end to end, saturated, deciders included",
            ours=ours,
            unit="events/s",
            peer=found["ProjectionRunner"],
            against="ProjectionRunner",
            goal=goal,
            of="amount",
        )
        for goal in (15_000, 20_000)
    ]
    for percent, goal in ((50, 15), (99, 50)):
        work = f"end to end, {RATE:,} events/s, answer to read models, p{percent}"
        lines.append(Line(work=work, ours=percentile(answered, percent), unit="ms", goal=goal, of="amount"))
    for percent in (50, 99):
        work = f"the same from when the action was due to be sent, p{percent}"
        lines.append(Line(work=work, ours=percentile(due, percent), unit="ms"))
    return lines


class _Turns:
    """Each turn plays at tables of its own; between turns nothing of it runs."""

    def __init__(self, options: Options, house: House, theirs: str) -> None:
        self._options = options
        self._house = house
        self._theirs = theirs
        self._turn = 0

    def _job(self, events: int, rate: int = 0) -> writer.Job:
        self._turn += 1
        return writer.Job(self._house.store_url, f"T{self._turn}-", TABLES, events, rate)

    def ours(self, seconds: float) -> float:
        """Events a second from the first submission until the last event is in all read models."""
        job = self._job(self._options.scaled(OURS_A_SECOND))
        with (
            self._house.running("relay", "projector"),
            child("tests.bench.writer", job) as running,
            _Watch(self._house.read_url, READ.format(len(PROJECTORS))) as watch,
        ):
            _ready(running)
            watch.wait_for(self._house.store.position())
            _go(running)
            wrote = msgspec.json.decode(said(running), type=writer.Wrote)
            self._options.tell(f"    the desk alone: {wrote.events / (wrote.ended - wrote.began):,.0f} events/s")
            return wrote.events / (watch.wait_for(wrote.position) - wrote.began)

    def peers(self, seconds: float) -> float:
        """The same for the library's application and ProjectionRunner."""
        project = peer_projection.Job("project", self._theirs)
        write = peer_projection.Job("write", self._theirs, self._options.scaled(PEERS_A_SECOND))
        with child("tests.bench.peer_projection", project) as projecting:
            _ready(projecting)
            with child("tests.bench.peer_projection", write) as running, _Watch(self._theirs, TRACKED) as watch:
                wrote = msgspec.json.decode(said(running), type=writer.Wrote)
                return wrote.events / (watch.wait_for(wrote.position) - wrote.began)

    def latency(self) -> tuple[list[float], list[float]]:
        """Milliseconds until an event is in all read models: from its answer, and from when it was due."""
        job = self._job(round(RATE * (self._options.seconds * self._options.turns + WARM_S)), RATE)
        with (
            self._house.running("relay", "projector"),
            child("tests.bench.writer", job) as running,
            _Watch(self._house.read_url, READ.format(len(PROJECTORS))) as watch,
        ):
            _ready(running)
            watch.wait_for(self._house.store.position())
            _go(running)
            wrote = msgspec.json.decode(watch.until_said(running), type=writer.Wrote)
            watch.wait_for(wrote.position)
            _go(running)
            sent = msgspec.json.decode(said(running), type=list[writer.Sent])
            offered = wrote.events / (wrote.ended - wrote.began)
            self._options.tell(f"  offered {offered:,.0f} events/s, at worst {wrote.late_s_max * 1000:.0f} ms late")
            return watch.latencies([each for each in sent if each.due - wrote.began >= WARM_S])


class _Watch:
    """Looks at a position, as a reader would see it, and remembers when it moved."""

    def __init__(self, url: str, query: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._query = query.encode()
        self._positions: list[int] = [-1]
        self._times: list[float] = [time.monotonic()]

    def __enter__(self) -> "_Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _look(self) -> int:
        row = self._connection.execute(self._query, prepare=True).fetchone()
        position = row[0] if row is not None else 0
        if position > self._positions[-1]:
            self._positions.append(position)
            self._times.append(time.monotonic())
        return self._positions[-1]

    def wait_for(self, position: int) -> float:
        """When the position was reached. Raises TimeoutError."""
        deadline = time.monotonic() + CAUGHT_UP_S
        while self._look() < position:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the read models stand at {self._positions[-1]}, not at {position}")
            time.sleep(POLL_S)
        return self._times[bisect_left(self._positions, position)]

    def until_said(self, running: "subprocess.Popen[bytes]") -> bytes:
        """Look on until the child says something; what it says."""
        assert running.stdout is not None
        while not select.select([running.stdout], [], [], POLL_S)[0]:
            self._look()
        return said(running)

    def latencies(self, sent: Sequence[writer.Sent]) -> tuple[list[float], list[float]]:
        """For each event, milliseconds from its answer and from when it was due."""
        answered, due = [], []
        for each in sent:
            seen = self._times[bisect_left(self._positions, each.position)]
            answered += [(seen - each.answered) * 1000] * each.events
            due += [(seen - each.due) * 1000] * each.events
        return answered, due


def _ready(running: "subprocess.Popen[bytes]") -> None:
    assert b"ready" in said(running)


def _go(running: "subprocess.Popen[bytes]") -> None:
    assert running.stdin is not None
    running.stdin.write(b"\n")
    running.stdin.flush()
