"""Every command that shows people or the event log leaves a line in the access log.

The commands come from their folder. A new command needs its arguments here, or the reason why it shows no data of the
house. If the output or the files of a command name a person, there must be a line.
"""

import io
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

import backoffice.management.commands
from backoffice.access.models import Look
from events.store import open_store
from tests.integration.pages.test_access_log_line_per_address import PLAYERS, STAFF, ids_in
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House, serving

pytestmark = pytest.mark.django_db

HIT = f"BJ1-{DAY}-1-1"
SHOWING: dict[str, list[list[str]]] = {
    "refusal-log": [[], ["--json"]],
    "alerts": [[], ["--json"], ["--day", DAY]],
    "books": [[], ["--json"], ["--day", DAY], ["--check"]],
    "cash": [[DAY], [DAY, "--json"], [DAY, "--all"]],
    "events": [[], ["--limit", "3"]],
    "explain": [[HIT], [HIT, "--json"], [HIT, "--export", "FILE"]],
    "hold": [[], ["--by", "player"], ["--by", "dealer"], ["--by", "table", "--json"]],
    "journal": [[], [DAY], [DAY, "--per-event"], [DAY, "--json", "--per-event"], [DAY, "--xlsx", "FILE"]],
    "liability": [[], ["--json"]],
    "people": [["list"], ["list", "--json"]],
    "report": [[DAY], [DAY, "--json"], [DAY, "--csv", "FOLDER"], [DAY, "--pdf", "FILE"], [DAY, "--export", "FILE"]],
    "search": [["player:g-1"], ["type:bet.placed", "--json"]],
    "whatif": [["--from-house", "--json"]],
}
OF_NO_PERSON = {  # figures alone: they name nobody, which is tried as well
    "books": [["--digest"]],
    "report": [[DAY, "--between", "1", "9"]],
    "heads": [[], ["--json"]],
    "verify": [["--no-topic", "--json"]],
    "cases": [[], ["--json"]],
    "inspection-draws": [[], ["--json"]],
    "par": [["roulette-french"]],
}
REASONS = {
    "access-log": "it shows the access log itself, and verifies it: a line of its own would be one more to verify",
    "case": "its export writes its line first (tests/unit/cases/test_case_exports.py)",
    "case-key": "it wraps keys anew",
    "verify-case": "it reads a file of the user's",
    "verify-draw": "it reads a file of the user's",
    "completion": "it prints the words of commands",
    "backup": "its manifest has digests",
    "restore": "it reads a backup into an empty place",
    "migrate": "it makes tables",
    "import": "it reads a file of the user's",
    "move-in": "it reads files of the user's",
    "chance-test": "it reads hands of the user's",
    "settle": "it reads rounds of the user's",
    "notify": "it reads rounds of the user's",
    "project": "it serves",
    "rebuild": "it counts rows",
    "relay": "it serves",
    "up": "it serves",
}


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """The evening in a store that commands open by themselves."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PITLEDGER_STORE", url := f"sqlite:///{tmp_path / 'events.sqlite3'}")
    made = House(open_store(url))
    with serving(made):
        evening_with_everything.play(made)
        evening_with_everything.project(made)
        yield made
    made.close()


def test_every_command_stands_here() -> None:
    folder = Path(backoffice.management.commands.__path__[0])
    commands = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert commands == SHOWING.keys() | OF_NO_PERSON.keys() | REASONS.keys()
    assert not REASONS.keys() & (SHOWING.keys() | OF_NO_PERSON.keys())


def run(tmp_path: Path, words: list[str]) -> str:
    """Return the output of a command and the content of its files."""
    place = {"FILE": str(tmp_path / "written"), "FOLDER": str(tmp_path / "folder")}
    out, errors = io.StringIO(), io.StringIO()
    with suppress(CommandError):
        call_command(*(place.get(word, word) for word in words), stdout=out, stderr=errors)
    files = [path for path in (tmp_path / "written", *(tmp_path / "folder").glob("*")) if path.is_file()]
    return "\n".join([out.getvalue(), errors.getvalue(), *(path.read_text("utf-8", "replace") for path in files)])


def test_what_names_a_person_leaves_a_line(house: House, tmp_path: Path) -> None:
    ran, lines = 0, 0
    for command, each in SHOWING.items():
        for number, words in enumerate(each):
            before = Look.objects.count()
            (own := tmp_path / f"{command}-{number}").mkdir()
            text = run(own, [command, *words])
            left = Look.objects.count() - before
            people = ids_in(text, (*PLAYERS, *STAFF))
            assert left or not people, (command, words, people)
            ran, lines = ran + 1, lines + left
    print(f"{ran} commands tried, {lines} lines")
    assert lines > 15


@pytest.mark.parametrize("words", [[name, *words] for name, each in OF_NO_PERSON.items() for words in each])
def test_figures_name_nobody(house: House, tmp_path: Path, words: list[str]) -> None:
    assert ids_in(run(tmp_path, words), (*PLAYERS, *STAFF)) == []
