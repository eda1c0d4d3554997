"""A small machine that systemd starts: a container by systemd-nspawn, with this machine's programs and nothing of /etc.

Its root is empty and in memory. Of this machine it has /usr alone, and the network.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
UNITS = CHECKOUT / "tools" / "deploy" / "systemd"
PROGRAM = ("LICENSE", "pyproject.toml", "manage.py", "events", "projections", "workers", "backoffice", "tools")
PITLEDGER = "/opt/pitledger/tools/deploy/systemd/pitledger"
PYTHON = Path(sys.base_prefix)  # the same one, whatever Debian's is
BOOT_S, COMMAND_S = 60.0, 300.0
SITE = Path("lib") / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
ENTER = ("--mount", "--uts", "--ipc", "--pid", "--cgroup")


def reason_against() -> str:
    """Return why no such machine can be had here; "" where it can."""
    if os.geteuid() != 0 or shutil.which("systemd-nspawn") is None or not Path("/lib/systemd/systemd").exists():
        return "systemd-nspawn is needed, as root: apt-get install systemd-container"
    return ""


class Machine:
    """A running container. `folder` holds its /opt/pitledger, /etc/pitledger and /etc/systemd/system."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.units, self.settings = folder / "units", folder / "settings"
        self.process: subprocess.Popen[bytes] | None = None
        self._name = f"pitledger-{secrets.token_hex(4)}"

    def install(self) -> None:
        """Lay the program, its virtual environment and the units as the how-to says."""
        program = self.folder / "program"
        for name in PROGRAM:
            source = CHECKOUT / name
            copy = shutil.copytree if source.is_dir() else shutil.copy
            program.mkdir(exist_ok=True)
            copy(source, program / name)
        (program / ".venv" / "bin").mkdir(parents=True)
        (program / ".venv" / SITE).mkdir(parents=True)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        (program / ".venv" / "bin" / "python").symlink_to(f"/opt/python/bin/{version}")
        (program / ".venv" / "pyvenv.cfg").write_text("home = /opt/python/bin\n")
        shutil.copytree(UNITS, self.units)
        (self.settings / "secrets").mkdir(parents=True, mode=0o700)
        for name in ("settings.env", "migrate.env"):
            (self.units / name).rename(self.settings / name)
        (self.folder / "machine-id").write_text(f"{secrets.token_hex(16)}\n")

    def boot(self) -> None:
        """Start systemd as process 1, and return when the basic services of a machine have started."""
        site = (CHECKOUT / ".venv" / SITE).resolve()
        binds = [
            f"--bind-ro={self.folder / 'program'}:/opt/pitledger",
            f"--bind-ro={PYTHON}:/opt/python",
            f"--bind-ro={site}:/opt/pitledger/.venv/{SITE}",
            f"--bind={self.units}:/etc/systemd/system",
            f"--bind-ro={self.settings}:/etc/pitledger",
            f"--bind-ro={self.units / 'pitledger.sysusers'}:/etc/sysusers.d/pitledger.conf",
            f"--bind-ro={self.folder / 'machine-id'}:/etc/machine-id",
        ]
        alone = ["--quiet", "--register=no", "--keep-unit", "--console=pipe", f"--machine={self._name}"]
        place = ["--directory=/", "--volatile=yes", "--kill-signal=SIGRTMIN+3"]
        init = ["/lib/systemd/systemd", "--unit=basic.target"]
        command = ["systemd-nspawn", *alone, *place, *binds, *init]
        with (self.folder / "machine.log").open("wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        until = time.monotonic() + BOOT_S
        while not self._is_up():
            assert time.monotonic() < until, (self.folder / "machine.log").read_text()
            time.sleep(0.3)

    def _is_up(self) -> bool:
        return bool(self._init()) and self.ask("systemctl", "is-active", "basic.target").strip() == "active"

    def _init(self) -> str:
        """Return the process id of the container's process 1, as this machine sees it, or "" before it exists."""
        assert self.process is not None
        ahead = [str(self.process.pid)]
        while ahead:
            pid = ahead.pop()
            try:
                status = Path(f"/proc/{pid}/status").read_text()
                ahead += Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            except OSError:
                continue
            inside = next((line.split()[1:] for line in status.splitlines() if line.startswith("NSpid:")), [])
            if len(inside) > 1 and inside[-1] == "1" and "systemd" in Path(f"/proc/{pid}/comm").read_text():
                return pid
        return ""

    def ask(self, *command: str) -> str:
        """Return the output of a command in the container, with any exit code."""
        return self._do(command).stdout

    def run(self, *command: str) -> str:
        """Return what a command prints in the container; it must succeed."""
        completed = self._do(command)
        assert completed.returncode == 0, (
            f"{command} ended with {completed.returncode}:\n{completed.stdout}\n{self.journal()}"
        )
        return completed.stdout

    def _do(self, command: tuple[str, ...]) -> "subprocess.CompletedProcess[str]":
        enter = ["nsenter", "--target", self._init(), *ENTER, *command]
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        return subprocess.run(
            enter, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=COMMAND_S, check=False
        )

    def journal(self, unit: str = "pitledger-*") -> str:
        """Return the last lines of the units' log."""
        return self._do(("journalctl", "--no-pager", "--lines=120", f"--unit={unit}")).stdout

    def manage(self, *words: str) -> str:
        """Return what `pitledger ...` prints, the how-to's command for `./manage.py`."""
        return self.run(PITLEDGER, *words)

    def pid(self, unit: str) -> int:
        """Return the main process of a unit, inside the container; 0 where it does not run."""
        return int(self.ask("systemctl", "show", "--property=MainPID", "--value", unit).strip() or 0)

    def power_off(self) -> int:
        """Have systemd stop everything; return the container's exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)


@contextmanager
def machine(folder: Path) -> Iterator[Machine]:
    """Run a container, which is removed at the end in any case."""
    container = Machine(folder)
    try:
        yield container
    finally:
        if container.process is not None and container.process.poll() is None:
            if init := container._init():
                os.kill(int(init), signal.SIGKILL)  # and so the kernel ends everything in it
            container.process.kill()
            container.process.wait(30)
