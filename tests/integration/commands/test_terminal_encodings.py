"""Commands on terminals with other encodings: no character stops a command, and output for programs is UTF-8."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from events.store import open_store
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import WorkedDay
from tests.support.processes.manage_command_runner import ROOT

PLAYER = "Γιώργος"
TRIED = (
    ("cp1253", "hold"), ("cp1253", "report", DAY), ("cp1253", "cash", DAY, "--all"), ("ascii", "report", DAY, "--json"),
    ("ascii", "journal", DAY, "--csv"), ("ascii", "report", DAY), ("ascii", "cash", DAY, "--all"),
)  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encodings")
    house = WorkedDay(open_store(f"sqlite:///{folder / 'events.sqlite3'}"))
    house.begin()
    house.lead("drop.put", drop_box="one")
    house.deal("buyin.make", seat=1, player=PLAYER, amount_minor=500, tender="cash")
    house.close()
    return folder


@pytest.mark.parametrize("tried", TRIED, ids=" ".join)
def test_no_command_dies_of_a_character(data: Path, tried: tuple[str, ...]) -> None:
    encoding, *words = tried
    own = {"PITLEDGER_DATA": str(data), "PITLEDGER_PROPERTY": PROPERTY, "PYTHONIOENCODING": encoding}
    own["DJANGO_SETTINGS_MODULE"] = "backoffice.settings"
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PITLEDGER_", "PYTHON", "LC_"))}
    typed = [sys.executable, str(ROOT / "manage.py"), *words]
    completed = subprocess.run(typed, check=False, env=clean | own, capture_output=True)
    assert completed.returncode == 0, completed.stderr
    if "--json" in words or "--csv" in words:
        completed.stdout.decode("utf-8")
    if "--all" in words:
        assert (PLAYER if encoding == "cp1253" else "?" * len(PLAYER)) in completed.stdout.decode(encoding)
    if "--json" in words:
        assert json.loads(completed.stdout)["day"] == DAY
