"""`./manage.py move-in`: a dry run changes nothing, a fault stops the run, and two runs at once write once."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from backoffice.running.database_and_mail_settings import ROOT
from events.store import everything, open_store
from tests.support.houses.new_house_opening_plan import PEOPLE, files, written

BY = [word for person in PEOPLE for word in ("--by", person)]
NO_DAY = "setting,value\ncurrency,EUR\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example files, for a house that opens today."""
    return written(tmp_path / "files", files(property=NO_DAY))


def command(data: Path, *words: object) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), "move-in", *map(str, words)]


def environment(data: Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("PITLEDGER_")}
    return own | {"PITLEDGER_DATA": str(data), "DJANGO_SETTINGS_MODULE": "backoffice.settings"}


def move_in(data: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(data, *words), check=False, env=environment(data), capture_output=True, text=True, cwd=data.parent
    )


def everything_in(folder: Path) -> dict[str, tuple[bytes, int]]:
    """The bytes and the time of every file below a folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


def types(data: Path) -> Iterator[str]:
    store = open_store(f"sqlite:///{data / 'events.sqlite3'}")
    try:
        yield from [stored_event.type for stored_event in everything(store)]
    finally:
        store.close()


def test_a_dry_run_writes_nothing_before_there_is_a_house_and_after(tmp_path: Path, folder: Path) -> None:
    data = tmp_path / "house"
    before = everything_in(tmp_path)
    tried = move_in(data, folder, "--dry-run", *BY)
    assert (tried.returncode, tried.stderr) == (0, "")
    assert "nothing was written" in tried.stdout
    assert "open" not in tried.stdout.partition("\n\n")[0]
    assert everything_in(tmp_path) == before
    assert not data.exists()

    completed = move_in(data, folder, *BY)
    assert completed.returncode == 0, completed.stderr
    assert "The house has moved in." in completed.stdout
    before = everything_in(tmp_path)
    further = written(tmp_path / "more", files(property=NO_DAY, staff="id,roles\na-001,administrator\nd-9,dealer\n"))
    tried = move_in(data, further, "--dry-run", *BY, "--json")
    assert json.loads(tried.stdout)["groups"][0] == {
        "group": "staff",
        "title": "Staff",
        "done": 1,
        "there": 1,
        "left": 0,
    }
    after = everything_in(tmp_path)
    assert {name: file for name, file in after.items() if not name.startswith("more/")} == before


@pytest.mark.postgres
def test_a_house_on_postgresql_moves_in_and_its_dry_runs_write_nothing(
    tmp_path: Path, folder: Path, new_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    urls = {role: new_database() for role in ("STORE", "READ", "ACCESS")}
    env = environment(tmp_path / "house") | {f"PITLEDGER_{role}": url for role, url in urls.items()}
    monkeypatch.setattr(f"{__name__}.environment", lambda data: env)
    data = tmp_path / "house"
    tried = move_in(data, folder, "--dry-run", *BY)
    assert (tried.returncode, "nothing was written" in tried.stdout) == (0, True), tried.stderr
    assert [rows for url in urls.values() for rows in written_in(url)] == []
    for _ in range(2):  # the second run finds everything there
        completed = move_in(data, folder, *BY)
        assert completed.returncode == 0, completed.stderr
        assert "The house has moved in." in completed.stdout
        before = [written_in(url) for url in urls.values()]
        tried = move_in(data, folder, "--dry-run", *BY)
        assert (tried.returncode, [written_in(url) for url in urls.values()]) == (0, before), tried.stderr
    with closing(open_store(urls["STORE"])) as store:
        stored = [event.type for event in everything(store)]
    assert [stored.count(kind) for kind in ("table.installed.v1", "session.opened.v1", "cage.opened.v1")] == [2, 2, 1]
    assert [stored.count(kind) for kind in ("chips.issued.v1", "marker.carried.v1", "role.granted.v1")] == [1, 1, 11]


def written_in(url: str) -> list[tuple[str, int]]:
    """The tables of a database, each with the number of its rows."""
    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").fetchall()
        names = [name for (name,) in tables]
        counts = [connection.execute(SQL("SELECT count(*) FROM {}").format(Identifier(name))) for name in names]
        return [(name, rows.fetchall()[0][0]) for name, rows in zip(names, counts, strict=True)]


def test_a_fault_stops_all_of_it(tmp_path: Path) -> None:
    data = tmp_path / "house"
    folder = written(tmp_path / "files", files(property=NO_DAY, markers="marker,player,amount\nM1,g-1,1.234\n"))
    completed = move_in(data, folder, *BY, "--by", "x-9")
    assert completed.returncode == 2
    assert "markers.csv, line 2, column amount: 1.234 can be read in two ways" in completed.stdout
    assert "No person has the id x-9" in completed.stdout
    assert "Nothing was written" in completed.stderr
    assert list(types(data)) == []


def test_two_at_once_write_everything_once(tmp_path: Path, folder: Path) -> None:
    data = tmp_path / "house"
    assert (
        move_in(
            data, written(tmp_path / "staff", {"staff": files()["staff"], "property": NO_DAY.encode()}), *BY
        ).returncode
        == 0
    )
    words = command(data, folder, *BY)
    runs = [
        subprocess.Popen(words, env=environment(data), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for run in runs:
        out, err = run.communicate(timeout=120)
        assert run.returncode in (0, 3), out + err
    assert move_in(data, folder, *BY).returncode == 0
    kinds = list(types(data))
    assert [kinds.count(kind) for kind in ("table.installed.v1", "session.opened.v1", "cage.opened.v1")] == [2, 2, 1]
    assert [kinds.count(kind) for kind in ("chips.issued.v1", "marker.carried.v1", "role.granted.v1")] == [1, 1, 11]


def test_the_example_files_are_written_once(tmp_path: Path) -> None:
    folder, data = tmp_path / "new", tmp_path / "house"
    assert move_in(data, folder, "--template").returncode == 0
    assert (folder / "staff.csv").read_bytes().startswith(b"\xef\xbb\xbfid,roles,name\r\n")
    assert not data.exists()
    again = move_in(data, folder, "--template")
    assert again.returncode == 2
    assert "already" in again.stderr
