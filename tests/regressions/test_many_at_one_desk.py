"""One terminal, or one person, does not hold up or fill what all the others share."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from events import known
from events.commands import Answer, Command, Reply
from events.desk import Desk
from events.envelope import Action, Who
from events.kinds import Target
from events.problems import Problem
from events.store import Append, EventStore, Key, Written, open_store
from events.store.memory import MemoryStore
from tests.house import PROPERTY, House


class Counting(MemoryStore):
    """Counts what is asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[int] = []  # how many keys, time by time
        self.appends = 0

    def keys(self, keys: Sequence[str]) -> Mapping[str, Key]:
        self.asked.append(len(keys))
        return super().keys(keys)

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> Written:
        self.appends += 1
        written = super().append(appends, keys)
        self.asked.pop()  # which looks for itself
        return written


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> EventStore:
    if request.param == "memory":
        return Counting()
    is_sqlite = request.param == "sqlite"
    return open_store(f"sqlite:///{tmp_path}/e.sqlite3" if is_sqlite else request.getfixturevalue("postgres_url"))


@pytest.fixture
def house(store: EventStore) -> Iterator[House]:
    house = House(store)
    for table in ("FR1", "BJ1"):
        house.open_table(table)
    yield house
    house.close()


Asked = tuple[Command, "Future[list[Reply]]"]


def by_dora(table: str, action: Action) -> Asked:
    return Command(Target("tables", table), (action,), Who(person="dora", roles=frozenset())), Future()


def buyin(house: House, key: str) -> Action:
    return house.action("buyin.make", seat=1, player="p", amount_minor=100, _key=key)


def served(house: House, *asked: Asked) -> list[Reply]:
    """By a desk that takes them all at once."""
    desk = Desk(house.store, PROPERTY)
    desk.serve(asked)
    return [future.result()[0] for _, future in asked]


def test_an_old_key_among_new_ones_drops_nobodys_batch(house: House) -> None:
    house.ok("tables", "FR1", "dora", buyin(house, "old"))
    store = house.store
    before = store.position()
    if isinstance(store, Counting):
        store.asked, store.appends = [], 0
    new = [by_dora("BJ1", buyin(house, f"new-{number}")) for number in range(40)]
    replies = served(house, *new[:20], by_dora("FR1", buyin(house, "old")), *new[20:])
    assert all(isinstance(reply, Answer) for reply in replies)
    assert [reply.repeated for reply in replies if isinstance(reply, Answer)].count(True) == 1
    assert store.position() == before + 40
    if isinstance(store, Counting):
        assert (store.asked, store.appends) == ([41], 1)


def test_a_key_sent_twice_before_it_was_answered_is_done_once_and_the_others_with_it(house: House) -> None:
    before, store = house.store.position(), house.store
    if isinstance(store, Counting):
        store.asked, store.appends = [], 0
    replies = served(house, *[by_dora("FR1", buyin(house, key)) for key in ("a", "b", "a", "c", "a")])
    assert [reply.repeated for reply in replies if isinstance(reply, Answer)] == [False, False, True, False, True]
    assert store.position() == before + 3
    if isinstance(store, Counting):
        assert (store.asked, store.appends) == ([5], 2)


def test_a_repeated_key_with_another_content_is_refused_alone(house: House) -> None:
    house.ok("tables", "FR1", "dora", buyin(house, "old"))
    other = house.action("buyin.make", seat=1, player="p", amount_minor=999, _key="old")
    replies = served(house, by_dora("BJ1", buyin(house, "x")), by_dora("FR1", other), by_dora("BJ1", buyin(house, "y")))
    assert [reply.status if isinstance(reply, Problem) else 200 for reply in replies] == [200, 409, 200]


def test_gaming_days_that_nobody_opened_leave_nothing_in_memory(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each left a session there for ever, for anybody with a badge."""
    monkeypatch.setattr(known, "MAX_KNOWN", 8)
    nobody = Who(person="nobody", roles=frozenset())
    for number in range(20):
        day = f"2026-10-{number + 1:02}"
        opening = house.action("session.open", gaming_day=day, opener={"100": 1})
        for target, action in (
            (Target("tables", "FR1", day), buyin(house, f"k{number}")),
            (Target("tables", "FR1"), opening),
        ):
            assert isinstance(house.desk.do(Command(target, (action,), nobody))[0], Problem)
    assert house.desk.streams.cache.size <= 8


def test_what_was_dropped_from_memory_is_read_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "MAX_KNOWN", 1)
    for number in range(4):
        for table in ("FR1", "BJ1"):
            house.ok("tables", table, "dora", buyin(house, f"{table}-{number}"))
        assert house.desk.streams.cache.size <= 1
    assert house.no("tables", "FR1", "nobody", buyin(house, "n")).status == 403
