"""Requirements of regulators for the count of drop boxes, clause by clause.

Tests of WAC 230-15-610 to 620 are named wa_610 and so on. Those of NIGC 542.31 and MS 13-8-4.14 are named nigc_542_31
and ms_4_14.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from events.desk import command_and_answer_structs
from events.desk.command_and_answer_structs import Answer, Command
from events.envelope import Who
from events.settings.settings_from_environment import settings
from events.store import open_store
from events.store.named_notes_shared_by_processes import NOTES_TABLE
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.cage_house import CASH, Cashiers, counted
from tests.support.houses.small_house import DAY, events_of
from tools.demo.history.terminal_without_network import SetClock

BOX = {"table": "FR1", "drop_box": "b-1"}
BOUGHT = 120_000
RIGHT = {"cash": {"5000": 24}}
CLOSER = {"100": 1_000, "500": 1_000, "2500": 952}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'events.sqlite3'}"


@pytest.fixture
def clock() -> SetClock:
    """The house's, which the test sets forward."""
    return SetClock(f"{DAY}T23:00:00.000Z")


@pytest.fixture
def house(url: str, clock: SetClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cashiers]:
    """FR1 is closed, and its box taken away; there are two counters, cora and carl."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made = Cashiers(open_store(url, clock))
    made.grant("carl", "count")
    made.at_table("buyin.make", seat=1, player="p-1", amount_minor=BOUGHT)
    made.at_table("session.close", closer=CLOSER)
    made.ok("tables", "FR1", "cora", made.action("drop.remove", drop_box="b-1"))
    yield made
    made.close()


def enter(house: Cashiers, person: str = "cora", **figures: Any) -> Any:
    return house.ok("days", "", person, house.action("count.enter", **BOX, **(figures or RIGHT)))[0]


def verify(house: Cashiers, person: str = "carl", **figures: Any) -> list[Any]:
    return house.ok("days", "", person, house.action("count.verify", **BOX, **(figures or RIGHT)))


def refused(house: Cashiers, person: str, kind: str, **figures: Any) -> Problem:
    return house.no("days", "", person, house.action(kind, **BOX, **(figures or RIGHT)))


def discrepancies_of(events: list[Any]) -> list[tuple[str, str | None, int, int]]:
    discrepancies = [event.data for event in events if event.type == "discrepancy.found.v1"]
    return [
        (discrepancy.kind, discrepancy.tender, discrepancy.expected_minor, discrepancy.found_minor)
        for discrepancy in discrepancies
    ]


def settled(events: list[Any]) -> Any:
    return next(event.data for event in events if event.type == "count.settled.v1")


def test_wa_610_a_count_team_has_two_people_or_more(house: Cashiers) -> None:
    enter(house)
    assert refused(house, "cora", "count.verify").clause == "house count (WA 620)"
    assert [event.type for event in verify(house)][:1] == ["count.settled.v1"]


def test_wa_610_whoever_prepares_documents_at_the_cage_does_not_count(house: Cashiers) -> None:
    house.grant("kate", "cage")
    assert refused(house, "kate", "count.enter").status == 403


def test_wa_620_equal_figures_of_two_people_settle_the_count(house: Cashiers) -> None:
    enter(house)
    events = verify(house)
    count = settled(events)
    assert (count.counters, count.cash_minor, discrepancies_of(events)) == (("cora", "carl"), BOUGHT, [])
    assert count.first == count.second == count.counted
    assert house.books.cage.expected.cash == 5_000_000 + BOUGHT


def test_wa_620_nobody_verifies_his_own_count(house: Cashiers) -> None:
    enter(house)
    denied = refused(house, "cora", "count.verify")
    assert denied.code == "counter-verifies-own"
    assert "A second person must verify it." in denied.detail


def test_wa_620_nobody_learns_the_first_figures_before_the_second_are_in(
    house: Cashiers, tmp_path: Path, url: str
) -> None:
    action = house.action("count.enter", **BOX, cash={"5000": 23, "7": 31_337}, marker_minor=98_765)
    who = Who(person="cora", roles=frozenset(), factor_s=0)
    _, guess = command_and_answer_structs.read(Command(Target("days"), (action,), who), action)
    house.ok("days", "", "cora", action)
    house.store.close()
    for path in [path for path in tmp_path.rglob("*") if path.is_file()]:
        raw = path.read_bytes()
        assert not [text for text in (guess, guess.hex().encode()) if text in raw], path
        # A figure is a value of a JSON text. Its digits alone also occur by chance in ids and digests.
        assert not re.search(rb'[:,"\s](31337|98765)[,"}\s]', raw), path
    house.store = open_store(url)


def test_wa_620_an_entry_is_as_long_as_any_other(house: Cashiers) -> None:
    house.open_table("BJ1")
    large = {"cash": {str(10**9 - number): 10**6 - number for number in range(40)}, "marker_minor": 1}
    assert refused(house, "cora", "count.enter", **large).status == 400  # worth too much, but no reason of its length
    assert len(enter(house, cash={}).data.sealed) == len(
        enter_again(house, cash={str(number): 99_999 for number in range(1, 41)}).data.sealed
    )


def enter_again(house: Cashiers, **figures: Any) -> Any:
    """The key of the entry is lost: it is entered again."""
    lose(house)
    return enter(house, **figures)


def lose(house: Cashiers) -> None:
    with connected() as access:
        access.execute(f"DELETE FROM {NOTES_TABLE} WHERE name LIKE 'count-key/%'")


def keys() -> int:
    """Return the number of stored keys of counts."""
    with connected() as access:
        return int(access.execute(f"SELECT count(*) FROM {NOTES_TABLE} WHERE name LIKE 'count-key/%'").fetchone()[0])


@contextmanager
def connected() -> Iterator[sqlite3.Connection]:
    """Yield the access log's database, which also has the keys."""
    with closing(sqlite3.connect(settings().access.removeprefix("sqlite:///"), isolation_level=None)) as access:
        yield access


def test_wa_620_a_count_cannot_be_tried(house: Cashiers) -> None:
    enter(house)
    for kind in ("count.enter", "count.verify"):
        denied = house.no("days", "", "carl", house.action(kind, **BOX, **RIGHT, _intent="check"))
        assert denied.code == "count-not-checked-before"
        assert "Counts cannot be checked in advance." in denied.detail


def test_wa_620_the_same_entry_again_gets_its_first_answer(house: Cashiers) -> None:
    first = house.ok("days", "", "cora", house.action("count.enter", **BOX, **RIGHT, _key="k"))[0]
    again = house.send("days", "", "cora", house.action("count.enter", **BOX, **RIGHT, _key="k"))[0]
    assert isinstance(again, Answer)
    assert again.repeated
    assert first.data.counter == "cora"
    other = house.action("count.enter", **BOX, cash={"5000": 23}, _key="k")
    assert house.no("days", "", "cora", other).status == 409


def test_wa_620_a_lost_key_means_that_the_box_is_counted_again(house: Cashiers) -> None:
    enter(house, cash={"5000": 1})
    lose(house)
    assert "Count the box again (count.enter)." in refused(house, "carl", "count.verify").detail
    enter(house)
    assert settled(verify(house)).cash_minor == BOUGHT


def test_wa_620_the_key_is_gone_when_the_count_is_settled(house: Cashiers) -> None:
    enter(house)
    assert keys() == 1
    verify(house)
    assert keys() == 0


def test_wa_620_counters_who_differ_are_both_shown_and_two_people_count_again(house: Cashiers) -> None:
    enter(house, cash={"5000": 24, "1000": 1})
    events = verify(house)
    assert [event.type for event in events] == ["count.differed.v1", "discrepancy.found.v1"]
    assert discrepancies_of(events) == [("counters", None, BOUGHT + 1_000, BOUGHT)]
    assert house.books.cage.expected.cash == 5_000_000
    request = house.ok("days", "", "carl", house.action("count.settle", **BOX, **RIGHT))[0].data
    give = house.action("approval.give", request=request.request, content=request.content)
    assert house.no("days", "", "carl", give).status == 422
    count = settled(house.ok("days", "", "cora", give))
    assert (count.cash_minor, count.first.cash, count.second.cash) == (BOUGHT, {1_000: 1, 5_000: 24}, {5_000: 24})


def differing(house: Cashiers) -> None:
    enter(house, cash={"5000": 23})
    verify(house)


def test_wa_620_both_enter_the_recount_and_equal_figures_settle_it(house: Cashiers) -> None:
    differing(house)
    request = house.ok("days", "", "cora", house.action("count.settle", **BOX, **RIGHT))[0]
    assert request.type == "approval.requested.v1"
    assert "waits for the other counter" in refused(house, "cora", "count.settle").detail
    assert "another recount" in refused(house, "carl", "count.settle", cash={"5000": 22}).detail
    same = {"cash": {"5000": 24, "1000": 0}, "chips": {}}
    events = house.ok("days", "", "carl", house.action("count.settle", **BOX, **same))
    assert [event.type for event in events] == ["approval.given.v1", "count.settled.v1"]
    assert settled(events).counters == ("cora", "carl")


def test_wa_620_nobody_else_counts_again_in_the_place_of_who_has_counted(house: Cashiers) -> None:
    differing(house)
    assert (
        "cora, carl have counted this box. Both must count it again." in refused(house, "anna", "count.settle").detail
    )
    request = house.ok("days", "", "cora", house.action("count.settle", **BOX, **RIGHT))[0].data
    give = house.action("approval.give", request=request.request, content=request.content)
    assert "have counted this box." in house.no("days", "", "anna", give).detail
    house.ok("people", "", "adam", house.action("role.revoke", person="carl", role="count"))
    assert settled(house.ok("days", "", "anna", give)).counters == ("cora", "anna")


def test_wa_620_a_recount_of_what_was_settled_keeps_both_and_moves_the_difference(house: Cashiers) -> None:
    enter(house)
    verify(house)
    again = house.action("count.settle", **BOX, cash={"5000": 23})
    events = house.agreed("days", "", ("carl", "cora"), again)
    assert settled(events).before.cash == {5_000: 24}
    assert discrepancies_of(events) == [("box", "cash", BOUGHT, BOUGHT - 5_000)]
    assert house.books.cage.expected.cash == 5_000_000 + BOUGHT - 5_000


def on_the_day(house: Cashiers, person: str, kind: str, **data: Any) -> Any:
    """Return the reply to an action on a day that is no longer the cage's day."""
    who = Who(person=person, roles=frozenset(), factor_s=0)
    [reply] = house.desk.do(Command(Target("days", "", DAY), (house.action(kind, **data),), who, "atomic"))
    return reply


def test_wa_620_a_box_is_counted_again_however_long_ago_it_was_settled(house: Cashiers, clock: SetClock) -> None:
    """Days later the count room has let go of it: it is read again."""
    enter(house)
    verify(house)
    held = counted(CASH + BOUGHT)
    for day in ("2026-11-21", "2026-11-22", "2026-11-23"):
        house.cage("cage.close", **held)
        clock.advance(f"{day}T23:00:00.000Z")
        house.cage("cage.open", gaming_day=day, **held)
    assert house.books.counting.days == {}
    figures = {**BOX, "cash": {"5000": 23}}
    for wrong in ("count.enter", "count.verify"):
        assert on_the_day(house, "cora", wrong, **figures).clause == "house count (WA 620)"
    request = events_of([on_the_day(house, "carl", "count.settle", **figures)])[0].data
    approval: dict[str, Any] = {"request": request.request, "content": request.content}
    events = events_of([on_the_day(house, "cora", "approval.give", **approval)])
    recount = settled(events)
    assert (recount.before.cash, recount.shift, recount.counters) == ({5_000: 24}, "day", ("carl", "cora"))
    assert discrepancies_of(events) == [("box", "cash", BOUGHT, BOUGHT - 5_000)]
    assert house.books.cage.expected.cash == CASH + BOUGHT - 5_000
    assert on_the_day(house, "cora", "count.settle", table="FR1", drop_box="b-9", cash={}).status == 404
    assert on_the_day(house, "dora", "count.settle", **figures).status == 403


def test_ms_4_14_a_difference_in_any_tender_is_one_also_where_the_totals_agree(house: Cashiers) -> None:
    figures: dict[str, Any] = {"cash": {"5000": 23}, "marker_minor": 5_000}
    enter(house, **figures)
    events = verify(house, **figures)
    assert discrepancies_of(events) == [("box", None, BOUGHT, BOUGHT)], "one a box, with its tenders"
    data = events[-1].data
    assert (data.band, data.expected_tenders["marker"], data.found_tenders["marker"]) == ("recorded", 0, 5_000)


def test_ms_4_14_vouchers_that_nobody_bought_in_or_staked_are_a_difference(house: Cashiers) -> None:
    figures: dict[str, Any] = {**RIGHT, "promotional_minor": 700_000}
    enter(house, **figures)
    events = verify(house, **figures)
    assert discrepancies_of(events) == [("box", "promotional", BOUGHT, BOUGHT + 700_000)]
    assert events[-1].data.band == "regulator"


@pytest.mark.parametrize("role", ["dealer", "inspector", "pit boss", "surveillance"])
def test_wa_610_nobody_of_the_pit_or_of_surveillance_counts(house: Cashiers, role: str) -> None:
    house.grant("both", "count")
    house.grant("both", role)
    assert "both is of the pit or of surveillance, and may not count." in refused(house, "both", "count.enter").detail


@pytest.mark.parametrize("role", ["dealer", "surveillance"])
def test_wa_610_nor_does_one_of_them_agree_to_a_recount(house: Cashiers, role: str) -> None:
    house.grant("both", "count")
    house.grant("both", role)
    enter(house, cash={"5000": 23})
    verify(house)
    request = house.ok("days", "", "carl", house.action("count.settle", **BOX, **RIGHT))[0].data
    give = house.action("approval.give", request=request.request, content=request.content)
    assert house.no("days", "", "both", give).clause == "house count (WA 610)"


def test_wa_615_a_box_that_was_not_taken_away_is_not_counted(house: Cashiers) -> None:
    other = house.action("count.enter", table="FR1", drop_box="b-2", **RIGHT)
    assert house.no("days", "", "cora", other).status == 404


def test_wa_615_boxes_are_never_combined_each_is_held_against_its_own_buyins(house: Cashiers) -> None:
    house.cage("cage.close", chips={"100": 10_000, "500": 4_000, "2500": 1_000}, cash_minor=5_000_000)
    opener = {str(value): count for value, count in CLOSER.items()}
    house.at_table("session.open", gaming_day="2026-11-21", opener=opener)
    house.at_table("staff.assign", post="dealer", person="dora")
    for box, amount in (("x", 1_000), ("y", 2_000)):
        house.at_table("drop.put", drop_box=box)
        house.at_table("buyin.make", seat=1, player="p-1", amount_minor=amount)
        house.at_table("drop.remove", drop_box=box, witness="sid")
    for person, kind in (("cora", "count.enter"), ("carl", "count.verify")):
        action = house.action(kind, table="FR1", drop_box="y", cash={"1000": 2})
        target = Target("days", "", "2026-11-21")
        who = Who(person=person, roles=frozenset(), factor_s=0)
        events = [bytes(recorded.event) for recorded in answered(house, Command(target, (action,), who))]
    assert len(events) == 1
    assert b"count.settled.v1" in events[0]


def answered(house: Cashiers, command: Command) -> Any:
    reply = house.desk.do(command)[0]
    assert isinstance(reply, Answer), reply
    return reply.events


def test_nj_1_21_accounting_explains_a_discrepancy_once(house: Cashiers) -> None:
    enter(house, cash={"5000": 23})
    verify(house, cash={"5000": 23})
    [(id_, discrepancy)] = house.books.discrepancies.items()
    assert (discrepancy.kind, discrepancy.band, discrepancy.reason) == ("box", "reported", None)
    explain = {"discrepancy": id_, "reason": "a note lay in the lid"}
    assert house.no("days", "", "cora", house.action("discrepancy.explain", **explain)).status == 403
    house.ok("days", "", "anna", house.action("discrepancy.explain", **explain))
    assert house.books.discrepancies[id_].reason == "a note lay in the lid"
    assert "already" in house.no("days", "", "anna", house.action("discrepancy.explain", **explain)).detail
    gone = house.action("discrepancy.explain", discrepancy=f"{id_}0", reason="x")
    assert house.no("days", "", "anna", gone).status == 404


def test_the_counts_of_a_day_that_is_over_are_its_own(house: Cashiers) -> None:
    assert enter(house).subject == f"athens/days/{DAY}"
