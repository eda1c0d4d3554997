#!/usr/bin/env python3
"""Memory and processor use of a house that runs under `./manage.py up`.

`python -m tools.idle_house_memory_and_cpu DATA [SECONDS]` prints them.

Memory is the PSS of the whole process tree: a page that several processes share counts once. Linux only.
"""

import re
import sys
import time
from pathlib import Path

from backoffice.running.child_process_start_and_end import read_pid_file
from backoffice.running.working_time_without_progress import session_of, work_of

PROC = Path("/proc")
UP, FORK_SERVER = "up", "fork server"
WINDOW_S = 10.0


def parts(data: Path) -> dict[str, list[int]]:
    """Return the processes of each part, by its pid file, of the supervisor and of the rest of its children."""
    leaders = {path.stem: read_pid_file(path) for path in sorted((data / "run").glob("*.pid"))}
    processes = {name: session_of(leader.pid) for name, leader in leaders.items() if leader}
    up = int((data / "run" / "up.lock").read_text())
    known_pids = {pid for pids in processes.values() for pid in pids}
    pids = [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]
    return processes | {UP: [up], FORK_SERVER: [pid for pid in pids if pid not in known_pids and _parent(pid) == up]}


def used_s(pids: list[int]) -> float:
    """Return the processor time of these processes so far."""
    work = work_of(pids)
    return work.used_s if work else 0.0


def pss_mib(pid: int) -> float:
    """Return the proportional set size of a process."""
    size = re.search(r"^Pss:\s+(\d+) kB", (PROC / str(pid) / "smaps_rollup").read_text(), re.MULTILINE)
    return int(size[1]) / 1024 if size else 0.0


def _parent(pid: int) -> int:
    try:
        return int((PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it has ended
        return 0


def main(arguments: list[str]) -> None:
    """Print a line for each part and one for all."""
    data, window_s = Path(arguments[0]), float(arguments[1]) if arguments[1:] else WINDOW_S
    running = parts(data)
    before, began = {name: used_s(pids) for name, pids in running.items()}, time.monotonic()
    time.sleep(window_s)
    elapsed_s = time.monotonic() - began
    memory = {name: sum(map(pss_mib, pids)) for name, pids in running.items()}
    shares = {name: 100 * (used_s(pids) - before[name]) / elapsed_s for name, pids in running.items()}
    for name in running:
        print(f"{name:12} {memory[name]:7.1f} MiB {shares[name]:6.2f} % of a core")
    print(f"{'all':12} {sum(memory.values()):7.1f} MiB {sum(shares.values()):6.2f} % of a core")


if __name__ == "__main__":
    main(sys.argv[1:])
