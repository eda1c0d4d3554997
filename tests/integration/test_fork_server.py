"""Parts that are forked off one process behave as programs of their own: with small programs, and no house."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from backoffice.running.child_process_start_and_end import MARK, family, read_pid_file
from backoffice.running.forked_part import layout
from tests.support.processes.relays_and_topic_readers import within

CHECKOUT = Path(__file__).parents[2]
DRIVER = """
import os, signal, sys
from pathlib import Path
from backoffice.running import preloaded_process_forker
from backoffice.running.part_start_watch_and_restart import Process, says_ready
from backoffice.running.supervisor import Supervisor
data = Path(sys.argv[1])
preloaded_process_forker.ANSWER_S = 0.5
env = {"OF_PARTS": "a value", "PITLEDGER_DATA": str(data)}
parts = [
    Process(name, [sys.executable, str(data / "part.py"), name], says_ready(name, data), env, modules=("wave",))
    for name in ("first", "second")
]
supervisor = Supervisor(parts, data, cwd=data, look_s=0.2)
supervisor.share_memory(lambda: print("begins as", sys.argv))
print("fork server", getattr(supervisor._forks, "pid", None), flush=True)
signal.signal(signal.SIGTERM, lambda *_: supervisor.ask_to_stop())
supervisor.start()
print("all up", flush=True)
sys.exit(supervisor.wait())
"""
PART = """
import os, signal, sys, subprocess, threading, time
from pathlib import Path
assert __name__ == "__main__"
print("wave" in sys.modules, sys.argv[1:], os.environ.get("OF_PARTS"), Path.cwd().name, "OF_DRIVER" in os.environ)
interrupt = signal.getsignal(signal.SIGINT)
print(sys.stdin.read() == "", os.getsid(0) == os.getpid(), interrupt is signal.default_int_handler)
print(threading.active_count(), len(os.listdir("/proc/self/fd")), file=sys.stderr)
from backoffice.running import status_files
if sys.argv[1] == "second":
    subprocess.Popen(["sleep", "600"], start_new_session=True)
status_files.announce(sys.argv[1])
while True:
    time.sleep(0.02)
    for end in Path.cwd().glob("end-first" if sys.argv[1] == "first" else "none"):
        text = end.read_text()
        end.unlink()
        if text == "raise":
            raise ValueError("a mistake of its own")
        sys.exit(int(text) if text.isdigit() else text)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands a forked part to the supervisor")


class Driver:
    """A supervisor of two parts in a process of its own."""

    def __init__(self, data: Path) -> None:
        self.data = data
        (data / "part.py").write_text(PART)
        env = os.environ | {"PITLEDGER_DATA": str(data), "DJANGO_SETTINGS_MODULE": "backoffice.settings"}
        env |= {"PYTHONPATH": str(CHECKOUT), "OF_DRIVER": "x" * 400}
        self._log = data / "log"
        with self._log.open("wb") as log:
            command = [sys.executable, "-c", DRIVER, str(data)]
            self.process = subprocess.Popen(command, env=env, cwd=CHECKOUT, stdout=log, stderr=log)

    def log(self) -> str:
        return self._log.read_text()

    def says(self, text: str, times: int = 1) -> None:
        within(lambda: self.log().count(text) >= times, f"no {text!r}", 60.0)

    def pid(self, name: str) -> int:
        """The process id of a part that runs."""
        identities: list[int] = []

        def runs() -> bool:
            identity = read_pid_file(self.data / "run" / f"{name}.pid")
            identities[:] = [identity.pid] if identity is not None and Path(f"/proc/{identity.pid}").exists() else []
            return bool(identities)

        within(runs, f"no {name}", 60.0)
        return identities[0]

    @property
    def fork_server(self) -> int:
        return int(self.log().split("fork server ")[1].split()[0])

    def is_forked(self, pid: int) -> bool:
        """Tell whether a process has the address space of its supervisor, as only a fork has."""
        return arguments_at(pid) == arguments_at(self.process.pid)


def arguments_at(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[45]


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with running(tmp_path) as driver:
        yield driver


@contextmanager
def running(data: Path) -> Iterator[Driver]:
    driver = Driver(data)
    try:
        driver.says("all up")
        yield driver
    finally:
        driver.process.kill()
        driver.process.wait()
        for name in ("first", "second"):
            if (identity := read_pid_file(data / "run" / f"{name}.pid")) is not None:
                for pid in family(identity):
                    os.kill(pid, signal.SIGKILL)


def test_a_forked_part_has_what_a_program_of_its_own_has(driver: Driver) -> None:
    pid = driver.pid("first")
    assert driver.is_forked(pid)
    lines = [line.partition("| ")[2] for line in driver.log().splitlines() if line.startswith("first  |")]
    begins = f"begins as ['{driver.data}/part.py', 'first']"
    assert lines == [begins, f"True ['first'] a value {driver.data.name} True", "True True True", "1 4"], lines
    shown = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").decode()
    assert shown == f"{sys.executable} {driver.data}/part.py first"
    environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    identity = read_pid_file(driver.data / "run" / "first.pid")
    assert identity is not None
    assert f"{MARK}={identity.mark}".encode() in environment


def test_its_end_is_that_of_a_program(driver: Driver) -> None:
    ends = {
        "7": "first  * ended with exit code 7: starting it again",
        "0": "first  * ended with exit code 0: starting it again",
        "a last word": "first  | a last word",
        "raise": "first  | ValueError: a mistake of its own",
    }
    for times, (text, expected) in enumerate(ends.items(), 2):
        pid = driver.pid("first")
        (driver.data / "end-first").write_text(text)
        driver.says(expected)
        driver.says("first  * ready", times)
        assert driver.pid("first") != pid
        assert driver.is_forked(driver.pid("first"))
    assert driver.log().count("ended with exit code 1: starting it again") == 2


def test_a_killed_part_is_forked_again_and_its_child_is_ended(driver: Driver) -> None:
    pid = driver.pid("second")
    identity = read_pid_file(driver.data / "run" / "second.pid")
    assert identity is not None
    within(lambda: len(family(identity)) == 2, "it has begun no other program")
    os.kill(pid, signal.SIGKILL)
    driver.says("second * ended by signal 9: starting it again")
    within(lambda: not family(identity), "what it began runs on")
    driver.says("second * ready", 2)
    assert driver.is_forked(driver.pid("second"))
    within(lambda: zombies(driver.process.pid) == [], "orphans are not reaped")


def zombies(parent: int) -> list[int]:
    stats = [
        (int(entry.name), (entry / "stat").read_text().rpartition(")")[2].split())
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and (entry / "stat").exists()
    ]
    return [pid for pid, stat in stats if stat[0] == "Z" and int(stat[1]) == parent]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_without_the_fork_server_the_parts_run_on_and_the_next_is_its_own_program(
    driver: Driver, number: signal.Signals
) -> None:
    first, second = driver.pid("first"), driver.pid("second")
    os.kill(driver.fork_server, number)
    os.kill(first, signal.SIGKILL)
    driver.says("first  * ready", 2)
    assert not driver.is_forked(driver.pid("first"))
    assert driver.pid("second") == second
    driver.process.terminate()
    assert driver.process.wait(30) == 0
    assert not Path(f"/proc/{driver.fork_server}").exists()


def test_all_end_with_the_supervisor(tmp_path: Path) -> None:
    with running(tmp_path) as driver:
        pids = [driver.fork_server, driver.pid("first"), driver.pid("second")]
        driver.process.kill()
        driver.process.wait()
        within(lambda: not any(runs(pid) for pid in pids), "a part outlived its supervisor")


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_short_environment_shows_the_command_and_the_mark_first() -> None:
    env = {"HOME": "/root", "PITLEDGER_DATA": "/data", MARK: "abc"}
    shown = layout(["python", "part.py"], env, (MARK, "PITLEDGER_"), 10, 54)
    assert shown == b"python part.py\0PITLEDGER_PROCESS_MARK=abc\0HOME=/root\0".ljust(54, b"\0")
    assert layout(["python", "part.py"], env, (MARK,), 20, 24) == b"python part.py".ljust(24, b"\0")
    assert len(layout(["python"] * 20, env, (MARK,), 20, 24)) == 24


def test_a_stop_is_polite(driver: Driver) -> None:
    driver.process.send_signal(signal.SIGTERM)
    assert driver.process.wait(30) == 0
    assert "giving up" not in driver.log()
