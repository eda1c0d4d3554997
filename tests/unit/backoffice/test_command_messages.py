"""Messages of commands to a newcomer's mistakes: a sentence without a traceback, and no data are lost or created."""

import json
import os
import socket
from pathlib import Path

import pytest

from backoffice.running.port_claims import claimed
from events.errors import Conflict
from tests.servers import free_port
from tests.support.processes.manage_command_runner import run


@pytest.mark.parametrize("hours", ["0", "nan", "25"])
def test_a_demo_of_bad_hours_does_not_empty_the_folder(tmp_path: Path, hours: str) -> None:
    for name in ("this-is-a-demo", "events.sqlite3"):
        (tmp_path / name).touch()
    completed = run(tmp_path, "demo", "--data", str(tmp_path), "--hours", hours)
    assert (completed.returncode, completed.stderr) == (2, "CommandError: --hours must be between 0.2 and 24\n")
    assert (tmp_path / "events.sqlite3").exists()


def test_a_demo_does_not_empty_a_folder_that_is_no_demos(tmp_path: Path) -> None:
    (tmp_path / "letters").touch()
    completed = run(tmp_path, "demo", "--data", str(tmp_path))
    assert completed.returncode == 1
    assert "is not empty and has no demo" in completed.stderr
    assert (tmp_path / "letters").exists()


@pytest.mark.parametrize("port", ["0", "65536", "web"])
def test_up_wants_a_port(tmp_path: Path, port: str) -> None:
    for done in (run(tmp_path, "up", "--port", port), run(tmp_path, "up", PITLEDGER_WEB_PORT=port)):
        assert done.returncode == 2
        assert f"'{port}' is not a port: a number from 1 to 65535" in done.stderr


def test_up_on_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        completed = run(tmp_path, "up", "--port", str(port))
    assert completed.returncode == 1
    assert f"port {port} is in use: choose another one by PITLEDGER_WEB_PORT or --port" in completed.stderr


def test_the_first_person_gets_a_badge_in_an_empty_folder(tmp_path: Path) -> None:
    completed = run(tmp_path, "people", "add", "a-1", "--role", "administrator")
    assert completed.returncode == 0
    assert "The badge, shown this once" in completed.stdout
    assert "a-1          administrator" in run(tmp_path, "people", "list").stdout


def test_what_is_handed_out_at_the_terminal_leaves_a_line_as_on_the_page(migrated: Path) -> None:
    for words in (
        ("add", "a-1", "--role", "administrator"),
        ("badge", "a-1", "--by", "a-1"),
        ("enrol", "a-1", "--by", "a-1"),
        ("display", "bar", "--by", "a-1"),
        ("revoke", "--person", "a-1", "--by", "a-1"),
    ):
        assert run(migrated, "people", *words).returncode == 0
    rows = [json.loads(line) for line in run(migrated, "refusal-log", "--json").stdout.splitlines()]
    assert [(row["person"], row["what"], row["outcome"]) for row in rows] == [
        ("installer", "people badge a-1", "done"),
        ("a-1", "people badge a-1", "done"),
        ("a-1", "people enrol a-1", "done"),
        ("a-1", "people display bar", "done"),
        ("a-1", "people revoke a-1", "done"),
    ]


READ = "PITLEDGER_READ: want sqlite:///PATH or postgresql://USER:PASSWORD@HOST:PORT/DB"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://x", READ),
        ("x", READ),
        (
            "postgresql://host:port/x",
            "PITLEDGER_READ: Port could not be cast to integer value as 'port': want postgres",
        ),
        ("postgresql://host/x?sslmode=require", "PITLEDGER_READ: cannot take sslmode=require: set libpq's variables"),
    ],
)
def test_read_models_of_another_kind(tmp_path: Path, url: str, message: str) -> None:
    completed = run(tmp_path, "books", PITLEDGER_READ=url)
    assert completed.returncode == 2
    assert completed.stderr.startswith(message)


def test_read_models_whose_server_does_not_answer(tmp_path: Path) -> None:
    with socket.socket() as bound:  # and does not listen
        bound.bind(("127.0.0.1", 0))
        where = f"127.0.0.1:{bound.getsockname()[1]}/read"
        completed = run(tmp_path, "books", PITLEDGER_READ=f"postgresql://paul:secret@{where}")
    assert completed.returncode == 1
    assert completed.stderr.startswith(f"the read models' database postgresql://paul@{where} does not answer (")
    assert completed.stderr.endswith("): start it, or correct PITLEDGER_READ\n")
    assert completed.stderr.count("\n") == 1
    assert "secret" not in completed.stderr


def test_read_models_in_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    completed = run(tmp_path, "books", PITLEDGER_READ=f"sqlite:///{tmp_path}/file/read.sqlite3")
    assert completed.returncode == 1
    assert completed.stderr.endswith("read.sqlite3 cannot be opened: may it be written here? (PITLEDGER_READ)\n")
    assert completed.stderr.count("\n") == 1


def test_tables_that_are_missing(tmp_path: Path) -> None:
    completed = run(tmp_path, "books")
    assert completed.returncode == 1
    assert "`./manage.py migrate` makes them" in completed.stderr


@pytest.mark.parametrize("words", [("people", "list"), ("liability",), ("explain", "x")])
def test_a_store_of_another_kind(migrated: Path, words: tuple[str, ...]) -> None:
    completed = run(migrated, *words, PITLEDGER_STORE="mysql://x")
    assert completed.returncode == 2
    assert completed.stderr.endswith(
        "PITLEDGER_STORE: This is not the address of a store. "
        "Write sqlite:///PATH or postgresql://USER:PASSWORD@HOST:PORT/DB.\n"
    )


@pytest.mark.parametrize("port", ["web", "0", "65536"])
def test_live_streams_want_a_port(tmp_path: Path, port: str) -> None:
    completed = run(tmp_path, "up", PITLEDGER_LIVE_PORT=port)
    assert completed.returncode == 2
    assert f"PITLEDGER_LIVE_PORT: '{port}' is not a port: a number from 1 to 65535" in completed.stderr


def test_live_streams_and_pages_want_two_ports(tmp_path: Path) -> None:
    completed = run(tmp_path, "up", "--port", "8123", PITLEDGER_LIVE_PORT="8123")
    assert (completed.returncode, completed.stderr) == (
        2,
        "CommandError: PITLEDGER_LIVE_PORT: 8123 is another process's port already\n",
    )


def test_up_on_a_port_that_another_up_has_claimed(tmp_path: Path) -> None:
    """The port is free at first, but two processes that start together must not both take it."""
    port = free_port()
    with claimed({port: "--port"}):
        completed = run(tmp_path, "up", "--port", str(port))
    assert completed.returncode == 1
    assert completed.stderr == (
        f"CommandError: port {port} is in use by another `up`, process {os.getpid()}: "
        "choose another one by PITLEDGER_WEB_PORT or --port\n"
    )


def test_a_claim_ends_with_its_holder() -> None:
    port = free_port()
    for _ in range(2):
        with claimed({port: "--port"}), pytest.raises(Conflict, match=f"by another `up`, process {os.getpid()}"):
            claimed({port: "--port"}).__enter__()


def test_up_with_nothing_left_to_start(tmp_path: Path) -> None:
    completed = run(tmp_path, "up", "--only", "web", "--without", "web")
    assert (completed.returncode, completed.stderr) == (
        2,
        "CommandError: --only, --without: nothing is left to start\n",
    )


def test_nobody_gets_a_badge(migrated: Path) -> None:
    run(migrated, "people", "add", "a-1", "--role", "administrator")
    completed = run(migrated, "people", "badge", "a-2")
    assert completed.returncode == 1
    assert "No person has the id 'a-2'. `people add` creates one with a role and a badge" in completed.stderr
    assert "badge, which is shown" not in completed.stdout
    assert "The badge, shown this once" in run(migrated, "people", "badge", "a-1").stdout


def test_a_role_without_an_administrator_says_how(migrated: Path) -> None:
    run(migrated, "people", "add", "a-1", "--role", "administrator")
    completed = run(migrated, "people", "add", "d-1", "--role", "dealer")
    assert completed.returncode == 1
    assert (
        "role.grant is for: administrator. Ask a person in one of these roles. "
        "Name that person with --by: installer is not in such a role.\n"
    ) in completed.stderr


def test_the_first_of_a_house_is_an_administrator(migrated: Path) -> None:
    completed = run(migrated, "people", "add", "d-1", "--role", "dealer")
    assert completed.returncode == 1
    assert "The first person of a house gets the role administrator." in completed.stderr


def test_looking_makes_no_store(tmp_path: Path) -> None:
    completed = run(tmp_path, "verify")
    assert completed.returncode == 2
    assert "There is no event store" in completed.stderr
    assert run(tmp_path, "people", "list").returncode == 1
    assert not (tmp_path / "events.sqlite3").exists()


@pytest.mark.parametrize("command", ["up", "people", "relay", "settle"])
def test_a_setting_that_is_none_is_said_before_anything_is_done(tmp_path: Path, command: str) -> None:
    completed = run(tmp_path, command, PITLEDGER_SWEEPS="3")
    message = "PITLEDGER_SWEEPS: There is no such setting: did you mean PITLEDGER_SWEEP_S? Correct its name.\n"
    assert (completed.returncode, completed.stderr, list(tmp_path.iterdir())) == (2, message, [])
