"""The library's own contract tests, on our recorders; and its interfaces, on our stores."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from eventsourcing.application import LocalNotificationLog
from eventsourcing.persistence import ApplicationRecorder
from eventsourcing.tests import persistence as contract

from events.store import open_store
from events.store.store_base_classes import RecordedStore
from tests.integration.store.sample_events_and_writers import TABLE, add


class OpenedRecorder:
    """A recorder made by our store through the library's factory."""

    opened: RecordedStore

    def new_originator_id(self) -> str:
        return f"athens/{uuid4()}"

    def create_recorder(self) -> ApplicationRecorder:
        return self.opened.recorder

    def open(self, url: str) -> Iterator[None]:
        store = open_store(url)
        assert isinstance(store, RecordedStore)
        store.create()
        self.opened = store
        yield
        store.close()


class OnSQLite(OpenedRecorder):
    @pytest.fixture(autouse=True)
    def _open(self, tmp_path: Path) -> Iterator[None]:
        yield from self.open(f"sqlite:///{tmp_path}/events.sqlite3")


class OnPostgres(OpenedRecorder):
    @pytest.fixture(autouse=True)
    def _open(self, postgres_url: str) -> Iterator[None]:
        yield from self.open(postgres_url)


class TestSQLiteApplicationRecorder(OnSQLite, contract.ApplicationRecorderTestCase[ApplicationRecorder]):
    pass


class TestSQLiteNonInterleaving(OnSQLite, contract.NonInterleavingNotificationIDsBaseCase):
    pass


class TestPostgresApplicationRecorder(OnPostgres, contract.ApplicationRecorderTestCase[ApplicationRecorder]):
    pass


class TestPostgresNonInterleaving(OnPostgres, contract.NonInterleavingNotificationIDsBaseCase):
    pass


@pytest.fixture
def recorded(shared_url: str) -> Iterator[RecordedStore]:
    store = open_store(shared_url)
    assert isinstance(store, RecordedStore)
    store.create()
    yield store
    store.close()


def test_the_notification_log_of_the_library_reads_our_store(recorded: RecordedStore) -> None:
    written = add(recorded, TABLE, 12)
    section = LocalNotificationLog(recorded.recorder, section_size=10)["11,20"]
    assert [(item.id, item.topic) for item in section.items] == [(11, "bet.placed.v1"), (12, "bet.placed.v1")]
    assert section.items[1].state == written.stored[11].raw
    assert [event.state for event in recorded.recorder.select_events(TABLE, gt=11)] == [written.stored[11].raw]


def test_a_subscription_is_refused_rather_than_silent(recorded: RecordedStore) -> None:
    with pytest.raises(NotImplementedError):
        recorded.recorder.subscribe(gt=0)
