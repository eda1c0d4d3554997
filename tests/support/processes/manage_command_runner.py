"""`./manage.py` as a person types it: a process of its own that ends, with all its output.

The process is forked from one that has already imported the libraries (`tests/support/processes/fork_server.py`). It
reads its settings and starts Django as usual, in a third of the time. Tests that need a new interpreter use
`subprocess`.
"""

import atexit
import functools
import json
import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
ENDS_S = 300


def run(data: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command on the house in this folder, with these variables; it must not end with a traceback."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PITLEDGER_")}
    variables = {
        **clean,
        "PITLEDGER_DATA": str(data),
        "DJANGO_SETTINGS_MODULE": "backoffice.settings",
        **environment,
    }
    completed = _typed([str(ROOT / "manage.py"), *words], variables)
    assert "Traceback" not in completed.stderr, completed.stderr
    return completed


def _typed(words: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory(prefix="pitledger-typed-") as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        for path in (out, err):
            path.touch()
        command = {"words": words, "env": environment, "cwd": os.getcwd(), "out": str(out), "err": str(err)}
        code = _forked(json.dumps(command))
        return subprocess.CompletedProcess(words, code, out.read_text(), err.read_text())


def _forked(command: str) -> int:
    process = _process()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{command}\n")
    process.stdin.flush()
    if not select.select([process.stdout], [], [], ENDS_S)[0]:
        _end(process)
        _process.cache_clear()
        raise TimeoutError(f"no end after {ENDS_S} s: {command}")
    return int(process.stdout.readline())


@functools.cache
def _process() -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("fork_server.py")), str(ROOT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,  # a command that hangs is ended with it
    )
    atexit.register(_end, process)
    return process


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, 9)
    process.communicate()
