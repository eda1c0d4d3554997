"""States that follow a store: where it was replaced by another one's history, they are folded from that one."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from events.accounting.live_books_for_decisions import KeptBooks
from events.accounting.report import folded_accounts_snapshot
from events.accounting.report.ledger_cache_for_day_close import KeptLedger
from events.alerts.overdue_and_luck_event_recorder import Watchman
from events.desk.locked_decisions import OwnStream
from events.desk.stream_cache import Cache
from events.errors import Poison
from events.progressives.progressive_state_following_store import ProgressiveFollower
from events.store import EventReader, Stored
from events.store.state_follower_base_class import StoreFollower
from events.streams import stream_kind_declaration
from tests.support.houses.small_house import PROPERTY, House

State = Callable[[Any], Any]
FOLLOWERS: dict[str, tuple[Callable[[], StoreFollower], State]] = {
    "accounts": (lambda: KeptLedger(PROPERTY), lambda accounts: folded_accounts_snapshot.dump(accounts.ledger)),
    "books": (lambda: KeptBooks(PROPERTY), lambda books: books.books),
    "progressive": (lambda: ProgressiveFollower(PROPERTY, "blazing"), lambda live: live.fold.dump()),
    "watchman": (lambda: Watchman(PROPERTY), lambda watchman: (watchman.slips, watchman._days)),
}


@pytest.fixture
def houses() -> Iterator[tuple[House, House]]:
    """Two houses of one name: the second has other tables, and fewer of them."""
    first, second = House(), House()
    for house, tables in ((first, ("FR1", "BJ1", "BJ2")), (second, ("BJ2",))):
        for table in tables:
            house.open_table(table)
    yield first, second
    first.close()
    second.close()


@pytest.mark.parametrize("name", FOLLOWERS)
@pytest.mark.parametrize("is_shorter", [True, False])
def test_another_history_is_folded_from_its_first_event(
    houses: tuple[House, House], name: str, is_shorter: bool
) -> None:
    read, now = houses if is_shorter else houses[::-1]
    make, state_of = FOLLOWERS[name]
    follower, fresh = make(), make()
    follower.catch_up(read.store)
    assert follower.position > 0
    follower.catch_up(now.store)
    fresh.catch_up(now.store)
    assert (follower.position, state_of(follower)) == (fresh.position, state_of(fresh))


@pytest.mark.parametrize("name", ["people", "floor"])
@pytest.mark.parametrize("is_shorter", [True, False])
def test_a_stream_of_another_history_is_read_from_its_first_event(
    houses: tuple[House, House], name: str, is_shorter: bool
) -> None:
    houses[0].grant("dora", "security")
    houses[0].install("FR2", "roulette", "roulette-french")
    for person in ("pam", "pete"):
        houses[1].grant(person, "dealer")
    for table in ("FR3", "FR4"):
        houses[1].install(table, "roulette", "roulette-french")
    read, now = houses if is_shorter else houses[::-1]
    stream = f"{PROPERTY}/{name}"
    own, fresh = (OwnStream(stream_kind_declaration.kind_by_name(name), stream) for _ in range(2))
    cache = Cache(read.store, PROPERTY)
    own.catch_up(read.store)
    assert own.state == cache.read_stream(stream).state
    cache.store = now.store
    cache.forget()
    for state in (own, fresh):
        state.catch_up(now.store)
    assert own.state == fresh.state == cache.read_stream(stream).state
    assert cache.cached_head(stream) == now.store.head(stream)


PEOPLE = f"{PROPERTY}/people"


class StreamWithFault:
    """The stream of people, up to `until`, with an unreadable event at version `bad`. `first_read` are the versions
    from which it was read."""

    def __init__(self, store: EventReader) -> None:
        self.events = store.stream(PEOPLE)
        self.until, self.bad = len(self.events), 0
        self.first_read: list[int] = []

    def stream(self, _name: str, *, after: int = 0) -> list[Stored]:
        self.first_read.append(after + 1)
        events = self.events[after : self.until]
        return [msgspec.structs.replace(event, raw=b"{") if event.version == self.bad else event for event in events]


def _people() -> OwnStream:
    return OwnStream(stream_kind_declaration.kind_by_name("people"), PEOPLE)


def _caught_up(own: OwnStream, history: Any) -> OwnStream:
    own.catch_up(history)
    return own


def test_a_copy_takes_only_the_events_after_its_last_one(houses: tuple[House, House]) -> None:
    history = StreamWithFault(houses[0].store)
    history.until = 4
    copy = _caught_up(_people(), history).as_if()
    history.until = len(history.events)
    with capture_logs() as logs:
        copy.catch_up(history)  # type: ignore[arg-type]  # its only method that is called
    assert copy.state == _caught_up(_people(), history).state
    assert (history.first_read, logs) == ([1, 4, 1], [])


def test_a_stream_is_read_on_after_an_event_that_could_not_be_read(houses: tuple[House, House]) -> None:
    history = StreamWithFault(houses[0].store)
    history.until = 3
    own = _caught_up(_people(), history)
    history.until, history.bad = len(history.events), 6
    with pytest.raises(Poison):
        own.catch_up(history)  # type: ignore[arg-type]  # as above
    history.bad = 0
    with capture_logs() as logs:
        own.catch_up(history)  # type: ignore[arg-type]  # as above
    assert own.state == _caught_up(_people(), history).state
    assert (history.first_read, logs) == ([1, 3, 5, 1], [])


@pytest.fixture(scope="module")
def history() -> Iterator[StreamWithFault]:
    house = House()
    yield StreamWithFault(house.store)
    house.close()


@given(steps=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.booleans()), max_size=6))
def test_no_step_of_a_growing_stream_is_taken_for_another_history(
    history: StreamWithFault, steps: list[tuple[int, int, bool]]
) -> None:
    """Each step adds events, one of which may be unreadable for a time, and may go on with a copy."""
    own, history.until = _people(), 0
    with capture_logs() as logs:
        for count, bad, is_copied in (*steps, (len(history.events), 0, False)):
            history.bad = history.until + bad if bad else 0
            history.until = min(history.until + count, len(history.events))
            with suppress(Poison):
                own.catch_up(history)  # type: ignore[arg-type]  # as above
            own = own.as_if() if is_copied else own
    assert logs == []
    assert own.state == _caught_up(_people(), history).state


class EventCounter(StoreFollower):
    """A follower that counts the events. It cannot read the event at position `bad`."""

    count, bad = 0, 0

    def reset(self) -> None:
        self.count = 0

    def apply_event(self, stored: Stored) -> None:
        if stored.position == self.bad:
            raise Poison("no event")
        self.count += 1


def test_nothing_is_taken_beyond_an_event_that_cannot_be_read(houses: tuple[House, House]) -> None:
    past: EventReader = houses[0].store
    counted = EventCounter("counted")
    counted.bad = 5
    with pytest.raises(Poison):
        counted.catch_up(past)
    assert (counted.count, counted.position) == (4, 4)
    counted.bad = 0
    counted.catch_up(past)
    assert counted.count == counted.position == past.position()


def test_a_few_events_are_taken_at_a_time(houses: tuple[House, House]) -> None:
    counted, steps = EventCounter("counted"), 0
    while counted.step(houses[0].store, 7) == 7:
        steps += 1
    assert steps == houses[0].store.position() // 7
    assert counted.position == houses[0].store.position()
