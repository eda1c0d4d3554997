"""PostgreSQL of another Debian release than this machine's: its packages, unpacked beside the installed ones.

The programs run by the loader and the libraries of their own release, so nothing on the machine changes.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
# As root the server runs as another user, who may not be able to enter the checkout.
CACHE = Path("/var/cache/pitledger-tests") if os.geteuid() == 0 else CHECKOUT / ".cache"
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
SUITES = {15: "bookworm", 17: "trixie"}
# Dependencies of Debian's that no test needs: compilation at run time, and the scripts that keep clusters.
LEFT_OUT = re.compile(r"libllvm|libz3|libperl|libpam-modules|lib[a-z-]+-perl_")
NEEDED = re.compile(r"lib|zlib|postgresql-\d|postgresql-client-\d")
CONFIGURATION = """\
Dir::State "{folder}/state";
Dir::State::status "{folder}/state/status";
Dir::Cache "{folder}/cache";
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Debug::NoLocking "true";
"""
# Run by its own loader, which is told under which name it was called: PostgreSQL finds its files from that.
WRAPPER = """\
#!/bin/sh
here=${{0%/*}}
lib=$here/../../../{triplet}
exec "$lib/{loader}" --library-path "$lib" --argv0 "$0" "$here/../programs/${{0##*/}}" "$@"
"""


class FetchError(Exception):
    """Debian's packages did not come; the message is what apt-get or dpkg-deb printed."""


def home_of(version: int) -> Path:
    """Return the folder of the programs of a version, there or not."""
    return CACHE / f"postgresql-{version}" / "usr" / "lib" / "postgresql" / str(version) / "bin"


def can_fetch(version: int) -> bool:
    """Return whether Debian has that version, and this machine can fetch and check its packages."""
    return version in SUITES and KEYS.exists() and shutil.which("apt-get") is not None


def fetch(version: int) -> None:
    """Unpack PostgreSQL of a version into the cache. Raises FetchError."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="postgresql-", dir=CACHE) as name:
        folder = Path(name)
        folder.chmod(0o755)
        root = folder / f"postgresql-{version}"
        for package in _download(version, folder):
            _run(["dpkg-deb", "-x", str(package), str(root)], {})
        _make_runnable(root / "usr" / "lib" / "postgresql" / str(version), root)
        target = CACHE / root.name
        if not target.exists():  # another run may have been quicker
            root.rename(target)


def _download(version: int, folder: Path) -> list[Path]:
    """Fetch the packages of a version by an apt of its own, which checks their signatures as Debian's does."""
    for part in ("state/lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True)
    (folder / "state" / "status").touch()  # nothing is installed: every library comes along
    (folder / "sources.list").write_text(f"deb [signed-by={KEYS}] {_mirror()} {SUITES[version]} main\n")
    (folder / "apt.conf").write_text(CONFIGURATION.format(folder=folder))
    env = {"APT_CONFIG": str(folder / "apt.conf"), "DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", "-q", "update"], env)
    _run(["apt-get", "-q", "-y", "--download-only", "install", f"postgresql-{version}"], env)
    archives = sorted((folder / "cache" / "archives").glob("*.deb"))
    return [package for package in archives if NEEDED.match(package.name) and not LEFT_OUT.match(package.name)]


def _mirror() -> str:
    """Return where this machine's apt gets Debian's packages. Raises FetchError."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(LABEL) $(COMPONENT)"]
    lines = {tuple(line.split()) for line in _run(command, {}).splitlines()}
    mirrors = sorted(line[0] for line in lines if line[1:] == ("Debian", "main"))
    if not mirrors:
        raise FetchError("apt-get knows no archive of Debian: run `apt-get update` once")
    return mirrors[0]


def _make_runnable(home: Path, root: Path) -> None:
    [loader] = root.glob("usr/lib/*/ld-linux-*.so.*")
    wrapper = WRAPPER.format(triplet=loader.parent.name, loader=loader.name)
    (home / "lib" / "llvmjit.so").unlink(missing_ok=True)  # its library is left out
    (home / "bin").rename(home / "programs")
    (home / "bin").mkdir()
    for program in (home / "programs").iterdir():
        script = home / "bin" / program.name
        script.write_text(wrapper)
        script.chmod(0o755)


def _run(command: list[str], env: dict[str, str]) -> str:
    completed = subprocess.run(
        command,
        env=os.environ | env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if completed.returncode:
        raise FetchError(f"{' '.join(command)} ended with {completed.returncode}:\n{completed.stdout[-2_000:]}")
    return completed.stdout
