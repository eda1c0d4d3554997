"""An id that resembles an existing one is refused, on both databases, also if both arrive at once."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.desk import lookalike_id_claims
from events.desk.command_and_answer_structs import Answer, Command
from events.desk.desk import Desk
from events.envelope import Who
from events.integrity.audit import audit
from events.store import EventStore, open_store
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import DAY, PROPERTY, House


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "memory":
        return "memory://"
    is_file = request.param == "sqlite"
    return f"sqlite:///{tmp_path / 'events.sqlite3'}" if is_file else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def house(url: str) -> Iterator[House]:
    house = House(open_store(url))
    house.open_table("FR1")
    yield house
    house.close()


def buy(house: House, player: str) -> Answer | Problem:
    data: dict[str, Any] = {"player": player, "seat": 1, "tender": "cash", "amount_minor": 100}
    [reply] = house.send("tables", "FR1", "dora", house.action("buyin.make", **data))
    assert isinstance(reply, Answer | Problem)
    return reply


@pytest.mark.parametrize(
    ("first", "alike"),
    [("g-10", "G-10"), ("g-10", "g\u201010"), ("g-10", "g-1O"), ("cop", "\u0441\u043e\u0440")],
)
def test_a_new_player_who_looks_like_another_is_refused(house: House, first: str, alike: str) -> None:
    assert isinstance(buy(house, first), Answer)
    refused = buy(house, alike)
    assert isinstance(refused, Problem)
    assert (refused.status, refused.field, refused.code) == (422, "data.player", "id-looks-alike")
    assert refused.params == {"name": alike, "what": "player", "other": first}
    assert f"{alike} differs from the player {first} only by" in refused.detail
    assert isinstance(buy(house, first), Answer)
    assert isinstance(buy(house, "g-11"), Answer)


def test_one_of_two_in_one_request_is_refused(house: House) -> None:
    actions = [
        house.action("buyin.make", player=player, seat=1, tender="cash", amount_minor=100)
        for player in ("anna-1", "Anna-1", "anna-1")
    ]
    replies = house.send("tables", "FR1", "dora", *actions, mode="each")
    assert [type(reply) for reply in replies] == [Answer, Problem, Answer]
    atomic = [
        house.action("buyin.make", player=player, seat=1, tender="cash", amount_minor=100)
        for player in ("otto", "Otto")
    ]
    house.no("tables", "FR1", "dora", *atomic)
    assert isinstance(buy(house, "Otto"), Answer), "nothing is claimed by what was rolled back"


def test_of_two_that_come_at_once_one_is_refused(house: House, url: str) -> None:
    if url.startswith("memory"):
        pytest.skip("two processes share no memory")
    other = Desk(open_store(url), PROPERTY)
    replies: list[Any] = []

    def send(desk: Desk, player: str, key: str) -> None:
        data: dict[str, Any] = {"player": player, "seat": 1, "tender": "cash", "amount_minor": 100}
        action = house.action("buyin.make", _key=key, **data)
        who = Who(person="dora", roles=frozenset(), factor_s=0)
        replies.extend(desk.do(Command(Target("tables", "FR1"), (action,), who)))

    for turn in range(8):
        threads = [
            threading.Thread(target=send, args=(house.desk, f"new-{turn}", f"a-{turn}")),
            threading.Thread(target=send, args=(other, f"NEW-{turn}", f"b-{turn}")),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    other.close()
    assert sorted(type(reply).__name__ for reply in replies) == ["Answer"] * 8 + ["Problem"] * 8


def test_tables_people_and_progressives_are_told_apart(house: House) -> None:
    refused = house.no("people", "", "adam", house.action("role.grant", person="DORA", role="dealer"))
    assert "DORA differs from the person dora only by" in refused.detail
    data = {"pit": "A", "table": "fr1", "game": "roulette", "ruleset": "roulette-french"}
    refused = house.no("floor", "", "adam", house.action("table.install", **data))
    assert "fr1 differs from the table FR1 only by" in refused.detail
    opening = {"ruleset": "blackjack-trilux"}
    assert isinstance(
        house.send("progressives", "Blazing", "mark", house.action("progressive.open", **opening))[0], Problem
    )


def test_pits_and_shifts_are_told_apart(house: House) -> None:
    data = {"table": "FR8", "game": "roulette", "ruleset": "roulette-french"}
    for pit in ("a", "\u0391"):  # the Greek capital alpha
        refused = house.no("floor", "", "adam", house.action("table.install", pit=pit, **data))
        assert (refused.field, refused.code) == ("data.pit", "id-looks-alike")
        assert f"{pit} differs from the pit A only by" in refused.detail
    house.install("FR8", "roulette", "roulette-french")
    shifts = house.action("setting.change", setting="shifts", value="early 06:00, late 18:00")
    house.agreed("house", "", ("anna", "sven"), shifts)
    opening = {"gaming_day": DAY, "opener": {"100": 10}}
    refused = house.no("tables", "FR8", "ines", house.action("session.open", shift="Late", **opening))
    assert (refused.field, refused.code) == ("data.shift", "id-looks-alike")
    assert "Late differs from the shift late only by" in refused.detail
    house.ok("tables", "FR8", "ines", house.action("session.open", shift="early", **opening))
    count = {"chips": {"100": 10}, "witness": "sid"}
    refused = house.no("tables", "FR8", "ines", house.action("shift.count", next_shift="LATE", **count))
    assert refused.field == "data.next_shift"
    house.ok("tables", "FR8", "ines", house.action("shift.count", next_shift="late", **count))
    for value, field in (("early 06:00, Late 18:00", "data.value"), ("night 06:00, Night 18:00", "data.value")):
        change = house.action("setting.change", setting="shifts", value=value)
        assert house.no("house", "", "anna", change).field == field
    assert audit(house.store, PROPERTY, []).findings == []


def test_what_was_claimed_holds_under_verification(house: House) -> None:
    buy(house, "g-10")
    buy(house, "José")
    assert audit(house.store, PROPERTY, []).findings == []


def test_a_store_from_before_goes_on_with_both(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as before:
        before.setattr(lookalike_id_claims.IdClaims, "new", lambda *_: [])
        house = House(open_store(url))
        house.open_table("FR1")
        for player in ("g-7", "G-7", "g-8"):
            assert isinstance(buy(house, player), Answer)
    assert not claims(house.store)
    house.desk.close()
    house.desk = Desk(house.store, PROPERTY)
    assert lookalike_id_claims.index(house.store, PROPERTY) > 5
    assert lookalike_id_claims.index(house.store, PROPERTY) == 0
    for player in ("g-7", "G-7", "g-8", "g-9"):
        assert isinstance(buy(house, player), Answer), player
    refused = buy(house, "G-8")
    assert isinstance(refused, Problem)
    assert "G-8 differs from the player g-8 only by" in refused.detail
    assert audit(house.store, PROPERTY, []).findings == []
    house.close()


def claims(store: EventStore) -> list[str]:
    return [key.key for key in store.keys_after("", 1_000, marked=True) if lookalike_id_claims.is_of_id(key.key)]
