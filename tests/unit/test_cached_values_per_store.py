"""A process builds an object for its store once, and each store has its own."""

import threading

from events.store.cached_values_per_store import StoreMemory
from events.store.in_memory_store import MemoryStore


def test_it_is_built_once_for_all_who_ask() -> None:
    memory, built, ready = StoreMemory(), list[object](), threading.Barrier(8)
    values: list[object] = []

    def build() -> object:
        built.append(object())
        return built[-1]

    def ask() -> None:
        ready.wait()
        values.append(memory.get("fold", build))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1
    assert values == built * 8


def test_what_is_forgotten_is_built_anew() -> None:
    memory = StoreMemory()
    first = memory.get("fold", object)
    assert "fold" in memory
    memory.forget("fold")
    memory.forget("fold")
    assert "fold" not in memory
    assert memory.get("fold", object) is not first
    memory.clear()
    assert "fold" not in memory


def test_two_stores_of_a_process_know_nothing_of_each_other() -> None:
    store, other = MemoryStore(), MemoryStore()
    assert store.process_cache.get("fold", object) is not other.process_cache.get("fold", object)
