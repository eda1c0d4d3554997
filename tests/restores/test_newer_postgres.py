"""The commands of docs/howto/upgrade-postgresql.md: a house moves from PostgreSQL 15 to 17 and loses no data."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import psycopg
import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.access.access_log_end_for_heads import end_at
from backoffice.access.personal_data_access_log import SEARCH, add
from events.accounting.event_types.day_close import DayClosed
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import open_heads
from events.progressives.event_types import JackpotPaid
from events.signing import house_signing_key
from events.store import everything, open_store
from projections.engine.batch_applier import Applier
from projections.registry import projectors
from tests.integration.system.running_house import CHECKOUT, Installation, installation
from tests.restores.documentation_page_commands import blocks, run
from tests.restores.restorable_databases import as_default
from tests.servers import PostgreSQL, free_port, postgres
from tests.support.houses.small_house import PROPERTY
from tests.support.processes.scratch_databases import access_log, migrate
from tools.demo.history.consecutive_gaming_days import nights, set_up
from tools.demo.history.state_between_gaming_days import HistoryPlan
from tools.demo.history.terminal_without_network import SetClock

PAGE = CHECKOUT / "docs" / "howto" / "upgrade-postgresql.md"
PLAN = HistoryPlan(
    seed=3, hours=0.2, tables=("FR1", "BJ1")
)  # a day on which a jackpot is hit, paid, and the day closed
LOOKS = 3
DATABASES = ("STORE", "READ", "ACCESS")


@pytest.fixture
def house(postgres_versions: list[PostgreSQL], tmp_path: Path) -> Iterator[Installation]:
    """A data folder whose databases are on the oldest supported version."""
    data = tmp_path / "house"
    data.mkdir()
    urls = {name: postgres_versions[0].new_database() for name in DATABASES}
    with installation(data, free_port(), PROPERTY=PROPERTY, **urls) as here:
        yield here


def test_a_house_moves_from_the_oldest_version_to_the_newest(
    house: Installation,
    postgres_versions: list[PostgreSQL],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    django_db_blocker: DjangoDbBlocker,
) -> None:
    for name, value in house.env.items():
        monkeypatch.setenv(name, value)
    with django_db_blocker.unblock():
        play_a_day(house)
    newest = postgres_versions[-1]
    backup = tmp_path / "backup"
    backup.mkdir()
    programs = {"BACKUP": str(backup), "PATH": f"{newest.home}:{os.environ['PATH']}"}
    [dump] = blocks(PAGE, "Dump the old databases")
    assert "Everything holds." in run(dump, house.env | programs)
    new = {f"PITLEDGER_{name}": newest.new_database() for name in DATABASES}
    postgres_versions[0].stop()  # nothing below can read the old databases
    [restore] = blocks(PAGE, "Restore into the new databases")
    assert "Everything holds." in run(restore, house.env | programs | new)
    assert looks(new["PITLEDGER_ACCESS"]) == LOOKS
    assert (backup / "digest").read_text().strip()
    with psycopg.connect(new["PITLEDGER_STORE"]) as connection:
        connection.execute("SET session_replication_role = replica")  # no guard refuses it
        connection.execute("UPDATE pitledger_events SET state = state || ' '::bytea WHERE notification_id = 7")
    run("./manage.py verify --no-read-models", house.env | new, ends_with=1)


def play_a_day(house: Installation) -> None:
    """Play a day to its close, read it, look things up in it, and sign a head over all of that."""
    url = {name: house.env[f"PITLEDGER_{name}"] for name in DATABASES}
    migrate(url["READ"])
    access_log(url["ACCESS"])
    store = open_store(url["STORE"], SetClock(set_up(PLAN)))
    store.create()
    list(islice(nights(store, PROPERTY, PLAN), 1))
    kinds = {event.type for event in everything(store)}
    assert {DayClosed.TYPE, JackpotPaid.TYPE} <= kinds
    with as_default(url["READ"]):
        applier = Applier(projectors(), PROPERTY, store=store)
        applier.load()
        applier.apply(list(everything(store)))
        for number in range(LOOKS):
            add(SEARCH, f"/events?q={number}", person="otto")
    signer = house_signing_key.signer(house.data)
    make_head(store, open_heads(url["STORE"]), PROPERTY, signer, looked=lambda: end_at(url["ACCESS"]))
    store.close()


def looks(url: str) -> int:
    """Return the number of lines of an access log."""
    with psycopg.connect(url) as connection:
        [count] = connection.execute("SELECT count(*) FROM access_look").fetchone() or (0,)
    return int(count)


def test_every_supported_version_is_run(postgres_versions: list[PostgreSQL]) -> None:
    for version, server in zip(postgres.SUPPORTED, postgres_versions, strict=True):
        with psycopg.connect(server.url()) as connection:
            assert connection.info.server_version // 10_000 == version
