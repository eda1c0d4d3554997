"""What commands say to a newcomer's mistakes: a sentence, no traceback, and nothing is lost or made by it."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def run(data: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PITLEDGER_")}
    command = [sys.executable, str(ROOT / "manage.py"), *words]
    values = {**clean, "PITLEDGER_DATA": str(data), "DJANGO_SETTINGS_MODULE": "backoffice.settings", **environment}
    done = subprocess.run(command, env=values, capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize("hours", ["0", "nan", "25"])
def test_a_demo_of_bad_hours_does_not_empty_the_folder(tmp_path: Path, hours: str) -> None:
    for name in ("this-is-a-demo", "events.sqlite3"):
        (tmp_path / name).touch()
    done = run(tmp_path, "demo", "--data", str(tmp_path), "--hours", hours)
    assert (done.returncode, done.stderr) == (1, "CommandError: --hours: between 0.2 and 24\n")
    assert (tmp_path / "events.sqlite3").exists()


def test_a_demo_does_not_empty_a_folder_that_is_no_demos(tmp_path: Path) -> None:
    (tmp_path / "letters").touch()
    done = run(tmp_path, "demo", "--data", str(tmp_path))
    assert done.returncode == 1
    assert "is not empty and not a demo's" in done.stderr
    assert (tmp_path / "letters").exists()


@pytest.mark.parametrize("port", ["0", "65536", "web"])
def test_up_wants_a_port(tmp_path: Path, port: str) -> None:
    for done in (run(tmp_path, "up", "--port", port), run(tmp_path, "up", PITLEDGER_WEB_PORT=port)):
        assert done.returncode == 2
        assert f"'{port}' is no port: a number from 1 to 65535, by --port or PITLEDGER_WEB_PORT" in done.stderr


def test_up_on_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(tmp_path, "up", "--port", str(port))
    assert done.returncode == 1
    assert f"port {port} is in use: choose another one by PITLEDGER_WEB_PORT or --port" in done.stderr


def test_the_first_person_gets_a_badge_in_an_empty_folder(tmp_path: Path) -> None:
    done = run(tmp_path, "people", "add", "a-1", "--role", "administrator")
    assert done.returncode == 0
    assert "The badge, shown this once" in done.stdout
    assert "a-1          administrator" in run(tmp_path, "people", "list").stdout


def test_looking_makes_no_store(tmp_path: Path) -> None:
    done = run(tmp_path, "verify")
    assert done.returncode == 2
    assert "there is no event store" in done.stderr
    assert run(tmp_path, "people", "list").returncode == 1
    assert not (tmp_path / "events.sqlite3").exists()
