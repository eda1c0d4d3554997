"""Terminals as a separate process: a connection each, kept open, the next action after the last answer.

`python -m tools.bench.load_generating_terminals` takes its job as a line of JSON and reports its figures. It uses
sockets only: a client library would take more of the two cores than the server under test. It speaks to loopback only.
"""

import selectors
import socket
import sys
import time

import msgspec

from tools.bench import generated_roulette_actions

LOOPBACK = "127.0.0.1"
SILENT_S = 30.0
REQUESTS_MAX = 1_000_000


class TerminalLoadJob(msgspec.Struct, frozen=True):
    """For `seconds`, and then to the end of the rounds, at the tables of `devices`.

    `played`: how many rounds of a table were played before.
    """

    port: int
    seconds: float
    badge: str
    devices: dict[str, str]
    played: dict[str, int]


class LoadFigures(msgspec.Struct, frozen=True):
    """How long it took, each request's milliseconds, and how many rounds were played at a table by now."""

    seconds: float
    milliseconds: list[float]
    played: dict[str, int]


class UnexpectedStatus(Exception):
    """The server answered something else than 200."""


class Terminal:
    """A connection and its table."""

    def __init__(self, job: TerminalLoadJob, name: str, device: str) -> None:
        self.socket = socket.create_connection((LOOPBACK, job.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._head = (
            f"POST /api/v1/tables/{name}/actions HTTP/1.1\r\nHost: {LOOPBACK}\r\nAuthorization: Bearer {job.badge}\r\n"
            f"Pitledger-Device: {device}\r\nContent-Type: application/json\r\nContent-Length: "
        ).encode()
        self._table = generated_roulette_actions.RouletteTerminal(name, job.played.get(name, 0))
        self._bodies: list[bytes] = []
        self._got = b""
        self._sent = 0.0

    @property
    def between_rounds(self) -> bool:
        """Return whether the last action ended a round."""
        return not self._bodies

    @property
    def played(self) -> tuple[str, int]:
        """The table, and how many rounds it has seen."""
        return self._table.name, self._table.played

    def send(self) -> None:
        """The next action."""
        if not self._bodies:
            self._bodies = [msgspec.json.encode(action) for action in reversed(self._table.round())]
        body = self._bodies.pop()
        self._sent = time.perf_counter()
        self.socket.sendall(self._head + b"%d\r\n\r\n" % len(body) + body)

    def receive(self) -> float | None:
        """Milliseconds when the answer is complete, None before. Raises UnexpectedStatus."""
        chunk = self.socket.recv(65_536)
        if not chunk:
            raise UnexpectedStatus("the server hung up")
        self._got += chunk
        head, end, body = self._got.partition(b"\r\n\r\n")
        if not end or len(body) < _length(head):
            return None
        spent = (time.perf_counter() - self._sent) * 1000
        if not head.startswith(b"HTTP/1.1 200"):
            raise UnexpectedStatus(self._got.decode(errors="replace")[:500])
        self._got = b""
        return spent


def _length(head: bytes) -> int:
    _, _, rest = head.lower().partition(b"content-length:")
    return int(rest.partition(b"\r\n")[0])


def run(job: TerminalLoadJob) -> LoadFigures:
    """All terminals at once. Raises UnexpectedStatus, and TimeoutError where nothing comes for a long time."""
    figures: list[float] = []
    began = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        terminals = [Terminal(job, name, device) for name, device in job.devices.items()]
        for terminal in terminals:
            selector.register(terminal.socket, selectors.EVENT_READ, terminal)
            terminal.send()
        open_ = len(terminals)
        while open_:
            ready = selector.select(SILENT_S)
            if not ready:
                raise TimeoutError(f"no answer for {SILENT_S:.0f} s")
            for key, _ in ready:
                if (spent := key.data.receive()) is None:
                    continue
                figures.append(spent)
                is_over = time.perf_counter() - began > job.seconds or len(figures) > REQUESTS_MAX
                if not (is_over and key.data.between_rounds):
                    key.data.send()
                else:
                    selector.unregister(key.fileobj)
                    key.data.socket.close()
                    open_ -= 1
    return LoadFigures(time.perf_counter() - began, figures, dict(each.played for each in terminals))


def main() -> None:
    """Do the job that stands on the first line."""
    measured = run(msgspec.json.decode(sys.stdin.buffer.readline(), type=TerminalLoadJob))
    sys.stdout.buffer.write(msgspec.json.encode(measured) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
