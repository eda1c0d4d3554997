"""The cage: one day at a time, its expected chips and cash, and the results of its counts."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from events.accounting.cage_and_count_state_fold import Books
from events.accounting.cage_and_count_state_fold import evolve as evolve_books
from events.accounting.cage_inventory import Cage, Holding, evolve
from events.accounting.event_types.cage import CageOpened
from events.accounting.event_with_position import AccountingEvent
from events.accounting.fill_and_credit_slip_states import Slips
from events.accounting.live_books_for_decisions import KeptBooks
from events.envelope import EventData
from events.progressives.event_types import HousePaid, HouseVoided
from events.streams.problem_details import Problem
from tests.support.houses.cage_house import CASH, CHIPS, Cashiers, counted
from tests.support.houses.small_house import DAY, PROPERTY, House

NEXT = "2026-11-21"


@pytest.fixture
def house() -> Iterator[Cashiers]:
    made = Cashiers()
    yield made
    made.close()


def discrepancies_of(events: list[Any]) -> list[tuple[str, int, int, str]]:
    discrepancies = [event.data for event in events if event.type == "discrepancy.found.v1"]
    return [
        (discrepancy.kind, discrepancy.expected_minor, discrepancy.found_minor, discrepancy.band)
        for discrepancy in discrepancies
    ]


def total(cash: int = CASH) -> int:
    return sum(int(denomination) * count for denomination, count in CHIPS.items()) + cash


def test_a_cage_that_was_never_opened_does_nothing() -> None:
    house = House()
    problem = house.no("cage", "", "cage", house.action("cage.cash_out", chips={"100": 1}))
    assert (problem.status, problem.clause) == (422, "house cage")
    house.close()


def test_the_first_count_opens_the_books(house: Cashiers) -> None:
    assert house.books.cage.expected == Holding({100: 10_000, 500: 4_000, 2_500: 1_000}, CASH)


def test_chips_and_money_change_places(house: Cashiers) -> None:
    house.cage("cage.cash_out", chips={"500": 10}, player="p-1")
    house.cage("cage.cash_in", chips={"100": 20}, player="p-1")
    assert house.books.cage.expected == Holding({100: 9_980, 500: 4_010, 2_500: 1_000}, CASH - 5_000 + 2_000)
    assert discrepancies_of(house.cage("cage.close", **counted(CASH - 3_000, c100=9_980, c500=4_010))) == []


def test_what_was_given_was_there_and_the_next_count_says_that_the_books_were_wrong(house: Cashiers) -> None:
    house.cage("cage.cash_out", chips={"2500": 2_001})
    house.cage("cage.cash_in", chips={"500": 4_001})
    house.cage("marker.redeem", marker="m", player="p", amount_minor=100)
    cash = CASH - 2_001 * 2_500 + 4_001 * 500 + 100
    assert house.books.cage.expected == Holding({100: 10_000, 500: -1, 2_500: 3_001}, cash, -100)
    [(_, expected, counted_minor, _)] = discrepancies_of(house.cage("cage.close", **counted(cash, c500=0, c2500=3_001)))
    assert counted_minor - expected == 600, "a chip of 500 and a marker of 100 that were there"


@pytest.mark.parametrize("intent", ["check", "ask", "fact"])
def test_nobody_learns_what_the_cage_should_hold_by_asking(house: Cashiers, intent: str) -> None:
    for kind, less, more_data in (
        ("cage.cash_out", {"chips": {"2500": 2_000}}, {"chips": {"2500": 20_001}}),
        ("cage.cash_in", {"chips": {"500": 4_000}}, {"chips": {"500": 40_001}}),
        ("marker.redeem", {"marker": "a", "amount_minor": 1}, {"marker": "b", "amount_minor": 10**8}),
    ):
        for data in (less, more_data):
            [reply] = house.send("cage", "", "cage", house.action(kind, _intent=intent, player="p", **data))
            assert not isinstance(reply, Problem), reply
            assert len(reply.events) == 1


def test_a_marker_goes_back_to_its_player_once(house: Cashiers) -> None:
    marker = {"marker": "m-1", "player": "p", "amount_minor": 50_000}
    house.cage("marker.redeem", **marker)
    refused = house.not_in_cage("marker.redeem", **marker)
    assert (refused.clause, refused.field) == ("house marker", "data.marker")
    redeemed, irregular = house.cage("marker.redeem", _intent="fact", **marker)
    assert (redeemed.type, irregular.data.kind) == ("marker.redeemed.v1", "marker twice")
    assert irregular.data.amount_minor == 50_000
    house.cage("marker.redeem", **{**marker, "marker": "m-2"})
    raw = msgspec.msgpack.encode(house.books)
    assert msgspec.msgpack.decode(raw, type=Books).is_redeemed("m-2"), "a snapshot knows it, too"


def test_a_shortage_is_said_with_both_figures_and_the_next_count_is_measured_from_it(house: Cashiers) -> None:
    assert discrepancies_of(house.cage("cage.count", **counted(CASH - 2_500))) == [
        ("cage", total(), total() - 2_500, "recorded")
    ]
    assert discrepancies_of(house.cage("cage.close", **counted(CASH - 2_500))) == []


def test_cash_that_stands_for_chips_is_a_discrepancy_of_nothing(house: Cashiers) -> None:
    assert discrepancies_of(house.cage("cage.count", **counted(CASH - 500, c500=4_001))) == [
        ("cage", total(), total(), "recorded")
    ]


def test_one_day_is_open_at_a_time(house: Cashiers) -> None:
    assert "Close it first" in house.not_in_cage("cage.open", gaming_day=NEXT, **counted()).detail
    house.cage("cage.close", **counted())
    assert "opened already" in house.not_in_cage("cage.open", gaming_day=DAY, **counted()).detail
    assert "Open its next gaming day first" in house.not_in_cage("cage.cash_in", chips={"100": 1}).detail
    house.cage("cage.open", gaming_day=NEXT, **counted())
    assert house.cage("cage.cash_in", chips={"100": 1})[0].subject.endswith(NEXT)


@pytest.mark.parametrize("day", ["2026-11-19", "2026-11-23", "2027-11-21"])
def test_a_day_of_another_time_is_refused(house: Cashiers, day: str) -> None:
    house.cage("cage.close", **counted())
    assert house.not_in_cage("cage.open", gaming_day=day, **counted()).status in (400, 422)


def test_the_opening_is_held_against_the_last_closing_piece_by_piece(house: Cashiers) -> None:
    house.cage("cage.close", **counted())
    events = house.cage("cage.open", gaming_day=NEXT, **counted(c100=9_995, c500=4_001))
    assert discrepancies_of(events) == [("cage", total(), total(), "recorded")]
    assert (events[-1].data.expected, events[-1].data.counted) == ({100: 10_000, 500: 4_000}, {100: 9_995, 500: 4_001})


def test_chips_that_come_while_it_is_closed_belong_to_its_next_day(house: Cashiers) -> None:
    house.cage("cage.close", **counted())
    issue = house.action("chips.issue", chips={"500": 100}, way="brought in", reason="new series")
    house.agreed("house", "", ("cage", "sven"), issue)
    assert discrepancies_of(house.cage("cage.open", gaming_day=NEXT, **counted(c500=4_100))) == []


def test_a_new_table_gets_its_first_float_from_the_cage_and_later_ones_from_itself(house: Cashiers) -> None:
    house.open_table("BJ1")
    assert house.books.cage.expected.chips == {100: 9_000, 500: 3_000}
    house.ok("tables", "BJ1", "ines", house.action("session.close", closer={"100": 1_000, "500": 1_000, "2500": 1_000}))
    opening = house.action("session.open", gaming_day=NEXT, opener={"100": 1_000, "500": 1_000, "2500": 1_000})
    house.ok("tables", "BJ1", "ines", opening)
    assert house.books.cage.expected.chips == {100: 9_000, 500: 3_000}


def test_the_cage_is_the_cashiers(house: Cashiers) -> None:
    for person in ("ines", "anna", "adam", "dora"):
        assert house.no("cage", "", person, house.action("cage.close", **counted())).status == 403


def test_a_witness_is_somebody_else(house: Cashiers) -> None:
    assert house.not_in_cage("cage.count", **counted(), witness="cage").field == "data.witness"
    events = house.cage("cage.count", **counted(CASH - 1), witness="sid")
    assert events[-1].data.counted_by == ("cage", "sid")


def test_the_books_are_the_same_from_a_snapshot(house: Cashiers) -> None:
    house.issue()
    house.issue("credit")
    house.at_table("credit.send", slip=1, chips={"500": 100})
    house.at_table("buyin.make", seat=1, player="p-1", amount_minor=1_000)
    house.cage("slip.void", kind="fill", slip=1, reason="not needed")
    house.cage("cage.count", **counted(CASH - 1, c500=3_900))
    books = house.books
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(books), type=Books) == books
    assert len(books.discrepancies) == 1


def test_a_new_process_folds_the_same_books(house: Cashiers) -> None:
    house.issue()
    house.cage("cage.cash_out", chips={"500": 10})
    fresh = KeptBooks(PROPERTY)
    fresh.catch_up(house.store)
    assert fresh.books == house.books


def test_what_is_of_another_property_is_not_in_the_books(house: Cashiers) -> None:
    other = KeptBooks("corfu")
    other.catch_up(house.store)
    assert other.position > 0
    assert other.books == Books()


def test_what_was_settled_before_the_last_days_is_let_go_and_numbers_go_on(house: Cashiers) -> None:
    house.issue()
    house.at_table("fill.receive", slip=1, chips={"500": 100})
    house.issue()
    held: dict[str, Any] = counted(CASH, c500=3_800)
    house.cage("cage.close", **held)
    house.cage("cage.open", gaming_day=NEXT, **held)
    books = house.books
    for position, day in enumerate(("2026-11-22", "2026-11-23"), house.store.position() + 1):
        books = evolve_books(books, AccountingEvent(position, f"athens/cage/{day}", "p", opened(day, held)))
    assert [*books.slips.slips] == ["fill-2026-2"]
    assert books.slips.next("fill", "2026") == 3


def opened(day: str, held: dict[str, Any]) -> CageOpened:
    chips = {int(denomination): count for denomination, count in held["chips"].items()}
    return CageOpened(gaming_day=day, chips=chips, cash_minor=CASH, marker_minor=0, amount_minor=0)


def fold(*events: EventData) -> Cage:
    cage = Cage()
    for position, event in enumerate(events, 1):
        cage = evolve(cage, AccountingEvent(position, "athens/cage/2026-11-20", "p", event), Slips())
    return cage


@pytest.mark.parametrize(
    ("tender", "expected"),
    [
        ("cash", Holding({100: 5}, 900)),
        ("chips", Holding({100: 5}, 1_000, 0, -100)),
        ("transfer", Holding({100: 5}, 1_000)),
    ],
)
def test_what_the_house_pays_leaves_in_its_tender_and_comes_back_in_it(tender: Any, expected: Holding) -> None:
    opened = CageOpened(gaming_day=DAY, chips={100: 5}, cash_minor=1_000, marker_minor=0, amount_minor=1_500)
    place: dict[str, Any] = {
        "progressive": "blazing",
        "level": "minor",
        "table": "BJ1",
        "gaming_day": DAY,
        "round": 1,
        "box": 1,
        "amount_minor": 100,
        "reason": "late",
        "slip": 1,
        "slip_year": "2026",
        "approvals": (),
    }
    paid = HousePaid(**place, player="p", paid_gaming_day=DAY, tender=tender)
    assert fold(opened, paid).expected == expected
    assert fold(opened, paid, HouseVoided(**place)).expected == Holding({100: 5}, 1_000)
    other = HousePaid(**place | {"progressive": "mega"}, player="q", paid_gaming_day=DAY, tender="cash")
    both = fold(opened, paid, other, HouseVoided(**place, tender=tender)).expected
    assert both == Holding({100: 5}, 900), "slips of two progressives have the same numbers"
    assert fold(opened, paid, other, HouseVoided(**place)).expected == fold(opened, paid).expected, "as closed days say"


def destroy(house: Cashiers, **chips: int) -> Any:
    counts_by_name = {name[1:]: count for name, count in chips.items()}
    return house.action("chips.issue", chips=counts_by_name, way="destroyed", reason="worn")


def test_chips_are_destroyed_in_the_cage_whatever_its_books_say(house: Cashiers) -> None:
    bring = house.action("chips.issue", chips={"500": 100_000}, way="brought in", reason="new")
    house.agreed("house", "", ("cage", "sven"), bring)
    house.cage("cage.cash_in", chips={"500": 103_999})
    house.agreed("house", "", ("cage", "sven"), destroy(house, c500=2))
    assert house.books.cage.expected.chips[500] == -1, "whoever counts next finds one more than that"
    assert "Of the chips of" in house.no("house", "", "cage", destroy(house, c500=99_999)).detail


def test_a_house_with_a_cage_counts_its_boxes_in_the_count_room(house: Cashiers) -> None:
    house.at_table("session.close", closer={"100": 1_000, "500": 1_000, "2500": 1_000})
    house.ok("tables", "FR1", "sid", house.action("drop.remove", drop_box="b-1", witness="ines"))
    drop = house.action("drop.count", drop_box="b-1", amount_minor=0)
    refused = house.no("tables", "FR1", "cora", drop)
    assert (refused.clause, "count room" in refused.detail) == ("house count (WA 620)", True)
