"""While Kafka, Redis or PostgreSQL is away, each part reports it once and not repeatedly."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from backoffice.running.database_and_mail_settings import ROOT
from events.store import open_store
from tests.support.processes.relays_and_topic_readers import within

OUTAGE_S = 12.0  # an error of each turn of a loop comes many times in it
LINES_MAX = 6
NOBODY = "127.0.0.1:1"  # where nothing listens
CELERY = ("-m", "celery", "--quiet", "--app", "backoffice.house.celery_worker_wiring")
PARTS: dict[str, tuple[tuple[str, ...], str]] = {
    "relay": (("manage.py", "relay"), "The broker at"),
    "projector": (("manage.py", "project"), "the topic is read again"),
    "worker": ((*CELERY, "worker", "--pool", "solo", "--without-gossip", "--without-mingle", "--loglevel", "INFO"), ""),
    "beat": ((*CELERY, "beat", "--loglevel", "WARNING"), "the task broker does not answer"),
    "live": (("-m", "backoffice.live"), ""),
}


def lines_of(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines()


def _wait_for(path: Path, words: str) -> None:
    within(lambda: words in path.read_text(errors="replace"), f"{path.stem} is silent", 120.0)


def test_an_outage_is_said_once_by_each_part(tmp_path: Path, free_port: Callable[[], int]) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PITLEDGER_")}
    environment |= {
        "DJANGO_SETTINGS_MODULE": "backoffice.settings",
        "PITLEDGER_DATA": str(tmp_path),
        "PITLEDGER_KAFKA": NOBODY,
        "PITLEDGER_CELERY": f"redis://{NOBODY}/0",
        "PITLEDGER_WEB_PORT": str(free_port()),
        "PITLEDGER_SWEEP_S": "0.2",
        "PITLEDGER_HEAD_S": "0.2",
        "PYTHONUNBUFFERED": "1",
    }
    with closing(open_store(f"sqlite:///{tmp_path}/events.sqlite3")) as store:
        store.create()
    migrate = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity", "0"]
    subprocess.run(migrate, cwd=ROOT, env=environment, check=True)
    parts = {}
    for name, (arguments, _) in PARTS.items():
        own = {"PITLEDGER_READ": f"postgresql://nobody@{NOBODY}/read"} if name == "live" else {}
        with (tmp_path / f"{name}.log").open("wb") as output:
            command = [sys.executable, *arguments]
            parts[name] = subprocess.Popen(command, cwd=ROOT, env=environment | own, stdout=output, stderr=output)
    try:
        for name, (_, line) in PARTS.items():
            _wait_for(tmp_path / f"{name}.log", line)
        time.sleep(OUTAGE_S)
        for name, part in parts.items():
            lines = lines_of(tmp_path / f"{name}.log")
            assert part.poll() is None, f"{name} has ended: {lines[-5:]}"
            assert len(lines) <= LINES_MAX, f"{name} said {len(lines)} lines: {lines[:12]}"
            assert not [line for line in lines if line.startswith("Traceback")], lines
    finally:
        for part in parts.values():
            part.kill()
            part.wait()
