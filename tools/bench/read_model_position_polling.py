"""A reader of the read models, who looks at the position repeatedly and remembers when it moved."""

import select
import subprocess
import time
from bisect import bisect_left
from collections.abc import Sequence
from typing import LiteralString

from events.store.postgres_session_settings import connect
from tools.bench.desk_writer_process import SentRequest
from tools.bench.measurement_servers import next_line

POLL_S = 0.002
CAUGHT_UP_S = 300.0


class Watch:
    """Looks at a position, as a reader would see it, and remembers when it moved."""

    def __init__(self, url: str, query: str) -> None:
        self._connection = connect(url, autocommit=True)
        self._query = query.encode()
        self._positions: list[int] = [-1]
        self._times: list[float] = [time.monotonic()]

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _look(self) -> int:
        row = self._connection.execute(self._query, prepare=True).fetchone()
        position = row[0] if row is not None else 0
        if position > self._positions[-1]:
            self._positions.append(position)
            self._times.append(time.monotonic())
        return self._positions[-1]

    def wait_for(self, position: int, watch: "Watch | None" = None) -> float:
        """When the position was reached; `watch` watches the same while it waits. Raises TimeoutError."""
        deadline = time.monotonic() + CAUGHT_UP_S
        while self._look() < position:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the read models stand at {self._positions[-1]}, not at {position}")
            if watch is not None:
                watch._look()
            time.sleep(POLL_S)
        if watch is not None:
            watch._look()
        return self._times[bisect_left(self._positions, position)]

    def until_said(self, running: "subprocess.Popen[bytes]") -> bytes:
        """Watch until the child prints a line; return that line."""
        assert running.stdout is not None
        while not select.select([running.stdout], [], [], POLL_S)[0]:
            self._look()
        return next_line(running)

    def all_of(self, query: LiteralString) -> set[int]:
        """The positions that this query gives."""
        return {position for (position,) in self._connection.execute(query)}

    def latencies(self, sent_requests: Sequence[SentRequest]) -> tuple[list[float], list[float]]:
        """For each event, milliseconds from its answer and from when it was due."""
        answered, due = [], []
        for each in sent_requests:
            seen_at = self._times[bisect_left(self._positions, each.position)]
            answered += [(seen_at - each.answered) * 1000] * each.events
            due += [(seen_at - each.due) * 1000] * each.events
        return answered, due
