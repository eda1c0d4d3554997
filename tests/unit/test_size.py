"""An event that no broker would take is refused, before it holds all that come after it."""

from typing import Any

import pytest

from events import catalogue
from events.desk.command_and_answer_structs import Answer
from events.envelope import EventData, Meta
from events.errors import Refused
from events.people.approval_request_lifecycle import ApprovalRequested
from events.store import Append, EventStore, NewEvent, event_size_limit, open_store
from events.store.in_memory_store import MemoryStore
from events.streams.problem_details import Problem
from events.tables.event_types.rounds import RoundVoided
from tests.support.houses.small_house import House

META = Meta(time="2026-11-20T20:00:00.000Z", actor="paul", actorrole="pit boss")
STREAM = "athens/tables/FR1/2026-11-20"
WHERE: dict[str, Any] = {"pit": "A", "table": "FR1", "gaming_day": "2026-11-20", "shift": "day", "ruleset": "r@1"}


def voided(bets: int, letters: int = 64) -> RoundVoided:
    kept_bets = tuple(f"{number:0{letters}}" for number in range(bets))
    return RoundVoided(**WHERE, reason="misdeal", kept_bets=kept_bets)


def requested(letters: int) -> ApprovalRequested:
    about: dict[str, Any] = {"input": {"reason": "x" * letters}, "content": "0" * 64, "roles": ("dealer",)}
    return ApprovalRequested(request="k", action="round.void", person="ines", **about)


@pytest.mark.parametrize("event", [voided(14_000), requested(900_000)])
def test_what_lists_too_much_is_refused_where_it_is_decided(event: EventData) -> None:
    with pytest.raises(Refused, match="an event has at most 900000") as caught:
        event_size_limit.must_fit(event)
    assert caught.value.clause == "house event size"


@pytest.mark.parametrize("event", [voided(0), voided(64), voided(12_000), requested(800_000)])
def test_what_a_broker_takes_is_not(event: EventData) -> None:
    event_size_limit.must_fit(event)


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Any) -> EventStore:
    if request.param == "memory":
        return MemoryStore()
    url = f"sqlite:///{tmp_path / 's'}" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    store = open_store(url)
    store.create()
    return store


def test_no_store_takes_one(store: EventStore) -> None:
    with pytest.raises(Refused, match=r"round\.voided\.v1 would have"):
        store.append([Append(STREAM, store.head(STREAM), [NewEvent(voided(2), META), NewEvent(voided(14_000), META)])])
    assert (store.position(), store.head(STREAM).version) == (0, 0)
    store.append([Append(STREAM, store.head(STREAM), [NewEvent(voided(12_000), META)])])


def test_every_event_of_the_catalogue_is_looked_at() -> None:
    measured = {
        name
        for kind in catalogue.event_types().values()
        for name, is_any in event_size_limit._unbounded(kind)
        if is_any
    }
    assert measured == {"data", "input", "params", "play"}


def test_it_is_refused_at_the_desk_and_the_rest_of_the_request_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    house = House()
    house.open_table("FR1")
    house.ok("tables", "FR1", "dora", house.action("round.open"))
    monkeypatch.setattr(event_size_limit, "EVENT_BYTES_MAX", event_size_limit.ENVELOPE_BYTES + 800)
    large = house.action("round.void", round=1, reason="x" * 500)
    good = house.action("round.void", round=1, reason="a call was missed")
    refused, done = house.send("tables", "FR1", "ines", large, good, mode="each")
    assert isinstance(refused, Problem)
    assert (refused.status, refused.clause) == (422, "house event size")
    assert refused.detail.startswith("approval.requested.v1 would have")
    assert isinstance(done, Answer)
    check = house.action("round.void", round=1, reason="x" * 500, _intent="check")
    assert house.no("tables", "FR1", "ines", check).clause == "house event size"
    house.close()
