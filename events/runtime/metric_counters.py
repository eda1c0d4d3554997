"""Every metric of the house, declared once, and the counters and histograms of this process.

A metric has a name, a kind, a help and a closed list of labels; docs/reference/metrics.md is made from them. No label
is a person, a player, a table or a round. A process counts in memory; `take_counts` returns the counts since the last
time, for a reporter (`backoffice/running/status_reports_of_parts_into_database.py`). Nothing is imported for this, and
no event waits for it.
"""

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

import msgspec

Kind: TypeAlias = Literal["counter", "gauge", "histogram"]
# Allowed values of a label (tools/documents/metric_label_values.py lists them).
Label: TypeAlias = Literal[
    "part", "type", "projection", "kind", "outcome", "status", "server", "queue", "disk", "task", "version"
]
FAST_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SLOW_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


class Metric(msgspec.Struct, frozen=True):
    """One metric. `origin`: "parts" where processes count it, "scrape" where it is read when a person asks."""

    name: str
    kind: Kind
    help: str
    labels: tuple[Label, ...] = ()
    origin: Literal["parts", "scrape"] = "scrape"
    buckets: tuple[float, ...] = ()


# --- counted by the parts ---------------------------------------------------------------------------------------------
EVENTS = Metric("pitledger_events_total", "counter", "Events appended to the event store", ("type",), "parts")
APPEND = Metric(
    "pitledger_append_seconds",
    "histogram",
    "Duration of an append to the event store, one transaction, from its begin to its commit",
    ("part",),
    "parts",
    FAST_S,
)
ACTIONS = Metric("pitledger_actions_total", "counter", "Actions answered by the door", ("outcome",), "parts")
ACTION = Metric(
    "pitledger_action_seconds",
    "histogram",
    "Duration of a request with actions at the door, from its headers to its answer",
    (),
    "parts",
    FAST_S,
)
END_TO_END = Metric(
    "pitledger_end_to_end_seconds",
    "histogram",
    "Time from the recording of an event to the commit of the read models that hold it: of the oldest event of a batch",
    (),
    "parts",
    SLOW_S,
)
RELAYED = Metric("pitledger_relayed_events_total", "counter", "Events sent to Kafka by the relay", (), "parts")
PROJECTED = Metric("pitledger_projected_events_total", "counter", "Events applied by the projector", (), "parts")
REQUESTS = Metric(
    "pitledger_http_requests_total", "counter", "Requests answered at the house's address", ("status",), "parts"
)
PAGE = Metric(
    "pitledger_page_seconds",
    "histogram",
    "Duration of a page, or of entries of a table screen",
    (),
    "parts",
    FAST_S,
)
TASKS = Metric("pitledger_tasks_total", "counter", "Tasks done by worker and beat", ("task", "outcome"), "parts")
ERRORS = Metric(
    "pitledger_errors_total",
    "counter",
    "Errors and warnings of a part, also those that its log leaves out",
    ("part", "kind"),
    "parts",
)

# --- read when a person asks ------------------------------------------------------------------------------------------
HEALTHY = Metric("pitledger_healthy", "gauge", "1 where `/healthz` says ok, 0 where it says degraded")
INFO = Metric("pitledger_build_info", "gauge", "Always 1; the label is the version of the software", ("version",))
PART_UP = Metric("pitledger_part_up", "gauge", "1 where a part runs and makes progress, else 0", ("part",))
PART_SILENT = Metric(
    "pitledger_part_silence_seconds", "gauge", "Time since the last sign of progress of a part", ("part",)
)
PART_STARTED = Metric(
    "pitledger_part_start_timestamp_seconds", "gauge", "Start of a part's process, in seconds since 1970", ("part",)
)
SERVER_UP = Metric(
    "pitledger_server_up", "gauge", "1 where a database or broker answers the parts that use it, else 0", ("server",)
)
POSITION = Metric("pitledger_store_position", "gauge", "Position of the last event in the event store")
PROJECTION_LAG = Metric(
    "pitledger_projection_lag_events", "gauge", "Events in the store that a projection has not read", ("projection",)
)
PROJECTION_LAG_S = Metric(
    "pitledger_projection_lag_seconds", "gauge", "Age of the oldest event that a projection has not read",
    ("projection",),
)  # fmt: skip
RELAY_LAG = Metric("pitledger_relay_lag_events", "gauge", "Events in the store that the relay has not sent to Kafka")
RELAY_LAG_S = Metric("pitledger_relay_lag_seconds", "gauge", "Age of the oldest event that the relay has not sent")
ASIDE = Metric(
    "pitledger_quarantined_events", "gauge", "Quarantined events, which a read model could not apply", ("projection",)
)
QUEUE = Metric("pitledger_queue_depth", "gauge", "Entries that wait in a queue", ("queue",))
DISK_FREE = Metric("pitledger_disk_free_bytes", "gauge", "Free bytes on the disk of a folder or file", ("disk",))
DISK_SIZE = Metric("pitledger_disk_size_bytes", "gauge", "Size of that disk in bytes", ("disk",))
CLOCK = Metric(
    "pitledger_clock_offset_seconds",
    "gauge",
    "This machine's clock minus the database server's, or minus the time of the last event where that lies ahead",
)
CERTIFICATE = Metric(
    "pitledger_certificate_expiry_timestamp_seconds",
    "gauge",
    "End of the validity of the certificate at PITLEDGER_ADDRESS, the earliest of several, in seconds since 1970",
)
BACKUP_AGE = Metric("pitledger_backup_age_seconds", "gauge", "Time since the last good backup ended")
BACKUP_LATE = Metric("pitledger_backup_late", "gauge", "1 where a scheduled backup is late, else 0")
VERIFICATION_AGE = Metric("pitledger_verification_age_seconds", "gauge", "Time since the last verification ended")
VERIFICATION_HOLDS = Metric(
    "pitledger_verification_holds", "gauge", "1 where the last verification found nothing, else 0"
)
WITNESS_AGE = Metric("pitledger_witness_age_seconds", "gauge", "Time since the witness outside the house was reached")

METRICS: tuple[Metric, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Metric))
ERROR_KINDS = ("database", "kafka", "task broker", "disk", "quarantined", "witness", "request", "unexpected", "other")

Series: TypeAlias = tuple[str, tuple[str, ...], str]  # metric, values of its labels, suffix of a histogram's series
COUNT, SUM, INFINITE = "count", "sum", "+Inf"

own_part = "command"  # of this process: the label of the counted things
_lock = threading.Lock()
_values: dict[Series, float] = {}


_BUCKETS = {metric.name: (*map(repr, metric.buckets), INFINITE) for metric in METRICS}


def count(metric: Metric, *labels: str, amount: float = 1) -> None:
    """Add to a counter; the labels in the order of its declaration."""
    series = metric.name, labels, ""
    with _lock:
        _values[series] = _values.get(series, 0.0) + amount


def observe(metric: Metric, seconds: float, *labels: str) -> None:
    """Add a duration to a histogram. Buckets are cumulative only when they are shown."""
    name = metric.name
    bucket = name, labels, _BUCKETS[name][bisect_left(metric.buckets, seconds)]
    total, number = (name, labels, SUM), (name, labels, COUNT)
    with _lock:
        values = _values
        values[bucket] = values.get(bucket, 0.0) + 1
        values[total] = values.get(total, 0.0) + max(seconds, 0.0)
        values[number] = values.get(number, 0.0) + 1


def add(amounts: Iterable[tuple[Series, float]]) -> None:
    """Add to several series at once."""
    with _lock:
        for series, amount in amounts:
            _values[series] = _values.get(series, 0.0) + amount


def take_counts() -> dict[Series, float]:
    """Return the counts since the last call, and begin again. A caller that cannot report them gives them back by
    `add`."""
    global _values
    with _lock:
        before, _values = _values, {}
    return before


# Queues of this process: read when the part reports. Names are values of the label `queue`.
_queues: dict[str, Callable[[], int]] = {}


def register_queue(name: str, depth: Callable[[], int]) -> None:
    """Have a queue of this process reported."""
    _queues[name] = depth


def queue_depths() -> dict[str, int]:
    """Return how much waits in each queue of this process."""
    return {name: depth() for name, depth in list(_queues.items())}


# Unreachable servers of this process, by the values of the label `server`, since when (time.time()) and why.
_failing_servers: dict[str, str] = {}


def server_is_away(server: str, reason: str) -> None:
    """Note that a database or broker does not answer this process."""
    _failing_servers.setdefault(server, reason)


def server_answers(server: str) -> None:
    """Note that it answers again."""
    _failing_servers.pop(server, None)


def servers_away() -> dict[str, str]:
    """Return which databases and brokers do not answer this process, and why."""
    return dict(_failing_servers)
