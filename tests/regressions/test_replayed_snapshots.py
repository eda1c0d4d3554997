"""An older, validly sealed snapshot of the house replaces the newer one: no payment follows from it."""

import pytest

from events.progressives import progressive_state_following_store
from events.store import open_store
from events.store.store_base_classes import RecordedStore
from tests.regressions.test_forged_snapshots import FOLD, casino, reopened_casino, row, url, written
from tests.support.houses.progressive_house import Casino

__all__ = ["casino", "url"]  # fixtures, on both databases


def test_what_came_after_an_older_snapshot_is_read_on_top_of_it(casino: Casino, url: str) -> None:
    older = row(casino.store, FOLD, progressive_state_following_store.EVOLVE)
    (hit,) = casino.play("BJ1", hits=((1, "mega"),))
    casino.reconcile()
    casino.authorise(hit)
    casino.pay(hit)
    newer = row(casino.store, FOLD, progressive_state_following_store.EVOLVE)
    assert newer.version > older.version
    assert isinstance(casino.store, RecordedStore)
    with casino.store._appending() as here:
        here.drop_snapshot(newer)
    written(casino.store, older)
    other = reopened_casino(casino, open_store(url))
    with pytest.raises(Exception, match="paid"):
        other.pay(hit)
    (second,) = other.play("BJ2", hits=((1, "mega"),))
    other.reconcile()
    lock, honest = other.fold.lock(second), casino.fold.lock(second)
    assert lock is not None
    assert lock == honest
    assert lock.share < 5_000_000, "the first winner's share is gone from the meter"
    other.desk.close()
    other.store.close()
