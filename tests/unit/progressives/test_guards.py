"""A progressive that loads slowly delays only its own requests."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from events.errors import Retry
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import MemoryHeads
from events.progressives import due_lock_and_lapse_appending, progressive_state_following_store
from events.progressives.progressive_state_following_store import live
from events.signing import house_signing_key
from events.store import Snapshot
from events.store.in_memory_store import MemoryStore
from tests.support.houses.progressive_house import NAME, PROPERTY, Casino

WITHIN_S = 60


class Slow(MemoryStore):
    """A store that holds some snapshots back until `go_on` is set."""

    def __init__(self, *slow: str) -> None:
        super().__init__()
        self.slow = slow
        self.was_asked, self.go_on = threading.Event(), threading.Event()
        self.answers = True

    def snapshot(self, stream: str, evolve: str) -> Snapshot | None:
        if not self.answers:
            raise Retry("the store does not answer")
        if stream in self.slow:
            self.was_asked.set()
            assert self.go_on.wait(WITHIN_S * 2)
        return super().snapshot(stream, evolve)


def test_a_slow_progressive_does_not_hold_up_another() -> None:
    store = Slow(f"{PROPERTY}/progressives/slow#fold")
    casino = Casino(store)
    with ThreadPoolExecutor(2) as threads:
        try:
            held = threads.submit(live, store, PROPERTY, "slow")
            assert store.was_asked.wait(WITHIN_S)
            other = threads.submit(due_lock_and_lapse_appending.current, store, PROPERTY, NAME)
            assert other.result(WITHIN_S).level("mega").meter
            assert not held.done()
        finally:
            store.go_on.set()
        assert held.result(WITHIN_S).fold is None
    casino.close()


def test_a_slow_tree_does_not_hold_up_another_property(tmp_path_factory: pytest.TempPathFactory) -> None:
    store, by = Slow("slow#heads"), house_signing_key.signer(tmp_path_factory.mktemp("keys"))
    casino = Casino(store)
    with ThreadPoolExecutor(2) as threads:
        try:
            held = threads.submit(make_head, store, MemoryHeads(), "slow", by)
            assert store.was_asked.wait(WITHIN_S)
            head, _ = threads.submit(make_head, store, MemoryHeads(), PROPERTY, by).result(WITHIN_S)
            assert head is not None
            assert not held.done()
        finally:
            store.go_on.set()
        held.result(WITHIN_S)
    casino.close()


def test_whoever_comes_after_a_store_that_did_not_answer_begins_at_the_snapshot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progressive_state_following_store, "SNAPSHOT_EVERY", 1)
    store = Slow()
    casino = Casino(store)
    casino.play("BJ1")
    casino.reconcile()
    store.process_cache.clear()
    store.answers = False
    with pytest.raises(Retry):
        progressive_state_following_store.live(store, PROPERTY, NAME)
    store.answers = True
    assert progressive_state_following_store.live(store, PROPERTY, NAME).position > 0, "not from the first event on"
    casino.close()
