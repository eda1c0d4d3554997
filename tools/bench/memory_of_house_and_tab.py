"""Memory of a house and of a browser's tab, and the actions that a house has stored of each device."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from events import catalogue
from events.store import EventStore
from tools.idle_house_memory_and_cpu import PROC, pss_mib

if TYPE_CHECKING:
    from playwright.sync_api import Page

EVENTS_MAX = 10_000_000
MIB_MB = 1.048576


def house_mb(data: Path) -> float:
    """Return the memory of all processes of the house with this data folder, in MB."""
    return sum(_sizes(data)) * MIB_MB


def _sizes(data: Path) -> Iterator[float]:
    """Yield the MiB of each process of the house, without those of the bench."""
    variable = f"PITLEDGER_DATA={data}".encode()
    for path in PROC.glob("[0-9]*/environ"):
        pid = int(path.parent.name)
        try:
            is_of_house = variable in path.read_bytes().split(b"\0") and b"tools.bench" not in _command(pid)
            if pid != os.getpid() and is_of_house:
                yield pss_mib(pid)
        except OSError:  # it has ended, or is another person's
            continue


def _command(pid: int) -> bytes:
    return (PROC / str(pid) / "cmdline").read_bytes()


def tab_mb(page: "Page") -> float:
    """Return the memory of a tab's scripts after a collection of garbage, in MB."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    session.detach()
    return float(next(metric["value"] for metric in metrics if metric["name"] == "JSHeapUsedSize")) / 1_000_000


def faults(store: EventStore, sent_counts: Mapping[str, int]) -> tuple[int, int]:
    """Return the numbers of lost and of doubled actions; `sent_counts`: the number of entries by device.

    An entry is lost without an event of its number. An action is doubled if a bet was placed twice.
    """
    stored_numbers: defaultdict[str, set[int]] = defaultdict(set)
    bets: Counter[tuple[str, str]] = Counter()
    for event in store.after(0, EVENTS_MAX):
        envelope = catalogue.decode(event.type, event.raw)
        if isinstance(envelope.actordevice, str) and isinstance(envelope.deviceseq, int):
            stored_numbers[envelope.actordevice].add(envelope.deviceseq)
        if event.type == "bet.placed.v1":
            bets[event.stream, envelope.data.bet] += 1
    lost = sum(count - len(stored_numbers[device]) for device, count in sent_counts.items())
    return lost, sum(count - 1 for count in bets.values())
