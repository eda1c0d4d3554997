"""A backup replaces the store under running processes: they confirm no event that is then lost."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from events.errors import Retry
from events.store import open_store
from events.streams.problem_details import Problem
from events.tables import gaming_day_stream_for_action
from tests.regressions.test_forged_snapshots import without
from tests.support.houses.small_house import House


def _backup(path: Path) -> Path:
    """Make a backup as an operator does in a running house."""
    to = path.with_name("backup.sqlite3")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM INTO ?", (str(to),))
    return to


def _buys(house: House) -> None:
    house.ok("tables", "FR1", "dora", house.action("buyin.make", seat=1, player="p", amount_minor=100))


@pytest.mark.parametrize("how", ["replaced", "moved away"])
def test_what_goes_into_a_file_that_nobody_else_sees_is_not_acknowledged(tmp_path: Path, how: str) -> None:
    path = tmp_path / "events.sqlite3"
    house = House(open_store(f"sqlite:///{path}"))
    house.open_table("FR1")
    backup = _backup(path)
    _buys(house)
    path.rename(tmp_path / "old.sqlite3")
    if how == "replaced":
        shutil.copyfile(backup, path)
    with pytest.raises(Retry, match="was replaced while this process ran: start it again"):
        _buys(house)
    with pytest.raises(Retry):
        house.store.position()
    house.close()
    if how == "replaced":
        again = open_store(f"sqlite:///{path}")
        assert again.position() > 0
        again.close()


def test_a_backup_that_is_copied_over_the_file_itself_is_noticed(tmp_path: Path) -> None:
    """Without the check, processes would mix their unwritten pages with the pages of the backup."""
    path = tmp_path / "events.sqlite3"
    house = House(open_store(f"sqlite:///{path}"))
    house.open_table("FR1")
    backup = _backup(path)
    for _ in range(100):
        _buys(house)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint")
    _buys(house)
    with backup.open("rb") as older, path.open("r+b") as file:
        shutil.copyfileobj(older, file)
        file.truncate()
    for _ in range(2):
        with pytest.raises(Retry, match="was replaced while this process ran: start it again"):
            _buys(house)
    house.close()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    new: Callable[[], str]
    if request.param == "postgres":
        new = request.getfixturevalue("new_database")
        return new()
    return f"sqlite:///{tmp_path / 'events.sqlite3'}"


def test_a_desk_goes_on_from_what_the_store_holds_now(url: str) -> None:
    """The desk has read to the old end of the store. Then an older backup replaced the events."""
    house = House(open_store(url))
    house.open_table("FR1")
    end = house.store.position()
    _buys(house)
    _buys(house)
    without(url, end)
    _buys(house)
    assert (
        gaming_day_stream_for_action.session(house.desk.streams.new_view(), "FR1")[0].float_minor
        == 1_000 * (100 + 500 + 2_500) - 100
    )
    assert not isinstance(
        house.send("people", "", "adam", house.action("role.grant", person="x", role="cage"))[0], Problem
    )
    house.close()
