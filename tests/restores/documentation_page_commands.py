"""The commands of a page of the documentation, run exactly as the page has them."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.integration.system.running_house import CHECKOUT
from tests.servers import PostgreSQL

_BLOCK = re.compile(r"^```\n(.*?)^```", re.DOTALL | re.MULTILINE)
_SERVICE = "systemctl "


def blocks(page: Path, heading: str) -> list[str]:
    """The fenced blocks below a heading, in order."""
    below = page.read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    assert below, f"{page} has no heading {heading}"
    return _BLOCK.findall(below)


def run(block: str, env: Mapping[str, str], *, ends_with: int = 0) -> str:
    """Run a block by the shell in the checkout, and return its output."""
    completed = subprocess.run(
        ["bash", "-euc", block], cwd=CHECKOUT, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert completed.returncode == ends_with, (
        f"{block}\nended with {completed.returncode}:\n{completed.stdout}\n{completed.stderr}"
    )
    return completed.stdout


def run_as_server(block: str, env: Mapping[str, str], server: PostgreSQL) -> None:
    """Run a block by the shell of the server's own user. The test itself starts and stops the server."""
    lines: list[str] = []
    for line in [*block.splitlines(), ""]:
        if line and not line.startswith(_SERVICE):
            lines.append(line)
            continue
        _as_user("\n".join(lines), env, server)
        lines.clear()
        if line:
            _do(line.removeprefix(_SERVICE).split()[0], server)


def _do(what: str, server: PostgreSQL) -> None:
    if what in ("stop", "restart"):
        server.stop()
    if what in ("start", "restart"):
        server.start()


def _as_user(lines: str, env: Mapping[str, str], server: PostgreSQL) -> None:
    groups: list[str | int] | None = None if server.uid is None else []
    completed = subprocess.run(
        ["bash", "-euc", lines],
        cwd=server.folder,
        env=env,
        user=server.uid,
        group=server.gid,
        extra_groups=groups,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert completed.returncode == 0, (
        f"{lines}\nended with {completed.returncode}:\n{completed.stdout}\n{completed.stderr}"
    )
