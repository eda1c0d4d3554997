"""Rulesets are part of history: their data is recorded at use, and today's files do not change past rounds."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from events import catalogue
from events.desk.desk import Desk
from events.envelope import Meta
from events.floor.table_installation_decider import TableInstalled
from events.rules import loading_and_pinning_rulesets
from events.store import Append, EventStore, NewEvent, everything, open_store
from events.tables.event_types.session import SessionOpened
from projections.eventlog.search_filter_vocabulary import in_store
from tests.support.houses.small_house import DAY, PROPERTY, House, progressive, types_of

OPENER = {"100": 1_000, "500": 1_000, "2500": 1_000}
ADAM = ("floor", "", "adam")
Own = Callable[..., Path]


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    """An empty store on either database."""
    postgres = request.param == "postgres"
    store = open_store(request.getfixturevalue("postgres_url") if postgres else f"sqlite:///{tmp_path}/events.sqlite3")
    yield store
    store.close()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Own:
    """A function that puts a changed copy of a shipped ruleset into the casino's folder, under this name."""
    folder = tmp_path / "rulesets"
    folder.mkdir()
    monkeypatch.setenv("PITLEDGER_RULESETS", str(folder))

    def lay(of: str, name: str, **changes: Any) -> Path:
        shipped = json.loads(loading_and_pinning_rulesets.shipped()[of].read_text(encoding="utf-8"))
        path = folder / f"{name}.json"
        path.write_text(json.dumps(shipped | {"name": name} | changes), encoding="utf-8")
        return path

    return lay


def start_again(house: House) -> None:
    """Restart the desk as a new process with empty caches."""
    house.desk.close()
    loading_and_pinning_rulesets._contents.clear()
    loading_and_pinning_rulesets.load.cache_clear()
    house.desk = Desk(house.store, PROPERTY)


def straight(pays: int) -> dict[str, Any]:
    shipped = json.loads(loading_and_pinning_rulesets.shipped()["roulette-french"].read_text(encoding="utf-8"))
    return {"payouts": {**shipped["payouts"], "straight": pays}}


def won(house: House, table: str) -> int:
    """Return the winnings of a straight bet of 10.00 at the table, in a round of its own."""
    act, at = house.action, ("tables", table, "dora")
    bet = act("bet.place", bet=f"b{house.store.position()}", wager="straight", numbers=[7], amount_minor=1_000,
              player="ann", seat=1)  # fmt: skip
    before = [launch for launch in everything(house.store, types=["ball.launched.v1"]) if f"/{table}/" in launch.stream]
    turns = ("cw", "ccw") if len(before) % 2 == 0 else ("ccw", "cw")
    house.ok(*at, act("round.open"), bet, act("ball.launch", wheel=turns[0], ball=turns[1]), act("bets.close"))
    settled = house.ok(*at, act("ball.land", number=7, revolutions=5))
    paid = next(event.data for event in settled if event.type == "bet.settled.v1")
    house.ok(*at, act("payment.make", bet=paid.bet, amount_minor=paid.profit_minor), act("round.end"))
    return int(paid.profit_minor)


def recorded(store: EventStore) -> list[Any]:
    return [catalogue.decode(event.type, event.raw).data for event in everything(store, types=["ruleset.recorded.v1"])]


def append(store: EventStore, stream: str, event: Any) -> None:
    """Append an event as it was stored before rulesets were recorded."""
    meta = Meta(time=store.clock(), actor="ines", actorrole="inspector")
    store.append([Append(stream, store.head(stream), [NewEvent(event, meta)])])


def test_the_data_is_recorded_once_and_named_by_all_that_play_by_it(store: EventStore) -> None:
    house = House(store)
    before = len(recorded(store))
    house.install("R1", "roulette", "roulette-american")
    house.install("R2", "roulette", "roulette-american")
    new = [ruleset for ruleset in recorded(store)[before:] if ruleset.ruleset == "roulette-american@1"]
    assert len([ruleset for ruleset in recorded(store) if ruleset.ruleset == "roulette-american@1"]) == 1
    opened = house.ok("tables", "R1", "ines", house.action("session.open", gaming_day=DAY, opener=OPENER))[0].data
    known = next(ruleset for ruleset in recorded(store) if ruleset.ruleset == "roulette-american@1")
    assert (opened.ruleset, opened.ruleset_digest) == ("roulette-american@1", known.digest)
    assert known.digest == loading_and_pinning_rulesets.cache_ruleset(known.data)
    assert known.data == json.loads(
        loading_and_pinning_rulesets.shipped()["roulette-american"].read_text(encoding="utf-8")
    )
    assert len(new) <= 1
    house.close()


def test_what_is_played_is_what_was_recorded_whatever_becomes_of_the_file(store: EventStore, own: Own) -> None:
    house = House(store)
    path = own("roulette-french", "roulette-club", version="3", **straight(34))
    house.install("R1", "roulette", "roulette-club")
    house.open_table("R1")
    assert won(house, "R1") == 34_000
    own("roulette-french", "roulette-club", version="4", **straight(33))
    start_again(house)
    assert won(house, "R1") == 34_000
    path.unlink()
    start_again(house)
    assert won(house, "R1") == 34_000
    assert {event.ruleset for event in _table_events(store, "R1")} == {"roulette-club@3"}
    house.close()


def _table_events(store: EventStore, table: str) -> list[Any]:
    stored = [event for event in everything(store) if event.stream == f"{PROPERTY}/tables/{table}/{DAY}"]
    return [catalogue.decode(event.type, event.raw).data for event in stored]


def test_another_version_counts_from_the_installing_on_and_an_old_one_is_there_to_go_back_to(
    store: EventStore, own: Own
) -> None:
    house = House(store)
    own("roulette-french", "roulette-night", version="1", **straight(34))
    house.install("R1", "roulette", "roulette-night")
    own("roulette-french", "roulette-night", version="2", **straight(33))
    house.install("R2", "roulette", "roulette-night")
    house.install("R3", "roulette", "roulette-night@1")
    for table in ("R1", "R2", "R3"):
        house.open_table(table)
    assert [won(house, table) for table in ("R1", "R2", "R3")] == [34_000, 33_000, 34_000]
    assert [ruleset.ruleset for ruleset in recorded(store)][-2:] == ["roulette-night@1", "roulette-night@2"]
    house.close()


def test_the_same_name_and_version_with_other_data_is_refused_with_both_digests(store: EventStore, own: Own) -> None:
    house = House(store)
    own("roulette-french", "roulette-twice", **straight(34))
    house.install("R1", "roulette", "roulette-twice")
    first = recorded(store)[-1].digest
    own("roulette-french", "roulette-twice", **straight(33))
    for name in ("roulette-twice", "roulette-twice@1"):
        installing = house.action("table.install", pit="A", table="R2", game="roulette", ruleset=name)
        denied = house.no(*ADAM, installing)
        assert (denied.status, denied.clause) == (422, "house ruleset")
        second = loading_and_pinning_rulesets.cache_ruleset(loading_and_pinning_rulesets.of_today("roulette-twice"))
        assert first in denied.detail
        assert second in denied.detail
    house.close()


def test_our_own_name_and_version_stand_for_our_data(store: EventStore, own: Own) -> None:
    house = House(store)
    own("roulette-french", "roulette-french", **straight(34))
    installing = house.action("table.install", pit="A", table="R2", game="roulette", ruleset="roulette-french")
    assert house.no(*ADAM, installing).clause == "house ruleset"
    own("roulette-french", "roulette-french", version="club-1", **straight(34))
    house.install("R2", "roulette", "roulette-french")
    house.open_table("R2")
    assert won(house, "R2") == 34_000
    house.close()


def test_a_table_of_before_plays_by_the_data_that_there_was(store: EventStore, own: Own) -> None:
    """The table was installed and opened by a name alone, and the file of that name has changed since."""
    own("roulette-french", "roulette-french", version="2", **straight(34))
    house = House(store)
    append(store, f"{PROPERTY}/floor", _installed("R1", "roulette-french"))
    append(store, f"{PROPERTY}/floor", _installed("R2", "roulette-french"))
    append(store, f"{PROPERTY}/tables/R1/{DAY}", _opened("R1", "roulette-french"))
    at = ("tables", "R1", "ines")
    house.ok(*at, house.action("limits.post", minimum_minor=500, maxima_minor={}))
    house.ok(*at, *(house.action("staff.assign", post=post, person=who)
                    for post, who in (("dealer", "dora"), ("inspector", "ines"))))  # fmt: skip
    assert won(house, "R1") == 35_000
    house.open_table("R2")
    assert won(house, "R2") == 35_000
    opened = _table_events(store, "R2")[0]
    assert (opened.ruleset, opened.ruleset_digest) == (
        "roulette-french@1",
        loading_and_pinning_rulesets.cache_ruleset(loading_and_pinning_rulesets.released("roulette-french@1")),
    )
    counts = {name: len(list(in_store(store, {"ruleset": name, "table": "R1"}))) for name in _NAMES}
    assert counts == {"roulette-french": counts["roulette-french@1"], "roulette-french@1": counts["roulette-french@1"],
                     "roulette-french@2": 0}  # fmt: skip
    assert counts["roulette-french"] > 10
    house.close()


_NAMES = ("roulette-french", "roulette-french@1", "roulette-french@2")


def test_a_table_with_a_ruleset_that_nobody_recorded_is_installed_again_before_it_opens(
    store: EventStore, own: Own
) -> None:
    own("roulette-french", "roulette-lost", **straight(34))
    house = House(store)
    append(store, f"{PROPERTY}/floor", _installed("R1", "roulette-lost"))
    opening = house.action("session.open", gaming_day=DAY, opener=OPENER)
    denied = house.no("tables", "R1", "ines", opening)
    assert (denied.clause, "Install the table again" in denied.detail) == ("house ruleset", True)
    house.install("R1", "roulette", "roulette-lost")
    house.open_table("R1")
    assert won(house, "R1") == 34_000
    house.close()


def _installed(table: str, ruleset: str) -> TableInstalled:
    return TableInstalled(pit="A", table=table, game="roulette", ruleset=ruleset, currency="EUR")


def _opened(table: str, ruleset: str) -> SessionOpened:
    return SessionOpened(
        pit="A", table=table, gaming_day=DAY, shift="day", ruleset=ruleset, game="roulette", currency="EUR",
        opener={100: 1_000, 500: 1_000}, amount_minor=600_000,
    )  # fmt: skip


def test_a_linked_table_plays_by_its_progressives_own_ruleset(store: EventStore, own: Own) -> None:
    """Earlier it used the shipped payouts, even if the progressive was opened with others."""
    own("blazing7s", "blazing7s-club", version="7", pays={"three7": 300, "two7": 40, "one7": 3})
    house = House(store, ruleset="blazing7s-club")
    act = house.action
    opened = next(iter(everything(store, types=["progressive.opened.v1"])))
    opening = catalogue.decode(opened.type, opened.raw).data
    data = next(ruleset for ruleset in recorded(store) if ruleset.ruleset == "blazing7s-club@7")
    assert (opening.ruleset, opening.ruleset_digest) == ("blazing7s-club@7", data.digest)
    house.open_table("BJ1")
    own("blazing7s", "blazing7s-club", version="7", pays={"three7": 1, "two7": 1, "one7": 1})
    start_again(house)
    at = ("tables", "BJ1", "dora")
    bets = [act("bet.place", bet=wager, wager=wager, amount_minor=1_000, player="ann", box=1)
            for wager in ("main", "blazing7s")]  # fmt: skip
    house.ok(*at, act("round.open"), *bets, act("bets.close"), act("progressive.arm"))
    places: list[dict[str, Any]] = [{"to": "box", "box": 1}, {"to": "dealer"}, {"to": "box", "box": 1}]
    cards = zip(("7C", "TD", "7H"), places, strict=True)
    house.ok(*at, *(act("card.deal", card=card, **where) for card, where in cards))
    settled = house.ok(*at, act("deal.complete"))
    fixed = next(event.data for event in settled if getattr(event.data, "wager", "") == "blazing7s")
    assert fixed.profit_minor == 40_000
    session = _table_events(store, "BJ1")[0]
    assert (session.progressive_ruleset, session.progressive_ruleset_digest) == ("blazing7s-club@7", data.digest)
    house.close()


def test_a_progressive_takes_a_ruleset_of_its_own_game(store: EventStore) -> None:
    house = House(store)
    opening = house.action("progressive.open", **(progressive() | {"progressive": "second", "ruleset": "craps-gr"}))
    denied = house.no("progressives", "second", "mark", opening)
    assert (
        denied.detail
        == "data.ruleset: craps-gr is not a ruleset of the game of a progressive. Use a ruleset of: blazing7s."
    )
    house.close()


def test_the_data_is_recorded_on_the_floor_in_the_transaction_of_the_opening(store: EventStore, own: Own) -> None:
    own("blazing7s", "blazing7s-other", version="2")
    house = House(store)
    filed = progressive() | {"progressive": "second", "ruleset": "blazing7s-other"}
    opening = house.action("progressive.open", **filed)
    events = house.agreed("progressives", "second", ("mark", "anna"), opening)
    assert types_of(events) == ["approval.given.v1", "progressive.opened.v1", "ruleset.recorded.v1"]
    house.close()
