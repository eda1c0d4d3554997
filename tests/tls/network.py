"""A network beside this machine's own, joined to it by one cable: for browsers and programs that are elsewhere.

A change of its machine's networks ends the downloads of a browser. So they change between two browser tests of the
other workers only.
"""

import fcntl
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE, THERE = "10.211.77.1", "10.211.77.2"


class Network:
    """A network namespace. `HERE` is this machine as it is seen from there."""

    def __init__(self, name: str) -> None:
        self.name = name

    def command(self, *words: str) -> list[str]:
        """A command as it runs in that network."""
        return ["ip", "netns", "exec", self.name, *words]

    def run(self, *words: str) -> str:
        """Return what a command prints in that network."""
        return subprocess.run(self.command(*words), capture_output=True, text=True, check=True, timeout=60).stdout

    def browser(self, folder: Path, program: str, authority: Path) -> str:
        """Return a program that starts a browser in that network, which trusts an authority."""
        store = folder / ".pki" / "nssdb"
        store.mkdir(parents=True)
        for words in (["-N", "--empty-password"], ["-A", "-n", "test", "-t", "C,,", "-i", str(authority)]):
            subprocess.run(["certutil", "-d", f"sql:{store}", *words], check=True, capture_output=True, timeout=60)
        script = folder / "browser"
        script.write_text(f'#!/bin/sh\nHOME={folder} exec ip netns exec {self.name} {program} "$@"\n')
        script.chmod(0o700)
        return str(script)


def is_available() -> bool:
    """Whether networks can be made here, and the proxies are installed."""
    programs = ("nginx", "caddy", "certutil", "curl", "ip")
    if any(shutil.which(program) is None for program in programs):
        return False
    name = f"pitledger-{secrets.token_hex(3)}"
    if _ip("netns", "add", name).returncode:
        return False
    _ip("netns", "delete", name)
    return True


@contextmanager
def unchanged_networks() -> Iterator[None]:
    """Keep all workers from changing this machine's networks."""
    with _locked(fcntl.LOCK_SH):
        yield


@contextmanager
def _locked(kind: int) -> Iterator[None]:
    with (Path(tempfile.gettempdir()) / f"pitledger-networks-{os.getuid()}.lock").open("a") as file:
        fcntl.flock(file, kind)
        yield


@contextmanager
def another_network() -> Iterator[Network]:
    """A network with one machine, THERE, that reaches this one."""
    mark = secrets.token_hex(3)
    name, here, there = f"pitledger-{mark}", f"plh{mark}", f"plt{mark}"
    inside = ["ip", "netns", "exec", name, "ip"]
    steps = [
        ["ip", "netns", "add", name],
        ["ip", "link", "add", here, "type", "veth", "peer", "name", there],
        ["ip", "link", "set", there, "netns", name],
        # Without IPv6, whose address comes a moment later: a browser gives up what it loads when a network changes.
        ["ip", "link", "set", here, "addrgenmode", "none"],
        [*inside, "link", "set", there, "addrgenmode", "none"],
        ["ip", "address", "add", f"{HERE}/24", "dev", here],
        ["ip", "link", "set", here, "up"],
        [*inside, "address", "add", f"{THERE}/24", "dev", there],
        [*inside, "link", "set", there, "up"],
        [*inside, "link", "set", "lo", "up"],
    ]
    try:
        with _locked(fcntl.LOCK_EX):
            for step in steps:
                subprocess.run(step, check=True, capture_output=True, timeout=60)
        yield Network(name)
    finally:
        with _locked(fcntl.LOCK_EX):
            _ip("netns", "delete", name)
            _ip("link", "delete", here)


def _ip(*words: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(["ip", *words], check=False, capture_output=True, timeout=60)
