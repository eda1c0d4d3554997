"""Runner of the requested measurements, which collects their results."""

import os
import platform
import shlex
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version

import psycopg

from tests.servers import kafka, postgres
from tests.support.clocks.night_clock import set_clock
from tools.bench import (
    action_to_read_model_times,
    append_throughput,
    craps_settlement_speed,
    dealers_during_an_attack,
    hit_to_share_lock_time,
    http_action_rate,
    new_id_detection_cost,
    old_and_young_house_comparison,
    page_load_times_and_sizes,
    rebuild_speed,
    rehydration_speed,
    table_screen_taps_and_times,
)
from tools.bench.benchmark_report_formats import BenchmarkReport, Line
from tools.bench.measurement_servers import MeasurementServers, MissingPart
from tools.bench.searching import search_benchmark as searching
from tools.bench.turns_medians_and_percentiles import Options

Measurement = Callable[[Options, MeasurementServers], Iterable[Line]]
MEASUREMENTS: dict[str, Measurement] = {
    "append": append_throughput.measure,
    "new-ids": new_id_detection_cost.measure,
    "end-to-end": action_to_read_model_times.measure,
    "rebuild": rebuild_speed.measure,
    "rehydrate": rehydration_speed.measure,
    "http": http_action_rate.measure,
    "overload": dealers_during_an_attack.measure,
    "locks": hit_to_share_lock_time.measure,
    "settlement": craps_settlement_speed.measure,
    "lives": old_and_young_house_comparison.measure,
    "pages": page_load_times_and_sizes.measure,
    "screen": table_screen_taps_and_times.measure,
    "search": searching.measure,
}
PACKAGES = ("Django", "eventsourcing", "psycopg", "kafka-python", "msgspec", "granian", "celery")


def run(names: Sequence[str], options: Options, *, quick: bool = False) -> BenchmarkReport:
    """Measure, one after the other. A failed measurement is reported and does not stop the others."""
    set_clock(anew=True)  # the tables of the bench play on a day of their own, by a clock that runs
    lines: list[Line] = []
    failed: dict[str, str] = {}
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: everything is cleaned up
    with MeasurementServers(os.environ) as parts:
        for name in names:
            options.tell(f"{name} ...")
            try:
                lines.extend(MEASUREMENTS[name](options, parts))
            except MissingPart as missing:
                failed[name] = str(missing)
            except Exception as error:
                traceback.print_exc()
                failed[name] = f"{type(error).__name__}: {error}"
    command = shlex.join(["./manage.py", *sys.argv[1:]])
    day = datetime.now(UTC).date()
    return BenchmarkReport(machine=machine(), command=command, day=day, lines=lines, failed=failed, quick=quick)


def machine() -> str:
    """The machine and the versions, in one line."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    busy = f"load {os.getloadavg()[0]:.1f} at the end"
    return f"{cores} cores ({_processor()}), {busy}; Python {platform.python_version()}, {_servers()}, {packages}"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def _servers() -> str:
    home = postgres.find()
    server = ""
    if home is not None:
        command = [str(home / "postgres"), "--version"]
        output = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split("(")[-2].strip()
        server = f"PostgreSQL {output.split()[-1]}"
    jars = kafka.find_jars()
    brokers = sorted(jars.glob("kafka-server-[0-9]*.jar")) if jars is not None else []
    apache = f"Apache Kafka {brokers[-1].stem.rpartition('-')[2]}" if brokers else ""
    return ", ".join(part for part in (server, apache, f"libpq {psycopg.pq.version()}") if part)
