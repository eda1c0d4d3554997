"""A server with a new version of the fold reads its events before it serves the first request."""

from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest

from backoffice.api import shared_command_desk as desk_module
from backoffice.installation.dependency_injection import Installation
from events.desk.desk import Desk
from events.errors import Retry
from events.progressives import due_lock_and_lapse_appending, progressive_state_following_store
from events.settings.settings_from_environment import settings
from tests.support.houses.small_house import PROPERTY, House
from tests.support.records.read_counting_store import ReadCountingStore

NAME = "blazing"


@pytest.fixture
def house() -> Iterator[House]:
    house = House(ReadCountingStore())
    house.open_progressive()
    house.open_table("BJ1")
    yield house
    house.close()


def test_another_version_folds_all_before_the_first_action(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    store = house.store
    assert isinstance(store, ReadCountingStore)
    monkeypatch.setattr(progressive_state_following_store, "SNAPSHOT_EVERY", 1)
    monkeypatch.setattr(progressive_state_following_store, "EVOLVE", "progressive-of-tomorrow")
    store.process_cache.clear()
    due_lock_and_lapse_appending.prepare(store, PROPERTY)
    folded = progressive_state_following_store.live(
        store, PROPERTY, NAME
    ).position  # of the last event that concerns it
    snapshot = store.snapshot(f"{PROPERTY}/progressives/{NAME}#fold", "progressive-of-tomorrow")
    assert snapshot is not None
    assert snapshot.version == folded > 0
    store.read_from.clear()
    house.ok("progressives", NAME, "anna", house.action("meter.read", level="mega", read_minor=5_000_000_00))
    assert min(store.read_from) >= folded - 1, "an action had to wait for the fold"


def test_a_store_that_does_not_answer_keeps_the_server_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(_: Installation) -> AbstractContextManager[Desk]:
        raise Retry("the event store does not answer")

    monkeypatch.setattr(desk_module, "built", unreachable)
    desk_module.prepare(Installation(settings()))
