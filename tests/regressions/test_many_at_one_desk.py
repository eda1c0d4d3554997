"""One terminal or person does not delay or fill resources that all others share."""

from collections.abc import Iterator, Mapping, Sequence, Sized
from concurrent.futures import Future
from datetime import date, timedelta
from pathlib import Path

import pytest

from events.desk import stream_cache
from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.desk.desk import Desk
from events.envelope import Action, Who
from events.store import Append, AppendResult, EventStore, Key, OutdatedAssumptions, open_store
from events.store.in_memory_store import MemoryStore
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import PROPERTY, House


class AppendCountingStore(MemoryStore):
    """A store that counts appends, and queries for keys and streams."""

    def __init__(self) -> None:
        super().__init__()
        self.key_counts: list[int] = []  # how many keys, time by time
        self.appends = self.ids_asked = 0
        self.looks: list[tuple[int, int]] = []  # for how many keys and streams, where something was refused

    def outdated(self, keys: Sequence[str], versions: Mapping[str, int]) -> OutdatedAssumptions:
        self.looks.append((len(keys), len(versions)))
        return super().outdated(keys, versions)

    def keys(self, keys: Sequence[str]) -> Mapping[str, Key]:
        if any("/ids#" in key for key in keys):  # the claims of an id that this desk sees for the first time
            self.ids_asked += 1
        else:
            self.key_counts.append(len(keys))
        return super().keys(keys)

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        self.appends += 1
        before = [*self.key_counts], self.ids_asked
        try:
            return super().append(appends, keys)
        finally:
            self.key_counts, self.ids_asked = before  # it looks for itself


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> EventStore:
    if request.param == "memory":
        return AppendCountingStore()
    is_sqlite = request.param == "sqlite"
    return open_store(f"sqlite:///{tmp_path}/e.sqlite3" if is_sqlite else request.getfixturevalue("postgres_url"))


@pytest.fixture
def house(store: EventStore) -> Iterator[House]:
    house = House(store)
    for table in ("FR1", "BJ1"):
        house.open_table(table)
    yield house
    house.close()


QueuedCommand = tuple[Command, "Future[list[Reply]]"]


def by_dora(table: str, action: Action) -> QueuedCommand:
    return Command(Target("tables", table), (action,), Who(person="dora", roles=frozenset())), Future()


def buyin(house: House, key: str) -> Action:
    return house.action("buyin.make", seat=1, player="p", amount_minor=100, _key=key)


def served(house: House, *commands: QueuedCommand) -> list[Reply]:
    """Return the replies of a desk that gets all commands at once."""
    desk = Desk(house.store, PROPERTY)
    desk.serve(commands)
    return [future.result()[0] for _, future in commands]


def test_an_old_key_among_new_ones_drops_nobodys_batch(house: House) -> None:
    house.ok("tables", "FR1", "dora", buyin(house, "old"))
    store = house.store
    before = store.position()
    if isinstance(store, AppendCountingStore):
        store.key_counts, store.appends = [], 0
    new = [by_dora("BJ1", buyin(house, f"new-{number}")) for number in range(40)]
    replies = served(house, *new[:20], by_dora("FR1", buyin(house, "old")), *new[20:])
    assert all(isinstance(reply, Answer) for reply in replies)
    assert [reply.repeated for reply in replies if isinstance(reply, Answer)].count(True) == 1
    assert store.position() == before + 40
    if isinstance(store, AppendCountingStore):
        assert (store.key_counts, store.appends) == ([41], 2)  # the append refuses the old key, and all are looked up


def test_who_repeats_old_keys_costs_the_others_an_append_once(house: House) -> None:
    house.ok("tables", "FR1", "dora", buyin(house, "old"))
    desk, store = Desk(house.store, PROPERTY), house.store
    if isinstance(store, AppendCountingStore):
        store.key_counts, store.appends = [], 0
    for turn in range(3):
        new = [by_dora("BJ1", buyin(house, f"{turn}-{number}")) for number in range(3)]
        submissions = [*new, by_dora("FR1", buyin(house, "old"))]
        desk.serve(submissions)
        answers = [future.result()[0] for _, future in submissions]
        assert [answer.repeated for answer in answers if isinstance(answer, Answer)] == [False, False, False, True]
    if isinstance(store, AppendCountingStore):
        assert (store.key_counts, store.appends) == ([4, 4, 4], 4)


def test_what_was_done_before_is_not_done_again_to_refuse_the_rest_of_a_request(house: House) -> None:
    """The tray covers the new buy-in, unless the desk subtracts the earlier buy-in twice."""
    old, other = (house.action("buyin.make", seat=1, player="p", amount_minor=1_000_000) for _ in range(2))
    house.ok("tables", "FR1", "dora", old)
    house.ok("tables", "BJ1", "dora", other)
    new_buyins = [house.action("buyin.make", seat=1, player="p", amount_minor=1_500_000) for _ in range(2)]
    dora = Who(person="dora", roles=frozenset())
    fr1: QueuedCommand = (Command(Target("tables", "FR1"), (old, new_buyins[0]), dora), Future())
    bj1: QueuedCommand = (Command(Target("tables", "BJ1"), (other, new_buyins[1]), dora), Future())
    served(house, fr1)
    served(house, bj1, by_dora("FR1", buyin(house, "x")))
    for _, future in (fr1, bj1):
        assert [reply.repeated for reply in future.result() if isinstance(reply, Answer)] == [True, False]


def test_new_keys_are_not_looked_up(house: House) -> None:
    store = house.store
    if isinstance(store, AppendCountingStore):
        store.key_counts, store.appends, store.ids_asked = [], 0, 0
    replies = served(house, *[by_dora("BJ1", buyin(house, f"new-{number}")) for number in range(40)])
    assert all(isinstance(reply, Answer) for reply in replies)
    if isinstance(store, AppendCountingStore):
        assert (store.key_counts, store.appends) == ([], 1)
        assert store.ids_asked <= 2, "a new player is looked up once, however many actions name him"


def test_a_key_sent_twice_before_it_was_answered_is_done_once_and_the_others_with_it(house: House) -> None:
    before, store = house.store.position(), house.store
    if isinstance(store, AppendCountingStore):
        store.key_counts, store.appends = [], 0
    replies = served(house, *[by_dora("FR1", buyin(house, key)) for key in ("a", "b", "a", "c", "a")])
    assert [reply.repeated for reply in replies if isinstance(reply, Answer)] == [False, False, True, False, True]
    assert store.position() == before + 3
    if isinstance(store, AppendCountingStore):
        assert (store.key_counts, store.appends) == ([], 2)


def test_a_repeated_key_with_another_content_is_refused_alone(house: House) -> None:
    house.ok("tables", "FR1", "dora", buyin(house, "old"))
    other = house.action("buyin.make", seat=1, player="p", amount_minor=999, _key="old")
    replies = served(house, by_dora("BJ1", buyin(house, "x")), by_dora("FR1", other), by_dora("BJ1", buyin(house, "y")))
    assert [reply.status if isinstance(reply, Problem) else 200 for reply in replies] == [200, 409, 200]


def statuses(replies: Sequence[Reply]) -> list[int]:
    return [reply.status if isinstance(reply, Problem) else 200 for reply in replies]


def test_many_refusals_cost_one_look(house: House) -> None:
    """Each asked for its own key, and for the head of every stream that it rested on."""
    nobody, store = Who(person="nobody", roles=frozenset()), house.store
    actions = [buyin(house, f"n{number}") for number in range(20)]
    submissions: list[QueuedCommand] = [
        (Command(Target("tables", "FR1"), (action,), nobody), Future()) for action in actions
    ]
    unknown = [by_dora("XX9", buyin(house, "x")), by_dora("FR1", house.action("no.such"))]
    assert statuses(served(house, *submissions, *unknown, by_dora("BJ1", buyin(house, "ok")))) == [403] * 20 + [
        404,
        400,
        200,
    ]
    if isinstance(store, AppendCountingStore):
        assert store.looks == [(21, 3)]  # people, floor and the table; what cannot be read rests on nothing


def test_who_has_lost_the_role_still_gets_his_first_answers(house: House) -> None:
    old, other = buyin(house, "old"), house.action("buyin.make", seat=1, player="p", amount_minor=999, _key="old")
    [first] = served(house, by_dora("FR1", old))
    house.ok("people", "", "adam", house.action("role.revoke", person="dora", role="dealer"))
    assert isinstance(first, Answer)
    for submissions in ([old], [old, buyin(house, "new"), other]):
        replies = served(house, *[by_dora("FR1", action) for action in submissions])
        assert isinstance(replies[0], Answer)
        assert (replies[0].events, replies[0].repeated) == (first.events, True)
        assert statuses(replies)[1:] == [403, 409][: len(replies) - 1]
    assert statuses(served(house, by_dora("FR1", other))) == [409]


def test_nobody_is_refused_by_what_another_process_has_changed(house: House) -> None:
    desk, nobody = Desk(house.store, PROPERTY), Who(person="nobody", roles=frozenset())
    launch = house.action("ball.launch", wheel="cw", ball="ccw")
    before, stranger = by_dora("FR1", launch), buyin(house, "n")
    desk.serve([before])
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    submissions: list[QueuedCommand] = [
        (Command(Target("tables", "BJ1"), (stranger,), nobody), Future()),
        by_dora("FR1", launch),
    ]
    desk.serve(submissions)
    assert statuses([future.result()[0] for _, future in (before, *submissions)]) == [422, 403, 200]


def test_gaming_days_that_nobody_opened_leave_nothing_in_memory(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each such gaming day once left a session in memory permanently, for any holder of a badge."""
    monkeypatch.setattr(stream_cache, "MAX_KNOWN", 8)
    stranger = Who(person="nobody", roles=frozenset())
    for number in range(20):
        day = f"2026-10-{number + 1:02}"
        opening = house.action("session.open", gaming_day=day, opener={"100": 1})
        for target, action in (
            (Target("tables", "FR1", day), buyin(house, f"k{number}")),
            (Target("tables", "FR1"), opening),
        ):
            assert isinstance(house.desk.do(Command(target, (action,), stranger))[0], Problem)
    assert house.desk.streams.cache.size <= 8


def test_ten_thousand_days_that_nobody_played_stay_within_what_is_kept() -> None:
    house = House()
    house.open_table("FR1")
    cache, nobody = house.desk.streams.cache, Who(person="nobody", roles=frozenset())
    end = buyin(house, "k")
    for first in range(0, 10_000, 500):
        days = [(date(2100, 1, 1) + timedelta(first + number)).isoformat() for number in range(500)]
        submissions = [(Command(Target("tables", "FR1", day), (end,), nobody), Future[list[Reply]]()) for day in days]
        house.desk.serve(submissions)
        assert {
            reply.status for _, future in submissions for reply in future.result() if isinstance(reply, Problem)
        } == {404}
        held: tuple[Sized, ...] = (
            cache._stored_states,
            cache._current_states,
            cache._once,
            *cache._streams_by_place.values(),
        )
        assert max([len(streams) for streams in held]) <= stream_cache.MAX_KNOWN
    assert len(cache._streams_by_place) <= stream_cache.MAX_KNOWN
    house.close()


def test_what_was_dropped_from_memory_is_read_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_cache, "MAX_KNOWN", 1)
    for number in range(4):
        for table in ("FR1", "BJ1"):
            house.ok("tables", table, "dora", buyin(house, f"{table}-{number}"))
        assert house.desk.streams.cache.size <= 1
    assert house.no("tables", "FR1", "nobody", buyin(house, "n")).status == 403
