"""A gaming day is closed on its checklist, with overrides that are said; afterwards it is only restated."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest

from events.accounting.event_types.day_close import Item
from events.accounting.report import canonical_report_bytes, checklist_system_state_source, day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.closing_checklist import NEVER, checklist
from events.accounting.report.day_reports import MadeReport, ReportBasis
from events.accounting.report.property_ledger_fold import fold
from events.desk.command_and_answer_structs import Command
from events.envelope import Action, Who
from events.store import everything
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import DAY, PROPERTY, events_of, reopened_house
from tests.support.houses.worked_day import CAGE, CASH, WorkedDay, chips

NEXT = "2026-11-21"

ITEMS = Item.__args__  # type: ignore[attr-defined]  # the names of a Literal


def all_is_well(house: WorkedDay) -> SystemState:
    """The programs have read everything, and a head is signed beyond it."""
    last = house.store.position()
    return SystemState(readers={"books": last}, head=last, aside={})


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made_ = WorkedDay()
    checklist_system_state_source.register_source(made_.store, lambda: all_is_well(made_))
    yield made_
    made_.close()


@pytest.fixture
def played(house: WorkedDay) -> WorkedDay:
    house.play()
    return house


def close(house: WorkedDay) -> Any:
    [closed] = house.ok("days", "", "anna", house.action("day.close"))
    return closed.data


def not_closed(house: WorkedDay) -> Problem:
    return house.no("days", "", "anna", house.action("day.close"))


def override(house: WorkedDay, item: str, people: tuple[str, ...] = ("anna", "sid")) -> Any:
    asking = house.action("day.override", item=item, reason="it is as it is")
    return house.agreed("days", "", people, asking)[-1].data


def amend(house: WorkedDay, *events: Any) -> Any:
    asking = house.action("day.amend", events=[event.id for event in events], reason="found later")
    request = on_the_day(house, "anna", asking)[-1].data
    return on_the_day(house, "sid", house.action("approval.give", request=request.request, content=request.content))[
        -1
    ].data


def on_the_day(house: WorkedDay, person: str, action: Action) -> list[Any]:
    """Sent to the day by its date, whichever day runs now. An AssertionError with the problem where it is refused."""
    who = Who(person=person, roles=frozenset(), factor_s=0)
    replies = house.desk.do(Command(Target("days", "", DAY), (action,), who))
    assert not isinstance(replies[0], Problem), replies[0]
    return events_of(replies)


def report(house: WorkedDay, position: int | None = None) -> MadeReport:
    return day_reports.make(house.store, PROPERTY, DAY, position or house.store.position())


def recount(house: WorkedDay, cash: int = 119) -> Any:
    """Recount a box after the close: another figure, and its discrepancy."""
    asking = house.action("count.settle", table="FR1", drop_box="two", cash={"1000": cash})
    [_, settled, discrepancy] = house.agreed("days", "", ("cora", "carl"), asking)
    return settled, discrepancy


def failing(house: WorkedDay) -> dict[str, str]:
    items = checklist(report(house).ledger, DAY, all_is_well(house))
    return {item.item: item.detail for item in items if item.holds is False}


def test_the_worked_day_is_closed_with_its_report(played: WorkedDay) -> None:
    position = played.store.position()
    before = report(played)
    closed = close(played)
    assert (closed.gaming_day, closed.position, closed.layout, closed.overridden) == (DAY, position, 4, ())
    assert closed.digest == before.digest == canonical_report_bytes.digest(before.figures)
    after = report(played)
    assert (after.basis.status, after.figures, after.is_as_said) == ("closed", before.figures, True)


def test_the_checklist_has_twelve_items_in_their_order(played: WorkedDay) -> None:
    items = checklist(report(played).ledger, DAY, all_is_well(played))
    assert tuple(item.item for item in items) == ITEMS
    assert [(item.item, item.holds) for item in items if item.holds is not True] == []


def test_what_does_not_hold_is_named_with_where_to_go(house: WorkedDay) -> None:
    house.begin()
    house.first_shift()
    house.slip("fill", 5_000)
    problem = not_closed(house)
    assert (problem.status, problem.clause) == (422, "house close")
    for part in ("sessions_closed: FR1: still open", "boxes_counted: FR1 one", "fill-2026-2", "cage_closed: The cage"):
        assert part in problem.detail
    assert set(failing(house)) == {"sessions_closed", "boxes_counted", "slips_settled", "cage_closed"}


def test_a_box_that_was_put_is_counted_before(house: WorkedDay) -> None:
    house.begin()
    house.first_shift()
    house.count_first()
    house.second_shift()
    house.cage("cage.close", chips={"100": 10_000, "500": 15_900, "2500": 1_000}, cash_minor=CASH)
    assert failing(house) == {"boxes_counted": "FR1 one, FR1 two: not counted yet, waiting for the count room."}


def test_a_discrepancy_is_explained_from_the_second_band_on(house: WorkedDay) -> None:
    house.begin()
    [_, discrepancy] = house.cage(
        "cage.close", chips={"100": 10_000, "500": 16_000, "2500": 1_000}, cash_minor=CASH - 2_501
    )
    assert "discrepancies_explained" in failing(house)
    explained = house.action("discrepancy.explain", discrepancy=discrepancy.id, reason="counted again")
    house.ok("days", "", "anna", explained)
    assert "discrepancies_explained" not in failing(house)


def test_an_override_is_of_two_departments_and_is_printed(house: WorkedDay) -> None:
    house.begin()
    house.first_shift()
    house.count_first()
    house.second_shift()
    house.count_boxes()
    assert set(failing(house)) == {"cage_closed"}
    overridden = override(house, "cage_closed")
    assert (overridden.item, overridden.reason, [name for name, _ in overridden.approvals]) == (
        *("cage_closed", "it is as it is"),
        ["anna", "sid"],
    )
    assert failing(house)["cage_closed"].startswith("Overridden: it is as it is. The cage")
    assert close(house).overridden == ("cage_closed",)


def test_nobody_of_the_pit_overrides_and_nobody_alone(house: WorkedDay) -> None:
    house.begin()
    asking = house.action("day.override", item="cage_closed", reason="we want to go home")
    [request] = house.ok("days", "", "anna", asking)
    assert request.type == "approval.requested.v1"
    give = house.action("approval.give", request=request.data.request, content=request.data.content)
    assert house.no("days", "", "paul", give).status == 403
    assert house.no("days", "", "ines", house.action("day.close")).status == 403


@pytest.mark.parametrize("item", NEVER)
def test_what_the_machines_say_is_never_overridden(played: WorkedDay, item: str) -> None:
    refused = played.no("days", "", "anna", played.action("day.override", item=item, reason="who cares"))
    assert "never overridden" in refused.detail


def test_what_holds_is_not_overridden(played: WorkedDay) -> None:
    refused = played.no("days", "", "anna", played.action("day.override", item="no_rest", reason="in case"))
    assert "is done" in refused.detail


@pytest.mark.parametrize(
    ("state", "item"),
    [
        (SystemState(), "nothing_aside"),
        (SystemState(readers={"books": 1}, head=10**6, aside={}), "readers_beyond"),
        (SystemState(readers={"books": 10**6}, head=1, aside={}), "heads_beyond"),
        (SystemState(readers={"books": 10**6}, head=10**6, aside={"books": 2}), "nothing_aside"),
    ],
)
def test_the_readers_and_the_heads_are_beyond_the_day(played: WorkedDay, state: SystemState, item: str) -> None:
    checklist_system_state_source.register_source(played.store, lambda: state)
    assert f"{item}: " in not_closed(played).detail


def test_a_day_of_which_nothing_is_known(house: WorkedDay) -> None:
    problem = house.send("days", "", "anna", house.action("day.close"))[0]
    assert isinstance(problem, Problem)
    assert problem.status in (404, 422)


def took_back(house: WorkedDay, **about: Any) -> Any:
    """20.00 too much was paid on b in the first round: the player brought it back."""
    fields = {"bet": "b", "amount_minor": -2_000, "won_in": 1, "reason": "brought back the next morning"}
    return house.action("payment.report", **({"_intent": "fact"} | fields | about))


def test_a_payment_is_reported_by_two_of_a_day_that_is_closed_while_it_is_decided(
    played: WorkedDay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process closes the day between the decision and its append."""
    other, append = reopened_house(played.store), played.desk.streams.append

    def closed_before(*work: Any) -> Any:
        monkeypatch.setattr(played.desk.streams, "append", append)
        close(cast(WorkedDay, other))
        return append(*work)

    monkeypatch.setattr(played.desk.streams, "append", closed_before)
    [request] = played.ok("tables", "FR1", "paul", took_back(played))
    assert request.type == "approval.requested.v1"
    other.desk.close()


def test_a_payment_of_a_closed_day_is_reported_by_two(played: WorkedDay) -> None:
    close(played)
    [request] = played.ok("tables", "FR1", "paul", took_back(played))
    assert request.type == "approval.requested.v1"
    give = played.action("approval.give", request=request.data.request, content=request.data.content)
    assert played.no("tables", "FR1", "ines", give).status == 403
    assert played.no("tables", "FR1", "paul", give).detail.startswith("paul has approved already")
    events = played.ok("tables", "FR1", "anna", give)
    assert [event.type for event in events] == ["approval.given.v1", "payment.made.v1", "irregularity.recorded.v1"]
    paid = events[1].data
    assert (paid.amount_minor, paid.after_close, paid.reason) == (-2_000, True, "brought back the next morning")
    closed = report(played).figures
    assert amend(played, events[1]).restatement == 1
    assert report(played).figures != closed


def test_who_has_reported_a_payment_of_a_closed_day_takes_it_back(played: WorkedDay) -> None:
    close(played)
    [request] = played.ok("tables", "FR1", "paul", took_back(played))
    withdraw = played.action("approval.withdraw", request=request.data.request)
    assert [event.type for event in played.ok("tables", "FR1", "paul", withdraw)] == ["approval.withdrawn.v1"]
    [waits] = played.ok("tables", "FR1", "paul", took_back(played, bet="nobody's"))
    assert waits.type == "approval.requested.v1", "also of a bet that nobody recorded"
    assert "as a fact" in played.no("tables", "FR1", "paul", took_back(played, _intent="ask")).detail


def test_before_the_close_of_the_day_one_reports_it(played: WorkedDay) -> None:
    paid, _irregular = played.ok("tables", "FR1", "paul", took_back(played))
    assert paid.data.after_close


def test_a_bet_that_was_recorded_wrongly_is_put_right_after_the_close(played: WorkedDay) -> None:
    """The 850.00 that lost on black in the last round were 900.00: the table has won 50.00 more, and misses them."""
    close(played)
    before = report(played)
    fields = {"bet": "d", "settled_in": 3, "amount_minor": 90_000, "reason": "by the camera"}
    asking = played.action("settlement.correct", **fields)
    event = played.agreed("tables", "FR1", ("paul", "sven"), asking)[-1]
    assert (event.type, event.data.after_close, event.data.shift) == ("settlement.corrected.v1", True, "night")
    assert report(played).figures == before.figures, "until it is named"
    amend(played, event)
    was, now = (figures.figures["tables"][0]["day"] for figures in (before, report(played)))
    assert now["lost_minor"] - was["lost_minor"] == now["event_win_minor"] - was["event_win_minor"] == 5_000
    assert now["parts"]["inventory_minor"] - was["parts"]["inventory_minor"] == -5_000
    assert (now["inventory_win_minor"], now["parts"]["rest_minor"]) == (was["inventory_win_minor"], 0)
    journals = [figures.figures["journal"] for figures in (before, report(played))]
    moved = {name: Decimal(journals[1][name]) - Decimal(journals[0][name]) for name in journals[1]}
    assert {name: amount for name, amount in moved.items() if amount} == {
        "Income:Tables:FR1": Decimal("-50.00"),
        "Expenses:OverShort:Tables": Decimal("50.00"),
    }


def test_what_a_progressive_does_after_the_close_counts_for_the_day_when_it_is_named(played: WorkedDay) -> None:
    """A progressive has no days. Its events before the next day opens belong to the last day, also after its close."""
    close(played)
    closed = report(played).figures
    asking = played.action("meter.adjust", level="mega", amount_minor=500, reason="malfunction")
    adjusted = played.agreed("progressives", "blazing", ("mark", "anna"), asking)[-1]
    played.cage("cage.open", gaming_day=NEXT, chips=CAGE, cash_minor=CASH)
    asking = played.action("meter.adjust", level="mega", amount_minor=700, reason="malfunction")
    of_the_next = played.agreed("progressives", "blazing", ("mark", "anna"), asking)[-1]
    assert report(played).figures == closed
    with pytest.raises(AssertionError, match="did not come to"):
        amend(played, of_the_next)
    amend(played, adjusted)
    assert _mega(report(played).figures) - _mega(closed) == 5


def _mega(figures: Any) -> Decimal:
    [blazing] = figures["progressives"]
    [mega] = [level for level in blazing["levels"] if level["level"] == "mega"]
    return Decimal(mega["adjusted"])


def test_what_comes_later_changes_nothing_until_it_is_named(played: WorkedDay) -> None:
    closed_day = close(played)
    closed = report(played).figures
    late = recount(played)
    assert (report(played).figures, report(played).digest) == (closed, closed_day.digest)
    amended = amend(played, *late)
    assert (amended.restatement, amended.digest) == (1, report(played).digest)
    restated = report(played)
    assert (restated.basis.status, restated.figures["restatement"], restated.is_as_said) == ("restated", 1, True)
    assert restated.figures["tables"][0]["shifts"][1]["drop"]["cash_minor"] == 119_000
    assert report(played, closed_day.position + 1).figures == closed, "the closed report stays"


def test_every_changed_figure_stands_beside_the_old_one_with_its_event(played: WorkedDay) -> None:
    close(played)
    settled, _ = recount(played)
    amend(played, settled)
    [step] = day_reports.restated(played.store, PROPERTY, DAY, played.store.position())
    assert step.event == settled.id
    changed = {change.place: (change.before, change.after) for change in step.changed}
    assert changed["tables/FR1/shifts/night/drop/cash_minor"] == (120_000, 119_000)
    assert changed["tables/FR1/day/inventory_win_minor"] == (50_500, 49_500)
    assert not any(place.startswith("chips") for place in changed)


def test_a_restatement_names_what_came_after_the_close_and_once(played: WorkedDay) -> None:
    first = played.store.stream(f"{PROPERTY}/tables/FR1/{DAY}", 0, 1)[0]
    close(played)

    def refused(*ids: str) -> str:
        return played.no("days", "", "anna", played.action("day.amend", events=[*ids], reason="so")).detail

    assert "after its close" in refused(f"{first.stream}@1")
    assert "no event" in refused("athens/tables/FR1/1999-01-01@1")
    settled, _ = recount(played)
    amend(played, settled)
    assert "counts for the day already" in refused(settled.id)


def test_a_second_recount_is_nothing_without_the_first(played: WorkedDay) -> None:
    close(played)
    first, second = recount(played), recount(played, 118)
    problem = played.no("days", "", "anna", played.action("day.amend", events=[second[0].id], reason="so"))
    assert "Name both" in problem.detail
    assert amend(played, *first).restatement == 1
    assert amend(played, *second).restatement == 2
    assert report(played).figures["tables"][0]["day"]["drop"]["cash_minor"] == 418_000


def test_what_changed_between_two_positions_and_by_which_events(played: WorkedDay) -> None:
    last = played.store.position()
    steps = list(day_reports.report_steps(played.store, PROPERTY, DAY, last - 4, last))
    assert [step.type for step in steps][-1] == "cage.closed.v1"
    changed = {change.place: change.after for change in day_reports.summed(steps)}
    assert changed["cage/cash_minor/counted_minor"] == CASH + 420_000


def test_a_closed_day_is_not_closed_again(played: WorkedDay) -> None:
    close(played)
    assert "is closed" in not_closed(played).detail
    assert (
        "is closed"
        in played.no("days", "", "anna", played.action("day.override", item="no_rest", reason="late")).detail
    )


def test_what_is_explained_after_the_close_is_explained_by_two_and_counts_when_it_is_named(played: WorkedDay) -> None:
    [discrepancy] = [
        stored_event
        for stored_event in played.store.after(0, 1_000, ["discrepancy.found.v1"])
        if "tables" in stored_event.stream
    ]
    close(played)
    asking = played.action(
        "discrepancy.explain", discrepancy=f"{discrepancy.stream}@{discrepancy.version}", reason="a chip fell"
    )
    [request] = played.ok("days", "", "anna", asking)
    assert request.type == "approval.requested.v1"
    give = played.action("approval.give", request=request.data.request, content=request.data.content)
    [_, explained] = played.ok("days", "", "sid", give)
    assert [discrepancy["explained"] for discrepancy in report(played).figures["discrepancies"]] == [False, False]
    amend(played, explained)
    assert [discrepancy["explained"] for discrepancy in report(played).figures["discrepancies"]] == [True, False]


def test_an_entry_of_a_closed_day_stands_on_the_next_one_until_the_day_is_restated(played: WorkedDay) -> None:
    """The closed journal stays. The next day's journal has the late entries, with their day and the reversed entry."""
    close(played)
    closed = report(played).figures["journal"]
    before = played.store.position()
    settled, _ = recount(played)
    assert report(played).figures["journal"] == closed
    now = fold(everything(played.store), PROPERTY)
    [late] = [sums for day, sums in now.journal.sums.items() if day == "2026-11-21"]
    assert {(line.day, line.rule): micro for line, micro in late.items() if micro} == {
        (DAY, "box.cash"): -1_000 * 10**6,
        (DAY, "box.short"): 1_000 * 10**6,
    }
    [cash, _] = day_reports.entries(
        played.store, PROPERTY, "2026-11-21", ReportBasis(until=played.store.position(), as_of=before)
    )
    assert (cash.event, cash.debit, cash.credit) == (settled.id, "Assets:DropBoxes", "Assets:Cash")
    assert cash.takes_back.startswith(f"{PROPERTY}/days/{DAY}@")
    amend(played, settled)
    restated = report(played).figures["journal"]
    assert (closed["Assets:Cash"], restated["Assets:Cash"]) == ("54200.00", "54190.00")
    assert restated["Expenses:OverShort:Drop"] == "10.00"


def reopened(house: WorkedDay) -> None:
    """The cage is open for the next day, as it should be."""
    house.cage("cage.open", gaming_day=NEXT, **house_cage(house))


def house_cage(house: WorkedDay) -> dict[str, Any]:
    content = day_reports.accounts_at(house.store, PROPERTY, house.store.position()).cage.expected
    pieces = {str(value): count for value, count in content.chips.items()}
    return {"chips": pieces, "cash_minor": content.cash, "marker_minor": content.marker}


def with_open_slip(house: WorkedDay, kind: str) -> int:
    """The day with a slip that is on its way when the cage is closed, and the day after it."""
    house.begin()
    house.first_shift()
    slip = house.slip(kind, 50_000)
    if kind == "credit":
        house.lead("credit.send", slip=slip, chips=chips(50_000))
    left = 1_853_000 - (50_000 if kind == "credit" else 0)
    house.lead("shift.count", chips=chips(left), next_shift="night", witness="sid", drop_box="two")
    house.red_falls()
    house.deal("round.end")
    house.lead("session.close", closer=chips(left + 5_000))
    house.lead("drop.remove", drop_box="two", witness="sid")
    first: dict[str, Any] = {"cash": {"5000": 60}, "marker_minor": 50_000, "promotional_minor": 10_000}
    for box, figures in (("one", first), ("two", {"cash": {}})):
        house.count("count.enter", "cora", box, **figures)
        house.count("count.verify", "carl", box, **figures)
    house.cage("cage.close", **house_cage(house))
    override(house, "slips_settled")
    close(house)
    return slip


def slips_shown(house: WorkedDay, kind: str) -> list[tuple[int, str]]:
    return [(slip["number"], slip["status"]) for slip in report(house).figures["slips"] if slip["kind"] == kind]


def test_a_slip_that_is_voided_on_the_cages_next_day_is_named_for_its_own(house: WorkedDay) -> None:
    slip = with_open_slip(house, "fill")
    reopened(house)
    assert slips_shown(house, "fill") == [(1, "received"), (slip, "open")]
    asking = house.action("slip.void", kind="fill", slip=slip, reason="never carried")
    voided = next(
        event for event in house.agreed("cage", "", ("cage", "ines"), asking) if event.type == "slip.voided.v1"
    )
    assert voided.subject.endswith(NEXT), "what the cage does after its close belongs to its next day"
    before = report(house).figures
    amend(house, voided)
    after = report(house).figures
    assert slips_shown(house, "fill") == [(1, "received"), (slip, "void")]
    assert after["cage"] == before["cage"], "the cage's day stays as it was counted"
    assert after["chips"]["transit_minor"] == 0
    assert after["chips"]["players_minor"] == before["chips"]["players_minor"]


def test_a_credit_that_is_voided_on_its_way_is_named_with_its_return(house: WorkedDay) -> None:
    """The return is of the table's day, the void of the cage's next day: neither can be named without the other."""
    slip = with_open_slip(house, "credit")
    reopened(house)
    asking = house.action("slip.void", kind="credit", slip=slip, reason="sent back")
    events = house.agreed("cage", "", ("cage", "ines"), asking)
    voided, returned = (
        next(event for event in events if event.type == kind) for kind in ("slip.voided.v1", "credit.returned.v1")
    )
    amend(house, voided, returned)
    assert slips_shown(house, "credit") == [(slip, "void")]
    assert report(house).figures["chips"]["transit_minor"] == 0


def test_a_credit_that_the_cage_receives_on_its_next_day_is_named_for_the_day_of_its_slip(house: WorkedDay) -> None:
    slip = with_open_slip(house, "credit")
    reopened(house)
    [received] = house.cage("credit.receive", slip=slip, chips=chips(50_000))
    amend(house, received)
    assert slips_shown(house, "credit") == [(slip, "received")]


def test_a_recount_after_the_cages_close_is_named_and_its_money_is_the_cages_next_days(house: WorkedDay) -> None:
    with_open_slip(house, "fill")
    cash = house_cage(house)["cash_minor"]
    asking = house.action("count.settle", table="FR1", drop_box="two", cash={"1000": 4})
    events = on_the_day(house, "cora", asking)
    give = house.action("approval.give", request=events[-1].data.request, content=events[-1].data.content)
    events = on_the_day(house, "carl", give)
    reopened(house)
    before = report(house).figures
    amend(house, *(event for event in events if event.type in ("count.settled.v1", "discrepancy.found.v1")))
    after = report(house).figures
    assert after["tables"][0]["day"]["drop"]["cash_minor"] == before["tables"][0]["day"]["drop"]["cash_minor"] + 4_000
    assert after["cage"] == before["cage"]
    assert day_reports.make(house.store, PROPERTY, NEXT, house.store.position()).figures["cage"]["cash_minor"] == {
        "expected_minor": cash + 4_000,
        "counted_minor": None,
    }


def test_another_days_event_that_settles_no_slip_of_the_day_is_still_refused(house: WorkedDay) -> None:
    with_open_slip(house, "fill")
    reopened(house)
    [other] = house.cage("cage.cash_in", chips={"500": 1})
    with pytest.raises(AssertionError, match="did not come to"):
        amend(house, other)
