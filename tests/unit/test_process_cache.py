"""A process builds an object for its store once, and each store has its own."""

import threading

from events.store.memory import MemoryStore
from events.store.process_cache import StoreMemory


def test_it_is_built_once_for_all_who_ask() -> None:
    beside, built, ready = StoreMemory(), list[object](), threading.Barrier(8)
    found: list[object] = []

    def build() -> object:
        built.append(object())
        return built[-1]

    def ask() -> None:
        ready.wait()
        found.append(beside.get("fold", build))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1
    assert found == built * 8


def test_what_is_forgotten_is_built_anew() -> None:
    beside = StoreMemory()
    first = beside.get("fold", object)
    assert "fold" in beside
    beside.forget("fold")
    beside.forget("fold")
    assert "fold" not in beside
    assert beside.get("fold", object) is not first
    beside.clear()
    assert "fold" not in beside


def test_two_stores_of_a_process_know_nothing_of_each_other() -> None:
    one, other = MemoryStore(), MemoryStore()
    assert one.process_cache.get("fold", object) is not other.process_cache.get("fold", object)
