"""Requirements of regulators for fills and credits, clause by clause.

NJ 13:69D-1.22 and 1.23 are nj_1_22 and nj_1_23. LAC 42:III.2717 is la_2717, and NIGC 542.31 is nigc_542_31.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from events.controls.slip_issued_event import business_year
from events.streams.problem_details import Problem
from tests.support.houses.cage_house import CASH, Cashiers, counted
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.records.journals import holds, positions

FLOAT = 100_000 + 500_000 + 2_500_000


@pytest.fixture
def house() -> Iterator[Cashiers]:
    made = Cashiers()
    yield made
    made.close()


def float_of(house: Cashiers) -> int:
    amount: int = house.desk.streams.cache.read_stream(f"{PROPERTY}/tables/FR1/{DAY}").state.float_minor
    return amount


def discrepancies_of(events: list[Any]) -> list[tuple[str, int, int]]:
    discrepancies = [event.data for event in events if event.type == "discrepancy.found.v1"]
    return [(discrepancy.kind, discrepancy.expected_minor, discrepancy.found_minor) for discrepancy in discrepancies]


def test_nj_1_22_a_supervisor_requests_a_cashier_issues_a_dealer_and_a_supervisor_receive(house: Cashiers) -> None:
    ask = house.action("fill.request", chips={"500": 100})
    assert house.no("tables", "FR1", "dora", ask).status == 403
    slip = house.issue()
    assert (slip.kind, slip.year, slip.slip, slip.amount_minor, slip.runner) == ("fill", "2026", 1, 50_000, "sid")
    received = house.at_table("fill.receive", slip=1, chips={"500": 100})[0]
    assert (received.actor, received.data.dealer, received.correlation) == ("ines", "dora", "fill-2026-1")
    assert float_of(house) == FLOAT + 50_000


def test_nj_1_22_nobody_receives_a_fill_alone(house: Cashiers) -> None:
    house.at_table("staff.assign", post="inspector", person="paul")
    house.at_table("staff.assign", post="dealer", person="ines")
    house.issue()
    assert "Post the dealer" in house.not_at_table("fill.receive", slip=1, chips={"500": 100}).detail


def test_nj_1_22_numbers_are_given_by_the_system_in_a_row(house: Cashiers) -> None:
    assert [house.issue().slip for _ in range(3)] == [1, 2, 3]
    assert [house.issue("credit").slip for _ in range(2)] == [1, 2]


def test_nj_1_22_between_issue_and_receipt_the_chips_are_in_transit(house: Cashiers) -> None:
    before = house.books.cage.expected.chips_minor
    house.issue()
    assert (house.books.cage.expected.chips_minor, house.books.slips.transit) == (before - 50_000, 50_000)
    house.at_table("fill.receive", slip=1, chips={"500": 100})
    assert (house.books.cage.expected.chips_minor, house.books.slips.transit) == (before - 50_000, 0)


def test_nj_1_22_what_is_received_is_recorded_as_it_is_with_one_discrepancy(house: Cashiers) -> None:
    house.issue()
    events = house.at_table("fill.receive", slip=1, chips={"500": 98, "100": 5})
    assert discrepancies_of(events) == [("fill", 50_000, 49_500)]
    assert (events[-1].data.expected, events[-1].data.counted) == ({100: 0, 500: 100}, {100: 5, 500: 98})
    assert (float_of(house), house.books.slips.transit) == (FLOAT + 49_500, 0)


def test_nj_1_22_other_pieces_of_equal_money_are_recorded(house: Cashiers) -> None:
    house.issue()
    events = house.at_table("fill.receive", slip=1, chips={"2500": 20})
    assert discrepancies_of(events) == [("fill", 50_000, 50_000)]
    assert events[-1].data.band == "recorded"


def test_nj_1_22_a_void_needs_a_reason_and_two_people_before_the_receipt(house: Cashiers) -> None:
    before = house.books.cage.expected.chips_minor
    house.issue()
    assert house.not_in_cage("slip.void", kind="fill", slip=1).field == "data.reason"
    requested = house.cage("slip.void", kind="fill", slip=1, reason="not needed")
    assert requested[0].type == "approval.requested.v1"
    give = house.action("approval.give", request=requested[0].data.request, content=requested[0].data.content)
    assert house.no("cage", "", "cage", give).status == 422
    void = house.ok("cage", "", "ines", give)[-1].data
    assert [person for person, _ in void.approvals] == ["cage", "ines"]
    assert (house.books.cage.expected.chips_minor, house.books.slips.transit) == (before, 0)
    assert "or is void" in house.not_at_table("fill.receive", slip=1, chips={"500": 100}).detail
    assert house.issue().slip == 2


def test_nj_1_22_what_is_received_is_void_no_more(house: Cashiers) -> None:
    house.issue()
    house.at_table("fill.receive", slip=1, chips={"500": 100})
    assert "too late" in house.not_in_cage("slip.void", kind="fill", slip=1, reason="x").detail


def test_nj_1_22_a_slip_that_the_cage_does_not_know_is_only_reported(house: Cashiers) -> None:
    assert "has issued no fill 9" in house.not_at_table("fill.receive", slip=9, chips={"500": 10}).detail
    events = house.at_table("fill.receive", slip=9, chips={"500": 10}, _intent="fact")
    assert [event.type for event in events[1:]] == ["irregularity.recorded.v1", "discrepancy.found.v1"]
    assert discrepancies_of(events) == [("unknown_slip", 0, 5_000)]
    assert (float_of(house), house.books.slips.transit) == (FLOAT + 5_000, 0)


def test_nj_1_22_a_slip_of_another_table_stays_open(house: Cashiers) -> None:
    house.open_table("BJ1")
    house.issue()
    other = house.no("tables", "BJ1", "ines", house.action("fill.receive", slip=1, chips={"500": 100}))
    assert "was issued for FR1" in other.detail
    assert list(house.books.slips.open) == ["fill-2026-1"]


def test_nj_1_23_a_credit_is_sent_by_the_table_and_received_by_the_cage(house: Cashiers) -> None:
    before = house.books.cage.expected.chips_minor
    house.issue("credit")
    assert (float_of(house), house.books.slips.transit) == (FLOAT, 0)
    assert "has not sent the credit" in house.not_in_cage("credit.receive", slip=1, chips={"500": 100}).detail
    house.at_table("credit.send", slip=1, chips={"500": 100})
    assert (float_of(house), house.books.slips.transit) == (FLOAT - 50_000, 50_000)
    assert discrepancies_of(house.cage("credit.receive", slip=1, chips={"500": 100})) == []
    assert (house.books.cage.expected.chips_minor, house.books.slips.transit) == (before + 50_000, 0)


@pytest.mark.parametrize(
    ("sent", "received", "expected"),
    [
        (100, 99, [("credit", 50_000, 49_500)]),
        (99, 100, [("credit", 50_000, 49_500)]),
        (99, 98, [("credit", 50_000, 49_000)]),
    ],
)
def test_nj_1_23_one_discrepancy_a_slip(house: Cashiers, sent: int, received: int, expected: Any) -> None:
    house.issue("credit")
    assert discrepancies_of(house.at_table("credit.send", slip=1, chips={"500": sent})) == []
    assert discrepancies_of(house.cage("credit.receive", slip=1, chips={"500": received})) == expected
    assert house.books.slips.transit == 0


def test_nj_1_23_a_void_credit_on_its_way_returns_to_its_table(house: Cashiers) -> None:
    house.issue("credit")
    house.at_table("credit.send", slip=1, chips={"500": 100})
    assert house.void("credit", 1)[-1].type == "credit.returned.v1"
    assert (float_of(house), house.books.slips.transit) == (FLOAT, 0)
    assert "too late" in house.not_in_cage("credit.receive", slip=1, chips={"500": 100}).detail


def test_nj_1_23_a_void_credit_is_on_its_way_until_its_table_has_it_back(house: Cashiers) -> None:
    house.issue("credit")
    house.at_table("credit.send", slip=1, chips={"500": 100})
    house.void("credit", 1)
    transit = {}
    for kind, going in positions(house.store):
        holds(going, kind)
        transit[kind] = going.slips.transit
    kinds = ("credit.sent.v1", "slip.voided.v1", "credit.returned.v1")
    assert [transit[kind] for kind in kinds] == [50_000, 50_000, 0]


def test_nj_1_23_a_credit_that_was_void_before_is_not_sent(house: Cashiers) -> None:
    house.issue("credit")
    house.void("credit", 1)
    assert "or is void" in house.not_at_table("credit.send", slip=1, chips={"500": 100}).detail
    assert float_of(house) == FLOAT


def test_nigc_542_31_who_counts_the_cage_learns_nothing_from_the_slips_that_it_issues(house: Cashiers) -> None:
    request = house.at_table("fill.request", chips={"500": 4_001})[0].data
    slip = house.cage("slip.issue", request=request.request, runner="sid")[0].data
    assert (slip.slip, house.books.cage.expected.chips[500]) == (1, -1)


@pytest.mark.parametrize("intent", ["check", "ask", "fact"])
def test_nigc_542_31_who_counts_a_tray_learns_nothing_from_what_he_asks_of_it(house: Cashiers, intent: str) -> None:
    """An amount above the expected tray is answered like a smaller one.

    The books may be wrong, but the chips were there.
    """
    house.issue("credit", {"2500": 1})
    house.issue("credit", {"2500": 10_000})
    for kind, less, more_data in (
        ("credit.request", {"chips": {"2500": 1}}, {"chips": {"2500": 10_000}}),
        ("credit.send", {"slip": 1, "chips": {"2500": 1}}, {"slip": 2, "chips": {"2500": 10_000}}),
        (
            "buyin.make",
            {"seat": 1, "player": "p", "amount_minor": 1},
            {"seat": 1, "player": "p", "amount_minor": 10**9},
        ),
    ):
        for data in (less, more_data):
            [reply] = house.send("tables", "FR1", "ines", house.action(kind, _intent=intent, **data))
            assert not isinstance(reply, Problem), reply
            assert len(reply.events) == 1


def test_nj_1_23_a_check_does_not_say_that_other_chips_were_expected(house: Cashiers) -> None:
    house.issue("fill")
    house.issue("credit")
    house.at_table("credit.send", slip=1, chips={"500": 99})
    for kind, name, person, receipt in (("tables", "FR1", "ines", "fill"), ("cage", "", "cage", "credit")):
        data = {"slip": 1, "chips": {"500": 100 if receipt == "credit" else 98}}
        [would] = house.send(kind, name, person, house.action(f"{receipt}.receive", _intent="check", **data))
        [does] = house.send(kind, name, person, house.action(f"{receipt}.receive", **data))
        assert not isinstance(would, Problem)
        assert not isinstance(does, Problem)
        assert (len(would.events), len(does.events)) == (1, 2)


@pytest.mark.parametrize("runner", ["cage", "ines", "nobody-we-know"])
def test_nj_1_22_the_chips_are_carried_by_security(house: Cashiers, runner: str) -> None:
    request = house.at_table("fill.request", chips={"500": 100})[0].data
    refused = house.not_in_cage("slip.issue", request=request.request, runner=runner)
    assert (refused.clause, refused.field) == ("house slip (NJ 1.22)", "data.runner")
    issued, irregular = house.cage("slip.issue", _intent="fact", request=request.request, runner=runner)
    assert (issued.data.runner, irregular.data.kind) == (runner, "wrong runner")


def test_nj_1_22_a_slip_is_issued_before_anybody_is_named_who_carries_it(house: Cashiers) -> None:
    request = house.at_table("fill.request", chips={"500": 100})[0].data
    [issued] = house.cage("slip.issue", request=request.request)
    assert issued.data.runner is None


def test_la_2717_a_request_has_one_slip(house: Cashiers) -> None:
    slip = house.issue()
    assert house.not_in_cage("slip.issue", request=slip.request).status == 404


@pytest.mark.parametrize(
    ("begins", "day", "year"),
    [(1, "2026-01-01", "2026"), (1, "2026-12-31", "2026"), (7, "2026-06-30", "2025"), (7, "2026-07-01", "2026")],
)
def test_la_2717_a_series_is_a_business_years(house: Cashiers, begins: int, day: str, year: str) -> None:
    if begins != 1:
        change = house.action("setting.change", setting="business_year_begins", value=begins)
        house.agreed("house", "", ("anna", "cage"), change)
    assert business_year(day, house.books.settings) == year


def test_la_2717_a_slip_of_the_year_before_is_received_under_its_number(house: Cashiers) -> None:
    house.issue()
    change = house.action("setting.change", setting="business_year_begins", value=12)
    house.agreed("house", "", ("anna", "cage"), change)
    assert house.issue().year == "2025"
    house.at_table("fill.receive", slip=1, year="2026", chips={"500": 100})
    assert house.at_table("fill.receive", slip=1, chips={"500": 100})[0].data.year == "2025"


def test_a_fill_that_crosses_the_days_belongs_to_the_cages_day_of_its_issue(house: Cashiers) -> None:
    house.issue()
    house.cage("cage.close", **counted(c500=3_900))
    house.cage("cage.open", gaming_day="2026-11-21", **counted(CASH, c500=3_900))
    house.at_table("fill.receive", slip=1, chips={"500": 100})
    slip = house.books.slips.slips["fill-2026-1"]
    assert (slip.gaming_day, slip.status) == (DAY, "received")


def test_a_house_whose_cage_was_never_opened_writes_its_own_numbers() -> None:
    house = Cashiers.__new__(Cashiers)
    super(Cashiers, house).__init__()
    house.open_table("FR1")
    received = house.at_table("fill.receive", slip=4_711, chips={"500": 100})
    assert [event.type for event in received] == ["fill.received.v1"]
    assert "was used at this table" in house.not_at_table("credit.send", slip=4_711, chips={"500": 100}).detail
    house.close()


def test_nj_1_22_what_waits_for_a_second_person_lapses_with_the_cage_s_close(house: Cashiers) -> None:
    house.issue()
    request = house.cage("slip.void", kind="fill", slip=1, reason="not needed")[0].data
    closed = house.cage("cage.close", **counted(CASH, c500=3_900))
    lapsed = next(event.data for event in closed if event.type == "approval.lapsed.v1")
    assert (lapsed.request, lapsed.why, lapsed.gaming_day) == (request.request, "cage closed", DAY)
    give = house.action("approval.give", request=request.request, content=request.content)
    assert house.no("cage", "", "ines", give).status in (404, 422)
