"""Dealers at their own pace as a separate process: each table's next action is sent when it is due.

`python -m tools.bench.paced_dealer_requests` takes its job as a line of JSON and reports its figures, from the due time
of an action.
"""

import selectors
import sys
import time

import msgspec

from tools.bench import load_generating_terminals


class PacedDealersJob(msgspec.Struct, frozen=True):
    """The terminals, and how many actions a second each of them sends."""

    load: load_generating_terminals.TerminalLoadJob
    a_second: float


class RequestPace:
    """The due time of each terminal, and the terminals that wait for their answer."""

    def __init__(self, job: PacedDealersJob) -> None:
        self._pause = 1 / job.a_second
        self.terminals = [
            load_generating_terminals.Terminal(job.load, name, device) for name, device in job.load.devices.items()
        ]
        self.began = time.perf_counter()
        step = self._pause / len(self.terminals)
        self._due = {each: self.began + step * number for number, each in enumerate(self.terminals)}
        self._sent: dict[load_generating_terminals.Terminal, float] = {}  # when it was due

    @property
    def is_over(self) -> bool:
        """No one sends or waits any more."""
        return not (self._due or self._sent)

    @property
    def left_s(self) -> float:
        """Until the next one is due; a long time where no one is."""
        return max(
            0.0,
            min(self._due.values(), default=time.perf_counter() + load_generating_terminals.SILENT_S)
            - time.perf_counter(),
        )

    def send(self) -> None:
        """Send the due actions."""
        now = time.perf_counter()
        for each in [each for each, at in self._due.items() if at <= now]:
            self._sent[each] = self._due.pop(each)
            each.send()

    def answered(self, each: load_generating_terminals.Terminal, *, goes_on: bool) -> float:
        """Milliseconds since it was due."""
        due, now = self._sent.pop(each), time.perf_counter()
        if goes_on:
            self._due[each] = max(now, due + self._pause)
        return (now - due) * 1000


def run(job: PacedDealersJob) -> load_generating_terminals.LoadFigures:
    """All terminals, to the end of the round in which the time is over. Raises UnexpectedStatus."""
    figures: list[float] = []
    pace = RequestPace(job)
    with selectors.DefaultSelector() as selector:
        for each in pace.terminals:
            selector.register(each.socket, selectors.EVENT_READ, each)
        while not pace.is_over:
            pace.send()
            for key, _ in selector.select(pace.left_s):
                if key.data.receive() is not None:
                    is_time = time.perf_counter() - pace.began < job.load.seconds
                    figures.append(pace.answered(key.data, goes_on=is_time or not key.data.between_rounds))
    for each in pace.terminals:
        each.socket.close()
    return load_generating_terminals.LoadFigures(
        time.perf_counter() - pace.began, figures, dict(each.played for each in pace.terminals)
    )


def main() -> None:
    """Do the job that stands on the first line."""
    measured = run(msgspec.json.decode(sys.stdin.buffer.readline(), type=PacedDealersJob))
    sys.stdout.buffer.write(msgspec.json.encode(measured) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
