"""The commands of docs/howto/backup.md, run exactly as the page has them, on files and on PostgreSQL."""

import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from events.store import open_store
from projections.registry import PROJECTORS
from tests.integration.system.running_house import CHECKOUT, Installation, Up, installation
from tests.restores.documentation_page_commands import blocks, run, run_as_server
from tests.servers import PostgreSQL
from tests.support.houses.small_house import House, reopened_house
from tests.support.processes.relays_and_topic_readers import within

PAGE = CHECKOUT / "docs" / "howto" / "backup.md"
CAUGHT_UP_S = 60.0
PARTS = ("--without", "web", "live")  # what this test needs


class PeopleAtWork:
    """People at a table of a house that runs, opened by the first of them."""

    def __init__(self, here: Installation) -> None:
        store = open_store(here.env["PITLEDGER_STORE"])
        if store.position():
            self._house = reopened_house(store)
        else:
            self._house = House(store)
            self._house.open_table("FR1")
        self.position = store.position

    def buys(self, count: int = 5) -> int:
        for _ in range(count):
            bought = self._house.action("buyin.make", seat=1, player="p", amount_minor=100)
            self._house.ok("tables", "FR1", "dora", bought)
        return self.position()

    def close(self) -> None:
        self._house.close()


def vouched(here: Installation) -> tuple[int, int]:
    """Return the last head in the event store, and its position."""
    match = re.search(r"in the event store: head (\d+) over .* position ([\d,]+)", here.manage("heads").stdout)
    return (int(match[1]), int(match[2].replace(",", ""))) if match else (0, 0)


def signed(here: Installation, position: int) -> None:
    """Wait until a head vouches for all up to here."""
    within(lambda: vouched(here)[1] >= position, "no head is made", CAUGHT_UP_S)


def read(here: Installation, position: int) -> None:
    """Wait until the read models have it."""
    command = ["events", "--after", str(position - 1), "--limit", "1"]
    within(lambda: here.manage(*command).stdout.strip() != "", "the read models do not follow", CAUGHT_UP_S)


def all_is_well(output: str) -> None:
    assert output.count("equal to the live one") == len(PROJECTORS)
    assert output.rstrip().endswith("Every invariant holds.")


@pytest.fixture
def on_files(tmp_path: Path, free_port: Callable[[], int]) -> Iterator[Installation]:
    data = tmp_path / "house"
    data.mkdir()
    with installation(data, free_port(), HEAD_S="0.5", STORE=f"sqlite:///{data}/events.sqlite3") as here:
        yield here


def test_a_copy_while_running_on_files_and_its_restore(on_files: Installation, tmp_path: Path) -> None:
    backup, check_copy = blocks(PAGE, "Make a backup")
    restore, check = blocks(PAGE, "Restore it")
    env = on_files.env | {"BACKUP": str(tmp_path / "backup"), "KEYS": str(tmp_path / "keys")}
    up = Up(on_files, *PARTS).wait_until_up()
    work = PeopleAtWork(on_files)
    signed(on_files, work.buys())
    stop, at_work = threading.Event(), threading.Thread(target=lambda: _until(stop, work))
    at_work.start()
    printed = run(backup, env)
    stop.set()
    at_work.join()
    last_kept = int(re.findall(r"events up to position ([\d,]+), head \d+", printed)[0].replace(",", ""))
    assert "restored into a temporary house and verified" in run(check_copy, env)
    lost = work.buys()
    signed(on_files, lost)
    work.close()
    assert up.stop() == 0
    assert "Everything holds." in run(restore, env)
    up = Up(on_files, *PARTS).wait_until_up()
    read(on_files, last_kept)
    all_is_well(run(check, env))
    assert not (tmp_path / "backup" / "night.part").exists()
    work = PeopleAtWork(on_files)
    assert last_kept <= work.position() < lost
    signed(on_files, work.buys())
    work.close()
    assert up.stop() == 0
    assert here_holds(on_files)


def _until(stop: threading.Event, work: PeopleAtWork) -> None:
    while not stop.is_set():
        work.buys(1)


def here_holds(here: Installation) -> bool:
    return here.manage("verify", "--no-topic").stdout.rstrip().endswith("Everything holds.")


def test_a_backup_into_a_folder_that_is_in_use_is_refused(on_files: Installation, tmp_path: Path) -> None:
    done = on_files.manage("backup", str(tmp_path / "night"))
    assert (done.returncode, "PITLEDGER_DATA names another house" in done.stderr) == (2, True)
    on_files.manage("migrate")
    done = on_files.manage("backup", str(tmp_path / "night"))
    assert (done.returncode, "holds no events" in done.stderr) == (2, True)
    assert not list(tmp_path.glob("night*"))
    House(open_store(on_files.env["PITLEDGER_STORE"])).close()
    assert on_files.manage("backup", str(tmp_path / "night")).returncode == 0
    done = on_files.manage("backup", str(tmp_path / "night"))
    assert (done.returncode, "is not empty: name another folder" in done.stderr) == (1, True)


def test_a_damaged_file_is_no_backup(on_files: Installation, tmp_path: Path) -> None:
    path = on_files.data / "events.sqlite3"
    store = open_store(f"sqlite:///{path}")
    on_files.manage("migrate")
    house = House(store)
    house.close()
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\xff" * 8192 + content[16384:])
    done = on_files.manage("backup", str(tmp_path / "night"))
    assert done.returncode == 1
    assert "nothing was copied" in done.stderr
    assert not (tmp_path / "night").exists()


# --- PostgreSQL -------------------------------------------------------------------------------------------------------


@pytest.fixture
def cluster() -> Iterator[PostgreSQL]:
    """A cluster of the test's own, which is replaced."""
    with PostgreSQL() as server:
        yield server


@pytest.fixture
def on_servers(
    cluster: PostgreSQL, kafka_bootstrap: str, tmp_path: Path, free_port: Callable[[], int]
) -> Iterator[Installation]:
    data = tmp_path / "house"
    data.mkdir()
    urls = {"STORE": cluster.new_database(), "READ": cluster.new_database(), "KAFKA": kafka_bootstrap}
    with installation(data, free_port(), HEAD_S="0.5", **urls) as here:
        yield here


def of_the_server(cluster: PostgreSQL, here: Installation) -> dict[str, str]:
    """The environment in which the page's commands about PostgreSQL are typed."""
    where = psycopg.conninfo.conninfo_to_dict(cluster.url())
    own = {"PATH": f"{cluster.home}:{os.environ['PATH']}", "HOME": str(cluster.folder)}
    folders = {"PGDATA": str(cluster.folder / "data"), "BACKUP": str(cluster.folder / "backup")}
    libpq = {"PGHOST": "host", "PGPORT": "port", "PGUSER": "user", "PGPASSWORD": "password"}
    return here.env | own | folders | {name: str(where[part]) for name, part in libpq.items()}


def now(cluster: PostgreSQL) -> str:
    with psycopg.connect(cluster.url()) as connection:
        return str(connection.execute("SELECT clock_timestamp()::text").fetchone()[0])  # type: ignore[index]  # one row


def is_there(cluster: PostgreSQL) -> bool:
    with psycopg.connect(cluster.url()) as connection:
        return connection.execute("SELECT pg_is_in_recovery()").fetchone() == (False,)


@pytest.mark.postgres
def test_back_to_a_moment_on_postgresql(on_servers: Installation, cluster: PostgreSQL) -> None:
    archive, base, keys, restore, heads, accept, check = blocks(PAGE, "Restore PostgreSQL to any moment")
    env = of_the_server(cluster, on_servers)
    run_as_server(archive, env, cluster)
    up = Up(on_servers, *PARTS).wait_until_up()
    work = PeopleAtWork(on_servers)
    signed(on_servers, work.buys())
    run_as_server(base, env, cluster)
    run(keys, env)
    buys = work.buys()
    signed(on_servers, buys)
    env["UNTIL"] = now(cluster)
    signed(on_servers, work.buys())
    work.close()
    assert up.stop() == 0
    run_as_server(restore, env, cluster)
    within(lambda: is_there(cluster), "the cluster does not arrive at the moment", CAUGHT_UP_S)
    printed = run(heads, env, ends_with=1)
    env["HEAD"] = re.findall(r"in the event store: head (\d+)", printed)[0]
    assert run(accept, env).rstrip().endswith("Everything holds.")
    up = Up(on_servers, *PARTS).wait_until_up()
    read(on_servers, buys)
    all_is_well(run(check, env))
    work = PeopleAtWork(on_servers)
    assert work.position() == buys
    last = work.buys()
    signed(on_servers, last)
    read(on_servers, last)
    work.close()
    assert up.stop() == 0
