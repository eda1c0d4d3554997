"""The demo as a newcomer sees it: pages and links before the night is played, a jackpot explained when it is over."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.integration.system.running_house import CHECKOUT, Installation, installation

EXPLAINED = "A jackpot explained to the cent, event by event:"


def test_the_pages_are_up_while_the_night_is_played(tmp_path: Path, free_port: Callable[[], int]) -> None:
    with installation(tmp_path / "data", free_port(), SWEEP_S="1") as here:
        with _play(here) as demo:
            before = _until(demo, "/display#")
            links = re.findall(r"^  (http://localhost:\S+)", before, re.MULTILINE)
            for link in links:
                assert httpx.get(link, follow_redirects=True).status_code == 200
            _until(demo, " rounds, ")
            after = _until(demo, "The demo took")
        assert demo.returncode == 0
        pages = f"http://localhost:{here.port}"
        assert [link.partition("#")[0] for link in links] == [
            f"{pages}/",
            f"{pages}/progressives/blazing",
            f"{pages}/alerts",
            f"{pages}/display",
        ]
        assert "  u-901  auditor\n" in before
        hit = after.partition(f"{EXPLAINED}\n  ")[2].partition("\n")[0]
        rows = after.partition("\nHits and shares\n")[2].partition("\n\n")[0].splitlines()[2:]
        assert {row.split()[1] for row in rows} == {"mega", "major", "minor"}
        assert re.fullmatch(rf"{pages}/progressives/blazing/hits/BJ\d-2026-11-20-\d+-\d+", hit)
        assert here.left() == {}


def _play(here: Installation) -> subprocess.Popen[str]:
    command = [sys.executable, "manage.py", "demo", "--hours", "0.25", "--data", str(here.data)]
    return subprocess.Popen(
        command, cwd=CHECKOUT, env=here.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def _until(demo: subprocess.Popen[str], text: str) -> str:
    """Return the demo's output up to a line with the text."""
    assert demo.stdout is not None
    lines = []
    for line in demo.stdout:
        lines.append(line)
        if text in line:
            return "".join(lines)
    raise AssertionError("".join(lines)[-3_000:])
