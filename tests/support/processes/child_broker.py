"""The embedded broker as a child process of a test."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType

from backoffice.running import child_process_start_and_end, embedded_kafka_broker_process, status_files
from events.errors import Retry

READY_S = 15.0


class EmbeddedBroker:
    """The broker as a child process, during the `with` block."""

    def __init__(self, data: Path, port: int | None = None) -> None:
        self._data = data
        self.port = port or embedded_kafka_broker_process.free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def bootstrap(self) -> str:
        """The address for Kafka's clients."""
        return f"{embedded_kafka_broker_process.LOOPBACK}:{self.port}"

    @property
    def pid(self) -> int:
        """The broker's process id."""
        assert self._process is not None
        return self._process.pid

    def __enter__(self) -> "EmbeddedBroker":
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Start and wait until it answers; ends a leftover of an earlier run first. Raises Retry."""
        child_process_start_and_end.end_leftovers([self._pid_file])
        mark = child_process_start_and_end.new_mark()
        with status_files.run_folder(self._data).joinpath("broker.log").open("ab") as output:
            self._process = child_process_start_and_end.launch(
                embedded_kafka_broker_process.command(self.port),
                env={**os.environ, "NO_COLOR": "1"},
                mark=mark,
                output=output,
                death_signal=signal.SIGKILL,
            )
        if (identity := child_process_start_and_end.identify(self.pid, mark)) is not None:
            child_process_start_and_end.write_pid_file(self._pid_file, identity)
        self._wait_until_ready()
        embedded_kafka_broker_process.announce(self.port, self.pid, self._data)

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_S
        while not embedded_kafka_broker_process.is_ready(self.port):
            assert self._process is not None
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise Retry(f"the embedded broker did not start on port {self.port}: see {self._data}/run/broker.log")
            time.sleep(0.01)

    def stop(self) -> None:
        """Stop it: politely, then for certain."""
        if self._process is not None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(embedded_kafka_broker_process.STOP_S)
            self.kill()
        self._pid_file.unlink(missing_ok=True)

    def kill(self) -> None:
        """SIGKILL, as a crash would be: all topics are lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    @property
    def _pid_file(self) -> Path:
        return status_files.run_folder(self._data) / f"{embedded_kafka_broker_process.NAME}.pid"
