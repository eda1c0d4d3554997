"""Hostile clients as a separate process: a fixed number of requests a second, or connections held open.

`python -m tools.bench.hostile_http_clients` takes its job as a line of JSON and reports its start. At the end of its
input it reports the answers that it got.
"""

import os
import re
import socket
import sys
import threading
import time
from collections import Counter

import msgspec

from tools.bench.load_generating_terminals import LOOPBACK


class FloodJob(msgspec.Struct, frozen=True):
    """`requests` in turn over so many connections; `a_second` 0: each once, and then the connections are held."""

    port: int
    connections: int
    requests: list[str]
    a_second: float = 0.0


class AnswerCounts(msgspec.Struct, frozen=True):
    """How many answers of each status came, and how many of 429 and 503 did not say when to come again."""

    statuses: dict[str, int]
    silent: int


_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class HostileClient:
    """A connection that is opened again whenever it was closed."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket: socket.socket | None = None

    def hold(self, request: bytes) -> None:
        """Send, and take nothing."""
        self._socket = socket.create_connection((LOOPBACK, self._port), timeout=10)
        self._socket.sendall(request)

    def ask(self, request: bytes) -> tuple[str, bool] | None:
        """The status, and whether a refusal says when to come again; None where the connection was cut."""
        try:
            if self._socket is None:
                self._socket = socket.create_connection((LOOPBACK, self._port), timeout=10)
            self._socket.sendall(request)
            return self._answer(self._socket)
        except OSError:
            self._socket = None
            return None

    def _answer(self, from_: socket.socket) -> tuple[str, bool]:
        got = b""
        while b"\r\n\r\n" not in got or len(got.partition(b"\r\n\r\n")[2]) < _length(got):
            if not (chunk := from_.recv(65_536)):
                raise ConnectionResetError
            got += chunk
        status = got[9:12].decode()
        return status, status not in ("429", "503") or b"retry-after" in got.lower()


def _length(got: bytes) -> int:
    match = _LENGTH.search(got)
    return int(match[1]) if match else 0


class Flood:
    """Requests in turn, a thread a connection, at a pace."""

    def __init__(self, job: FloodJob) -> None:
        self._job, self.over = job, threading.Event()
        self._statuses: Counter[str] = Counter()
        self._silent = 0
        self._lock = threading.Lock()
        work = self._flood if job.a_second else self._sit
        self.threads = [threading.Thread(target=work, args=(n,)) for n in range(job.connections if job.a_second else 1)]

    def answer_counts(self) -> AnswerCounts:
        """Return the answers so far."""
        return AnswerCounts(dict(self._statuses), self._silent)

    def _sit(self, _number: int) -> None:
        clients = [HostileClient(self._job.port) for _ in range(self._job.connections)]
        while not self.over.is_set():
            for number, client in enumerate(clients):
                client.hold(self._job.requests[number % len(self._job.requests)].encode("latin-1"))
            self.over.wait(4.0)  # a person who was hung up on comes again

    def _flood(self, number: int) -> None:
        client, pause = HostileClient(self._job.port), self._job.connections / self._job.a_second
        due = time.monotonic() + pause * number / self._job.connections
        while not self.over.wait(max(0.0, due - time.monotonic())):
            due = max(due + pause, time.monotonic() - 1.0)
            answer = client.ask(self._job.requests[number % len(self._job.requests)].encode("latin-1"))
            number += self._job.connections
            with self._lock:
                self._statuses[answer[0] if answer else "cut"] += 1
                self._silent += answer is not None and not answer[1]


def main() -> None:
    """Do the job that stands on the first line, until the input ends.

    Hostile clients have machines of their own: here they get what the house and its dealers leave of this one.
    """
    os.nice(19)
    flood = Flood(msgspec.json.decode(sys.stdin.buffer.readline(), type=FloodJob))
    for thread in flood.threads:
        thread.daemon = True
        thread.start()
    time.sleep(0.5)  # all connections are held by then
    sys.stdout.buffer.write(b"at work\n")
    sys.stdout.buffer.flush()
    sys.stdin.buffer.readline()
    flood.over.set()
    sys.stdout.buffer.write(msgspec.json.encode(flood.answer_counts()) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
