"""`./manage.py up` as a user runs it, on a data folder of the test's own, and everything that belongs to it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connections
from django.db.utils import ConnectionHandler

from backoffice.installation.processes_in_start_order import processes
from backoffice.running import child_process_start_and_end
from backoffice.running.database_and_mail_settings import database
from events.runtime import clock
from events.settings.setting_declarations import EMBEDDED
from tests.servers import free_port
from tests.support.processes.relays_and_topic_readers import within
from tools.demo.demo_house_setup import Keys

CHECKOUT = Path(__file__).parents[3]
READY_S = 240.0  # seven processes start one after the other, and the machine may be busy
STOPPED_S = 60.0

_SETUP_PROGRAM = """
import json, django
django.setup()
from django.core.management import call_command
from events.settings.settings_from_environment import settings
from tools.demo import demo_house_setup
from events.store import open_store
call_command("migrate", verbosity=0)
store = open_store(settings().store)
keys = demo_house_setup.found_house(store)
store.close()
print(json.dumps([keys.badges, keys.devices, keys.secret]))
"""


class Installation:
    """A data folder with its settings; `manage` runs a command on it. Inside `installation()` only."""

    def __init__(self, data: Path, port: int, **settings: str) -> None:
        self.data = data
        self.port = port
        self.started: list[subprocess.Popen[bytes]] = []
        ours = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("PITLEDGER_") or name == clock.SETTING  # its day is that of the tests
        }
        self.env = ours | {
            "DJANGO_SETTINGS_MODULE": "backoffice.settings",
            "PITLEDGER_DATA": str(data),
            "PITLEDGER_WEB_PORT": str(port),
            "PITLEDGER_LIVE_PORT": str(free_port()),
            "PITLEDGER_PAGES_PORT": str(free_port()),  # the one that is two beside the web may be taken
            **{f"PITLEDGER_{name}": value for name, value in settings.items()},
        }

    @property
    def names(self) -> list[str]:
        """Return the names of its processes, in the order of their start."""
        return [part.name for part in processes(EMBEDDED, self.port, self.data)]

    @property
    def url(self) -> str:
        """Return the address of the pages and the API."""
        return f"http://127.0.0.1:{self.port}"

    def manage(self, *arguments: str, timeout_s: float = 60.0) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=CHECKOUT, env=self.env, capture_output=True, text=True, timeout=timeout_s, check=False
        )

    def set_up_house(self) -> Keys:
        """Set up the demo's house: tables, people, keys."""
        return Keys(*json.loads(self.run_code(_SETUP_PROGRAM)))

    def run_code(self, code: str) -> bytes:
        """Run Python in the environment of the installation; its output."""
        command = [sys.executable, "-c", code]
        return subprocess.run(command, cwd=CHECKOUT, env=self.env, stdout=subprocess.PIPE, check=True).stdout

    def pid(self, name: str) -> int | None:
        """Return the process id of a process, or None while it does not run."""
        identity = child_process_start_and_end.read_pid_file(self.data / "run" / f"{name}.pid")
        return identity.pid if identity is not None and child_process_start_and_end.is_running(identity) else None

    def left(self) -> dict[int, str]:
        """Everything that runs on this folder, by process id."""
        variable = f"PITLEDGER_DATA={self.data}".encode()
        commands = {}
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and variable in entry.joinpath("environ").read_bytes().split(b"\0"):
                    commands[int(entry.name)] = entry.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode()
        return {pid: command for pid, command in commands.items() if command}


@contextmanager
def installation(data: Path, port: int, **settings: str) -> Iterator[Installation]:
    """Yield an installation, and assert that no process of it runs afterwards."""
    here = Installation(data, port, **settings)
    try:
        yield here
    finally:
        until = time.monotonic() + STOPPED_S
        while (left := here.left()) and time.monotonic() < until:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)
        for process in here.started:
            process.wait()  # else a test that failed has its warning in another one


class Up:
    """`./manage.py up` on an installation."""

    def __init__(self, here: Installation, *arguments: str) -> None:
        self._here = here
        self._log = here.data / "up.log"
        self._begins = self._log.stat().st_size if self._log.exists() else 0
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", *arguments],
                cwd=CHECKOUT,
                env=here.env | {"PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a Ctrl-C reaches the tests, not this
            )
        here.started.append(self.process)

    def output(self) -> str:
        """Return the output of this process."""
        return self._log.read_bytes()[self._begins :].decode(errors="replace")

    def wait_until_up(self) -> "Up":
        """Wait until it reports that it is up."""
        within(lambda: "Pitledger is up" in self.output() or self.process.poll() is not None, "up is not up", READY_S)
        assert self.process.poll() is None, self.output()
        return self

    def kill(self) -> None:
        """Send SIGKILL, which leaves no time to clean up."""
        self.process.kill()
        self.process.wait()

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Stop as Ctrl-C does, and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(STOPPED_S + 5)


@contextmanager
def reading(url: str) -> Iterator[str]:
    """An alias for an installation's read models."""
    alias = "installation"
    connections.settings[alias] = ConnectionHandler({"default": database(url)}).settings["default"]
    try:
        yield alias
    finally:
        connections[alias].close()
        del connections.settings[alias], connections[alias]
