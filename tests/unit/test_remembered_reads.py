"""Reads that are remembered between questions: the same answers as the store's, with few queries."""

from collections import Counter
from collections.abc import Callable
from typing import Any, cast

import pytest

from events.envelope import Who
from events.store import EventStore
from events.store.stream_ends_cache import RememberedReads
from tests.support.houses.small_house import House

DORA = Who(person="dora", roles=frozenset())


class CountedReads:
    """A store that counts its reads."""

    def __init__(self, store: Any) -> None:
        self._store, self.reads = store, Counter[str]()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in ("head", "stream", "last_stream", "snapshot", "after", "position"):
            return method

        def counted(*args: Any, **keywords: Any) -> Any:
            self.reads[name] += 1
            return method(*args, **keywords)

        return counted


@pytest.fixture
def house() -> Any:
    house = House()
    house.open_table("FR1")
    yield house
    house.close()


def test_it_answers_as_the_store_after_every_event(house: House) -> None:
    reads = RememberedReads(house.store)
    streams = [f"athens/tables/{table}/{day}" for table in ("FR1", "BJ1") for day in ("2026-11-20", "2026-11-21")]
    prefixes = ["athens/tables/FR1/", "athens/tables/BJ1/", "athens/cage/"]
    acts = ("round.open", "bets.close", "round.end")
    steps: list[Callable[[], object]] = [
        lambda: house.open_table("BJ1"),
        *(_act(house, kind) for kind in acts),
    ]
    for number in range(len(steps) + 1):
        if number:
            steps[number - 1]()
        reads.refresh()
        for _again in range(2):
            assert [reads.head(stream) for stream in streams] == [house.store.head(stream) for stream in streams]
            assert [reads.stream(stream) for stream in streams] == [house.store.stream(stream) for stream in streams]
            answers = [reads.last_stream(prefix) for prefix in prefixes]
            assert answers == [house.store.last_stream(prefix) for prefix in prefixes]


def _act(house: House, kind: str) -> Callable[[], object]:
    return lambda: house.send("tables", "FR1", "dora", house.action(kind))


def test_a_question_reads_the_same_however_many_tables_the_house_has(house: House) -> None:
    counts = []
    for further in (0, 12):
        for number in range(2, 2 + further):
            house.install(f"FR{number}", "roulette", "roulette-french")
            house.open_table(f"FR{number}")
        questions = house.desk.questions
        questions.screen("FR1", None, [DORA])
        counted = CountedReads(house.store)
        questions._reads._store = cast(EventStore, counted)
        _act(house, "round.open")
        questions.screen("FR1", None, [DORA])
        questions._reads._store = house.store
        counts.append(counted.reads.total())
    assert counts[1] <= counts[0] + 3, counts
    assert counts[0] < 30, counts
