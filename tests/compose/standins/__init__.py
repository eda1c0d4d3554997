"""Base images made on this machine: Debian's packages under the names that docker-compose.yml would fetch."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.compose.docker import CACHE, CHECKOUT, Docker, DockerError
from tests.servers import kafka, postgres, postgres_package_download

HERE = Path(__file__).parent
DEBIAN = "pitledger-test/debian"
SUITE = "bookworm"
PACKAGES = (
    *("ca-certificates", "locales", "netbase", "tzdata"),
    *("python3", "python3-venv", "python-is-python3", "postgresql-15", "redis-server", "openjdk-17-jre-headless"),
)
IMAGES = {name: f"pitledger-test/{name}" for name in ("python", "postgres", "redis", "kafka", "caddy")}


def make(docker: Docker) -> dict[str, str]:
    """Make the stand-ins that are missing; the variables by which docker-compose.yml takes them."""
    if not docker.has_image(DEBIAN):
        _import_debian(docker)
    for name, tag in IMAGES.items():
        _build(docker, name, tag)
    return {f"PITLEDGER_IMAGE_{name.upper()}": tag for name, tag in IMAGES.items()}


def make_newest_postgres(docker: Docker) -> str:
    """Make the stand-in of the newest supported PostgreSQL, and return its tag."""
    newest = postgres.SUPPORTED[-1]
    if not postgres_package_download.home_of(newest).exists():
        postgres_package_download.fetch(newest)
    _build(docker, f"postgres-{newest}", tag := f"pitledger-test/postgres-{newest}")
    return tag


def _import_debian(docker: Docker) -> None:
    """One root for all of them, imported from a folder that is then removed."""
    with tempfile.TemporaryDirectory(prefix="pitledger-debian-", dir="/var/tmp") as folder:
        root = Path(folder) / "root"
        make_root = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(root)]
        fast = ["eatmydata"] if shutil.which("eatmydata") else []  # dpkg syncs each file otherwise
        completed = subprocess.run(
            [*fast, *make_root], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        if completed.returncode:
            raise DockerError(f"debootstrap ended with {completed.returncode}:\n{completed.stdout[-3_000:]}")
        subprocess.run(["chroot", str(root), "localedef", "-i", "en_US", "-f", "UTF-8", "en_US.UTF-8"], check=True)
        for waste in ("var/cache/apt/archives", "var/lib/apt/lists", "usr/share/doc", "usr/share/man"):
            shutil.rmtree(root / waste, ignore_errors=True)
        tar = subprocess.Popen(["tar", "-C", str(root), "-c", "."], stdout=subprocess.PIPE)
        load = subprocess.run(["docker", "import", "-", DEBIAN], env=docker.env, stdin=tar.stdout, check=False)
        assert tar.stdout is not None
        tar.stdout.close()
        if tar.wait() or load.returncode:
            raise DockerError("the root that debootstrap made could not be imported")


def _build(docker: Docker, name: str, tag: str) -> None:
    with tempfile.TemporaryDirectory(prefix="pitledger-standin-") as folder:
        context = Path(folder) / name
        shutil.copytree(HERE / name, context)
        if name == "python":
            _download_wheels(context / "wheels")
        elif name == "caddy":
            caddy = shutil.which("caddy")
            assert caddy is not None, "tests/servers/install.py brings Caddy"
            shutil.copy(caddy, context / "caddy")
        elif name.startswith("postgres-"):
            unpacked = postgres_package_download.CACHE / f"postgresql-{name.removeprefix('postgres-')}"
            shutil.copytree(unpacked, context / unpacked.name, symlinks=True)
        elif name == "kafka":
            jars = kafka.find_jars()
            assert jars is not None, "tests/servers/install.py fetches Kafka's jars"
            shutil.copytree(jars, context / "libs")
        docker.run("build", "--quiet", "--network", "none", "--tag", tag, str(context))


def _download_wheels(folder: Path) -> None:
    """The locked packages for Debian's Python, kept for the next run."""
    wheels = CACHE / "wheels"
    # Markers of a Python's version are for this one, not for Debian's, which may be older: take the package anyway.
    lock = re.sub(r" ; python_full_version[^\\\n]*", " ", (CHECKOUT / "requirements.lock").read_text())
    wanted = wheels / "requirements.txt"
    if not wanted.exists() or wanted.read_text() != lock:
        shutil.rmtree(wheels, ignore_errors=True)
        wheels.mkdir(parents=True)
        requirements = CACHE / "requirements.txt"
        requirements.write_text(lock)
        python = ["--python-version", "3.11", "--only-binary", ":all:", "--no-deps", "--require-hashes"]
        fetch = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--requirement",
            str(requirements),
            "--dest",
            str(wheels),
        ]
        completed = subprocess.run([*fetch, *python], capture_output=True, text=True, check=False)
        if completed.returncode:
            raise DockerError(f"the packages for the image were not fetched:\n{completed.stderr}")
        requirements.rename(wanted)  # last: it says that they are whole
    shutil.copytree(wheels, folder, ignore=shutil.ignore_patterns(wanted.name))
