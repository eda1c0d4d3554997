"""Commands at a terminal: their list, their end, and their messages about a folder that is mistyped or read-only."""

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.management import CommandError, get_commands, load_command_class
from django.db.utils import OperationalError

from backoffice.installation.own_command_listing_and_parsers import OURS, commands
from backoffice.management import error_messages
from backoffice.management.commands import completion
from backoffice.management.manage_entry_point import LOOKING, WITHOUT_A_HOUSE, summaries
from backoffice.running.version import version
from tests.support.processes.manage_command_runner import ROOT, run


def test_help_lists_our_commands_a_line_each_and_none_of_djangos(tmp_path: Path) -> None:
    text = run(tmp_path, "help").stdout
    listed = dict(line.split(maxsplit=1) for line in text.splitlines() if line.startswith("  "))
    assert listed.keys() == commands().keys()
    assert all(5 < len(line) < 110 for line in listed.values())
    assert "flush" not in text
    assert run(tmp_path).stdout == text


def test_our_version_everywhere(tmp_path: Path) -> None:
    for words in (("--version",), ("version",)):
        assert run(tmp_path, *words).stdout == f"Pitledger {version()}\n"
    assert run(tmp_path, "par", "--version").stdout == f"{version()}\n"


@pytest.mark.parametrize(
    ("former", "name"),
    [
        ("access", "refusal-log"),
        ("draw", "inspection-draws"),
        ("judge", "chance-test"),
        ("looks", "access-log"),
        ("tell", "notify"),
    ],
)
def test_former_names_of_commands_still_work(tmp_path: Path, former: str, name: str) -> None:
    """A schedule that still runs a command by its former name gets the same command."""
    assert run(tmp_path, "help", former).stdout == run(tmp_path, "help", name).stdout
    assert run(tmp_path, former, "--help").stdout == run(tmp_path, name, "--help").stdout
    for words in ((former,), ("help", former)):
        assert "Unknown command" not in run(tmp_path, *words).stderr
    assert f"no game {former}." in run(tmp_path, "par", former).stderr


def test_the_help_of_a_command_is_about_itself(tmp_path: Path) -> None:
    text = run(tmp_path, "par", "--help").stdout
    assert "--packs" in text
    assert not [option for option in ("--pythonpath", "--traceback", "--settings") if option in text]


@pytest.mark.parametrize("command", sorted(commands()))
def test_a_command_without_options_is_understood(command: str) -> None:
    """The default of each option passes the option's own check. At most a required argument is missing."""
    parser = load_command_class(get_commands()[command], command).create_parser("manage.py", command)
    missing = ""
    try:
        parser.parse_args([])
    except CommandError as error:
        missing = str(error)
    assert "required" in missing or not missing


NEEDED = {
    "backup": ["elsewhere"],
    "cash": ["2026-11-20"],
    "import": ["history", "FILE"],
    "rebuild": ["floor"],
    "report": ["2026-11-20"],
}


@pytest.mark.parametrize("command", sorted(LOOKING))
def test_a_mistyped_folder_is_said_and_not_made(tmp_path: Path, command: str) -> None:
    there = tmp_path / "hosue"
    completed = run(there, command, *NEEDED.get(command, ()))
    assert completed.returncode == 2
    assert completed.stderr == (
        f"PITLEDGER_DATA: there is no folder {there}: is it mistyped? `./manage.py up` begins a house there\n"
    )
    assert not there.exists()


def test_its_help_is_there_without_a_folder(tmp_path: Path) -> None:
    assert "--export" in run(tmp_path / "hosue", "report", "--help").stdout


@pytest.mark.parametrize("words", [("par", "craps-gr"), ("completion", "bash"), ("settle",)])
def test_what_needs_no_house_leaves_nothing_in_its_folder(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert run(tmp_path, *words).returncode == 0
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("words", [("hold",), ("chance-test",), ("liability",), ("cash", "2026-11-20")])
def test_a_house_without_events_is_a_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    completed = run(tmp_path, *words)
    assert completed.returncode == 1
    where = f"sqlite:///{tmp_path}/events.sqlite3"
    assert completed.stderr == (
        f"no event was ever stored in {where}: is it mistyped? `./manage.py up` begins a house there\n"
    )


def test_commands_that_look_exist_and_the_others_begin_a_house_or_need_none() -> None:
    ours = {name for name, app in get_commands().items() if app in OURS}
    begins = {"bench", "demo", "migrate", "move-in", "people", "restore", "soak", "up"}
    assert ours - LOOKING - WITHOUT_A_HOUSE == begins
    assert ours > LOOKING | WITHOUT_A_HOUSE


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "/srv/run"), "/srv/run: Permission denied"),
        (OSError(errno.EROFS, "Read-only file system", "/srv/run"), "/srv/run: Read-only file system"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "cannot be written by this user (PITL"),
        (OperationalError("attempt to write a readonly database"), "cannot be written by this user (PITLEDGER_READ)"),
        (OperationalError("unable to open database file"), "cannot be opened: may it be written here?"),
    ],
)
def test_what_may_not_be_written_is_a_line(error: Exception, message: str) -> None:
    lines = error_messages.error_line_and_code(error)
    assert lines is not None
    assert message in lines[0]
    assert "\n" not in lines[0]
    assert lines[1] == 1


def test_a_fault_of_ours_keeps_its_traceback() -> None:
    assert error_messages.error_line_and_code(OSError(errno.EBADF, "Bad file descriptor", "x")) is None
    assert error_messages.error_line_and_code(OSError("no errno")) is None


@pytest.mark.parametrize("after", [0.2, 2.0])
def test_ctrl_c_is_one_line_at_any_moment(after: float) -> None:
    """While Python still imports as well: `settle` then waits for its input."""
    command = [sys.executable, str(ROOT / "manage.py"), "settle"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        began = _running_python(process.pid, after)
        process.send_signal(signal.SIGINT)
        output = _ended(process)
    assert began
    assert (process.returncode, output) == (130, "\nStopped.\n")


def _ended(process: subprocess.Popen[str]) -> str:
    """Return the last output of a process. A process that missed the signal would wait for input after the minute."""
    try:
        return process.communicate(timeout=60)[1]
    finally:
        process.kill()


def _running_python(pid: int, seconds: float) -> bool:
    """Waits until the process has used so much time of its own, or does nothing more."""
    before, still = -1.0, 0
    while still < 40:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        if used >= seconds:
            return True
        still = still + 1 if used == before else 0
        before = used
        time.sleep(0.05)
    return used > 0.1


def test_tab_completes_commands_options_and_choices(tmp_path: Path) -> None:
    script = tmp_path / "completion"
    script.write_text(completion.script())

    def completed(*words: str) -> set[str]:
        line = " ".join(f"'{word}'" for word in words)
        ask = f'COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _pitledger; echo "${{COMPREPLY[@]}}"'
        completed = subprocess.run(
            ["bash", "-c", f"source {script}; {ask}"], capture_output=True, text=True, check=True
        )
        return set(completed.stdout.split())

    assert completed("./manage.py", "re") == {"rebuild", "refusal-log", "relay", "report", "restore"}
    assert completed("./manage.py", "books", "--d") == {"--day", "--digest"}
    assert {"list", "badge", "terminal"} <= completed("./manage.py", "people", "")
    assert completed("./manage.py", "rebuild", "fl") == {"floor"}


def test_people_for_a_program(migrated: Path) -> None:
    run(migrated, "people", "add", "a-1", "--role", "administrator", "--name", "Anna")
    people = json.loads(run(migrated, "people", "list", "--json").stdout)
    assert people == {"people": [{"id": "a-1", "name": "Anna", "roles": ["administrator"]}], "terminals": []}


def test_a_terminal_stands_at_a_table_that_is_there(migrated: Path) -> None:
    run(migrated, "people", "add", "a-1", "--role", "administrator")
    completed = run(migrated, "people", "terminal", "t-1", "--table", "ZZ9")
    assert completed.returncode == 1
    assert "there is no table 'ZZ9'; there is none yet (`table.install` brings one)" in completed.stderr
    assert json.loads(run(migrated, "people", "list", "--json").stdout)["terminals"] == []


def test_the_nearest_type_is_named(migrated: Path) -> None:
    completed = run(migrated, "events", "--type", "bet.place")
    assert completed.returncode == 2
    assert "there is no event type 'bet.place'; did you mean bet.placed.v1" in completed.stderr
    assert completed.stderr.count("\n") == 1


VERBS = {"build", "calculate", "copy", "create", "export", "find", "import", "list", "measure", "play", "print", "run"}
VERBS |= {"recalculate", "restore", "send", "set", "settle", "show", "test", "update", "verify", "wrap", "write"}
ALSO = {"check", "manage", "repeat", "start"}


def test_every_summary_and_every_help_begins_with_a_verb() -> None:
    lines = summaries()
    assert {name: line for name, line in lines.items() if line.split()[0] not in VERBS} == {}
    helps = {name: load_command_class(get_commands()[name], name).help for name in lines}
    assert {name: text for name, text in helps.items() if text.split()[0].lower() not in VERBS | ALSO} == {}
    assert {name: text for name, text in helps.items() if not text.endswith(".")} == {}
