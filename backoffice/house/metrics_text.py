"""The text of `/metrics`: the counters of the parts, and the present state of the databases and this machine."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import msgspec
from django.db import DatabaseError
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.core import Metric as Family
from prometheus_client.registry import Collector

from backoffice.house.backup_records import backup_status
from backoffice.house.condition_lags_and_problems import HouseCondition, condition
from backoffice.house.queue_depths import depths
from backoffice.house.tls_certificate_expiry_lookup import expiries
from backoffice.integrity.last_verification import integrity
from backoffice.models import PartCount
from backoffice.running.version import version
from events.errors import Retry
from events.runtime import clock, metric_counters
from events.runtime.metric_counters import COUNT, INFINITE, SUM, Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[Metric, tuple[str, ...], float]


def text() -> bytes:
    """Return all metrics in the text form of Prometheus. A database that is away takes its figures along, no others."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_House())
    return generate_latest(registry)


class _House(Collector):
    """Collector of one scrape."""

    def collect(self) -> Iterable[Family]:
        by_metric: dict[str, list[Sample]] = {}
        for sample in _samples():
            by_metric.setdefault(sample[0].name, []).append(sample)
        for metric in metric_counters.METRICS:
            if metric.origin == "scrape":
                yield _gauge(metric, by_metric.get(metric.name, ()))
        yield from _stored_counters()


def _gauge(metric: Metric, samples: Iterable[Sample]) -> Family:
    family = GaugeMetricFamily(metric.name, metric.help, labels=metric.labels)
    for _, labels, value in samples:
        family.add_metric(labels, value)
    return family


# --- counters of the parts --------------------------------------------------------------------------------------------


def _stored_counters() -> Iterator[Family]:
    """Counters and histograms, from their sums in the database."""
    sums: dict[str, dict[tuple[str, ...], dict[str, float]]] = {}
    try:
        for row in PartCount.objects.all():
            labels = tuple(msgspec.json.decode(row.labels, type=list[str]))
            sums.setdefault(row.metric, {}).setdefault(labels, {})[row.suffix] = row.value
    except DatabaseError:
        return
    for metric in metric_counters.METRICS:
        if metric.origin == "parts":
            yield _family(metric, sums.get(metric.name, {}))


def _family(metric: Metric, sums: dict[tuple[str, ...], dict[str, float]]) -> Family:
    matching = {labels: values for labels, values in sums.items() if len(labels) == len(metric.labels)}
    if metric.kind == "counter":
        counter = CounterMetricFamily(metric.name, metric.help, labels=metric.labels)
        for labels, values in sorted(matching.items()):
            counter.add_metric(labels, values.get("", 0.0))
        return counter
    histogram = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
    for labels, values in sorted(matching.items()):
        histogram.add_metric(labels, _buckets(metric, values), values.get(SUM, 0.0))
    return histogram


def _buckets(metric: Metric, values: dict[str, float]) -> list[tuple[str, float]]:
    """Cumulative, as Prometheus has them."""
    total, buckets = 0.0, []
    for bound in metric.buckets:
        total += values.get(repr(bound), 0.0)
        buckets.append((repr(bound), total))
    return [*buckets, (INFINITE, max(values.get(COUNT, 0.0), total))]


# --- present values ---------------------------------------------------------------------------------------------------


def _samples() -> Iterator[Sample]:
    yield metric_counters.INFO, (version(),), 1.0
    try:
        now = condition()
        yield from _of_condition(now)
        yield from _of_backups()
        yield from _of_history()
    except DatabaseError:
        yield metric_counters.HEALTHY, (), 0.0
        yield metric_counters.SERVER_UP, ("read",), 0.0
    if ends := expiries():
        yield metric_counters.CERTIFICATE, (), min(ends.values()).timestamp()


def _of_condition(now: HouseCondition) -> Iterator[Sample]:
    yield metric_counters.HEALTHY, (), float(now.is_well)
    for part in now.parts:
        yield metric_counters.PART_UP, (part.name,), float(part.is_well)
        if part.silence_s is not None:
            yield metric_counters.PART_SILENT, (part.name,), part.silence_s
        if part.started is not None:
            yield metric_counters.PART_STARTED, (part.name,), part.started.timestamp()
    for server, why in now.servers.items():
        yield metric_counters.SERVER_UP, (server,), float(not why)
    if now.head is not None:
        yield from _of_lag(now, now.head)
    for queue, depth in (now.queues | depths()).items():
        yield metric_counters.QUEUE, (queue,), float(depth)
    for disk in now.disks:
        yield metric_counters.DISK_FREE, (disk.name,), float(disk.free_bytes)
        yield metric_counters.DISK_SIZE, (disk.name,), float(disk.size_bytes)
    yield metric_counters.CLOCK, (), now.clock_offset_s


def _of_lag(now: HouseCondition, head: int) -> Iterator[Sample]:
    yield metric_counters.POSITION, (), float(head)
    for lag in now.projections:
        yield metric_counters.PROJECTION_LAG, (lag.name,), float(lag.events)
        yield metric_counters.PROJECTION_LAG_S, (lag.name,), lag.seconds
        yield metric_counters.ASIDE, (lag.name,), float(lag.aside)
    if now.relay is not None:
        yield metric_counters.RELAY_LAG, (), float(now.relay.events)
        yield metric_counters.RELAY_LAG_S, (), now.relay.seconds
        yield metric_counters.QUEUE, ("event outbox",), float(now.relay.events)


def _of_backups() -> Iterator[Sample]:
    status = backup_status()
    if status.age_s is not None:
        yield metric_counters.BACKUP_AGE, (), status.age_s
    yield metric_counters.BACKUP_LATE, (), float(status.is_late)


def _of_history() -> Iterator[Sample]:
    try:
        history = integrity()
    except Retry:
        return
    if history.last is not None:
        yield metric_counters.VERIFICATION_AGE, (), max((clock.moment() - history.last.ended).total_seconds(), 0.0)
        yield metric_counters.VERIFICATION_HOLDS, (), float(history.last.holds)
    if history.witness is not None and history.witness.reached:
        reached = datetime.fromisoformat(history.witness.reached)
        yield metric_counters.WITNESS_AGE, (), max((clock.moment() - reached.astimezone(UTC)).total_seconds(), 0.0)
