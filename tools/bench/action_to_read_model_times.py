"""The whole way, each part a process: desk and deciders, store, relay, Apache Kafka, projector with the event log.

For comparison, on the same servers: the library's ProjectionRunner, and a bare pipeline of the drivers alone.
"""

import contextlib
import subprocess
from collections.abc import Iterator

import msgspec

from projections.registry import PROJECTORS
from tools.bench import bare_kafka_pipeline_peer, desk_writer_process, eventsourcing_projection_peer
from tools.bench.benchmark_report_formats import Line
from tools.bench.desk_writer_process import Wrote
from tools.bench.measurement_servers import MeasuredHouse, MeasurementServers, child, next_line
from tools.bench.read_model_position_polling import Watch
from tools.bench.turns_medians_and_percentiles import Options, in_turn, percentile

TABLES = 40
MISPAYING = 4  # tables, so that some round is over all the time
OURS_A_SECOND, PEERS_A_SECOND = 10_000, 800  # so many events are written for each second of a turn
ALERT_MS = 1_000
WARM_S = 1.0  # of an offered rate, not counted
_NAMES = ", ".join(f"'{name}'" for name in PROJECTORS)
READ = (
    f"SELECT COALESCE(min(position), 0) FROM projections_reader WHERE projection IN ({_NAMES}) "
    f"HAVING count(*) = {len(PROJECTORS)}"
)
ALERTED = "SELECT COALESCE(max(raised_at_position), 0) FROM projections_alert"
RAISED = "SELECT raised_at_position FROM projections_alert"
TRACKED = "SELECT COALESCE(max(notification_id), 0) FROM counts_tracking"
BARE = "bare pipeline"


def measure(options: Options, parts: MeasurementServers) -> list[Line]:
    """Throughput when saturated, against ProjectionRunner and the bare pipeline; latency at a rate, against that."""
    with parts.house() as house, parts.database() as theirs, _bare(house, parts) as bare:
        turns = _Turns(options, house, bare, theirs)
        turns.relay_rate(options.seconds)  # does not count: the broker's compiler takes its share of the first seconds
        figures = in_turn(options, {"ours": turns.relay_rate, BARE: turns.bare, "ProjectionRunner": turns.peers})
        ours, peers, alerts = Delays(), Delays(), Delays()
        for _ in range(options.turns):
            turns.ours_at_a_rate(ours)
            turns.bare_at_a_rate(peers)
            turns.alerts_at_a_rate(alerts)
    return [*_saturated(figures), *_latency(options.rate, ours, peers), *_alerted(options.rate, alerts)]


def _saturated(figures: dict[str, float]) -> list[Line]:
    work, unit, ours = "end to end, saturated, deciders included", "events/s", figures["ours"]
    return [
        Line(work=work, ours=ours, unit=unit, peer=figures["ProjectionRunner"], against="ProjectionRunner"),
        Line(work=work, ours=ours, unit=unit, peer=figures[BARE], against=BARE, goal=0.9),
        *(Line(work=work, ours=ours, unit=unit, goal=goal, of="amount") for goal in (15_000, 20_000)),
    ]


def _latency(rate: int, ours: "Delays", peers: "Delays") -> list[Line]:
    work, lines = f"end to end, {rate:,} events/s, answer to read models", []
    for percent, most in ((50, 15), (99, 50)):
        label, reached = f"{work}, p{percent}", percentile(ours.answered, percent)
        peer = percentile(peers.answered, percent)
        lines.append(Line(work=label, ours=reached, unit="ms", peer=peer, against=BARE, goal=1.5))
        lines.append(Line(work=label, ours=reached, unit="ms", goal=most, of="amount"))
    for percent in (50, 99):
        label, peer = f"the same from when the action was due to be sent, p{percent}", percentile(peers.due, percent)
        lines.append(Line(work=label, ours=percentile(ours.due, percent), unit="ms", peer=peer, against=BARE))
    return lines


def _alerted(rate: int, alerts: "Delays") -> Iterator[Line]:
    """Of what raises an alert, until the alert is seen."""
    work = f"event to alert, {rate:,} events/s"
    for label, delays in ((work, alerts.answered), (f"{work}, from when the action was due to be sent", alerts.due)):
        for percent in (50, 99):
            goal = {99: ALERT_MS}.get(percent)
            reached = percentile(delays, percent)
            yield Line(work=f"{label}, p{percent}", ours=reached, unit="ms", goal=goal, of="amount")


class Delays:
    """For each event the milliseconds until it is in all read models: from its answer, and from when it was due."""

    def __init__(self) -> None:
        self.answered: list[float] = []
        self.due: list[float] = []


class Bare(msgspec.Struct, frozen=True):
    """Where the bare pipeline runs."""

    store: str
    read: str
    kafka: str


@contextlib.contextmanager
def _bare(house: MeasuredHouse, parts: MeasurementServers) -> Iterator[Bare]:
    with parts.database() as store, parts.database() as read_url:
        bare_kafka_pipeline_peer.furnish(store, read_url, house.kafka)
        yield Bare(store, read_url, house.kafka)


class _Turns:
    """Each turn plays at tables of its own; between turns nothing of it runs."""

    def __init__(self, options: Options, house: MeasuredHouse, bare: Bare, theirs: str) -> None:
        self._options = options
        self._house = house
        self._bare = bare
        self._theirs = theirs
        self._turn = 0

    @property
    def _events(self) -> int:
        return round(self._options.rate * (self._options.seconds + WARM_S))

    def _prefix(self) -> str:
        self._turn += 1
        return f"T{self._turn}-"

    def relay_rate(self, seconds: float) -> float:
        """Events a second from the first submission until the last event is in all read models."""
        job = desk_writer_process.WriterJob(
            self._house.store_url, self._prefix(), TABLES, self._options.scaled(OURS_A_SECOND)
        )
        with self._running(job) as (running, watch):
            wrote = _begun(running)
            self._options.tell(f"    the desk alone: {wrote.events / (wrote.ended - wrote.began):,.0f} events/s")
            return wrote.events / (watch.wait_for(wrote.position) - wrote.began)

    def bare(self, seconds: float) -> float:
        """The same for the bare pipeline."""
        with self._piped(self._options.scaled(OURS_A_SECOND)) as (running, watch):
            wrote = _begun(running)
            return wrote.events / (watch.wait_for(wrote.position) - wrote.began)

    def peers(self, seconds: float) -> float:
        """The same for the library's application and ProjectionRunner."""
        project = eventsourcing_projection_peer.ProjectionPeerJob("project", self._theirs)
        write = eventsourcing_projection_peer.ProjectionPeerJob(
            "write", self._theirs, self._options.scaled(PEERS_A_SECOND)
        )
        with child("tools.bench.eventsourcing_projection_peer", project) as projecting:
            _ready(projecting)
            with (
                child("tools.bench.eventsourcing_projection_peer", write) as running,
                Watch(self._theirs, TRACKED) as watch,
            ):
                wrote = msgspec.json.decode(next_line(running), type=Wrote)
                return wrote.events / (watch.wait_for(wrote.position) - wrote.began)

    def ours_at_a_rate(self, delays: Delays) -> None:
        """Single actions, each sent when it is due."""
        job = desk_writer_process.WriterJob(
            self._house.store_url, self._prefix(), TABLES, self._events, self._options.rate
        )
        with self._running(job) as (running, watch):
            self._note(running, watch, delays)

    def bare_at_a_rate(self, delays: Delays) -> None:
        """The same events, ready made."""
        with self._piped(self._events, self._options.rate) as (running, watch):
            self._note(running, watch, delays)

    def alerts_at_a_rate(self, delays: Delays) -> None:
        """The same with rounds that are paid wrongly: from what raises an alert until it is there."""
        rate, events = self._options.rate, self._events
        job = desk_writer_process.WriterJob(
            self._house.store_url, self._prefix(), MISPAYING, events, rate, mispaid=True
        )
        with self._running(job) as (running, watch), Watch(self._house.read_url, ALERTED) as alerts:
            _go(running)
            wrote = msgspec.json.decode(alerts.until_said(running), type=Wrote)
            watch.wait_for(wrote.position, alerts)
            _go(running)
            sent_requests = msgspec.json.decode(next_line(running), type=list[desk_writer_process.SentRequest])
            raised = alerts.all_of(RAISED)
        raising = [each for each in sent_requests if each.position in raised and each.due - wrote.began >= WARM_S]
        answered, due = alerts.latencies(raising)
        self._options.tell(
            f"  {len(answered)} alerts: p50 {percentile(answered, 50):.1f} ms, at worst {max(answered):.1f}"
        )
        delays.answered += answered
        delays.due += due

    @contextlib.contextmanager
    def _running(self, job: desk_writer_process.WriterJob) -> Iterator[tuple["subprocess.Popen[bytes]", Watch]]:
        with (
            self._house.running("relay", "projector"),
            child("tools.bench.desk_writer_process", job) as running,
            Watch(self._house.read_url, READ) as watch,
        ):
            _ready(running)
            watch.wait_for(self._house.store.position())
            yield running, watch

    @contextlib.contextmanager
    def _piped(self, events: int, rate: int = 0) -> Iterator[tuple["subprocess.Popen[bytes]", Watch]]:
        bare = self._bare
        with contextlib.ExitStack() as stack:
            for job in (
                bare_kafka_pipeline_peer.PeerPipelineJob("project", bare.read, bare.kafka),
                bare_kafka_pipeline_peer.PeerPipelineJob("relay", bare.store, bare.kafka),
                bare_kafka_pipeline_peer.PeerPipelineJob(
                    "write", bare.store, prefix=self._prefix(), events=events, rate=rate
                ),
            ):
                running = stack.enter_context(child("tools.bench.bare_kafka_pipeline_peer", job))
                _ready(running)
            yield running, stack.enter_context(Watch(bare.read, bare_kafka_pipeline_peer.READ))

    def _note(self, running: "subprocess.Popen[bytes]", watch: Watch, delays: Delays) -> None:
        _go(running)
        wrote = msgspec.json.decode(watch.until_said(running), type=Wrote)
        watch.wait_for(wrote.position)
        _go(running)
        sent_requests = msgspec.json.decode(next_line(running), type=list[desk_writer_process.SentRequest])
        offered = wrote.events / (wrote.ended - wrote.began)
        self._options.tell(f"  {offered:,.0f} events/s, at worst {wrote.late_s_max * 1000:.0f} ms late")
        answered, due = watch.latencies([each for each in sent_requests if each.due - wrote.began >= WARM_S])
        self._options.tell(f"    p50 {percentile(answered, 50):.1f} ms, p99 {percentile(answered, 99):.1f} ms")
        delays.answered += answered
        delays.due += due


def _ready(running: "subprocess.Popen[bytes]") -> None:
    assert b"ready" in next_line(running)


def _go(running: "subprocess.Popen[bytes]") -> None:
    assert running.stdin is not None
    running.stdin.write(b"\n")
    running.stdin.flush()


def _begun(running: "subprocess.Popen[bytes]") -> Wrote:
    _go(running)
    return msgspec.json.decode(next_line(running), type=Wrote)
