"""Every case runs on files with the embedded broker, and on PostgreSQL with Apache Kafka."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.running import child_process_start_and_end
from events.settings.setting_declarations import EMBEDDED
from tests.restores.house_with_losable_parts import LosableBroker, LosableHouse
from tests.restores.restorable_databases import PostgresDatabases, SqliteDatabases
from tests.servers.ports import free_port
from tests.support.processes.child_broker import EmbeddedBroker

SERVERS = [pytest.mark.postgres, pytest.mark.kafka]


@pytest.fixture(params=["files", pytest.param("servers", marks=SERVERS)])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> Iterator[LosableHouse]:
    """A house in which an evening was played, sent, read and signed."""
    data = tmp_path / "house"
    data.mkdir()
    with django_db_blocker.unblock():
        if request.param == "servers":
            databases = PostgresDatabases(request.getfixturevalue("postgres_server"))
            bootstrap = request.getfixturevalue("kafka_bootstrap")
            broker = LosableBroker(bootstrap, request.getfixturevalue("kafka_server").empty, lambda: None, bootstrap)
            yield _played(LosableHouse(data, databases, broker, monkeypatch))
            databases.drop_all()
            return
        with EmbeddedBroker(data, free_port()) as embedded:
            broker = LosableBroker(
                embedded.bootstrap, lambda: _begins_anew(embedded), lambda: _is_kept(embedded), EMBEDDED
            )
            yield _played(LosableHouse(data, SqliteDatabases(data), broker, monkeypatch))


def _begins_anew(broker: EmbeddedBroker) -> None:
    broker.kill()
    broker.start()


def _is_kept(broker: EmbeddedBroker) -> None:
    """Restart the broker if it has ended, as `up` does."""
    if child_process_start_and_end.identify(broker.pid) is None:
        _begins_anew(broker)


def _played(place: LosableHouse) -> LosableHouse:
    place.plays()
    place.goes_on()
    return place
