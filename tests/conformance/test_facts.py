"""Facts are recorded (docs/adr/0004, 0082, 0107): each with its irregularity to be cleared, the figures exact."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.accounting.report import day_reports
from events.envelope import AnyEnvelope
from events.streams.stream_kind_declaration import Target
from tests.accountant.random_jackpot_events import dealt
from tests.property.test_every_fact import inexact
from tests.support.houses.houses_by_state import CAGE, COUNT, NEXT, OPENER, StagedHouse
from tests.support.houses.small_house import DAY, PROPERTY

IRREGULAR = ("irregularity.recorded.v1", "irregularity.found.v1")


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StagedHouse]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    stage = StagedHouse()
    yield stage
    assert inexact(stage) == ""
    stage.desk.close()


def fact(house: StagedHouse, table: str, kind: str, person: str = "ines", **data: Any) -> list[AnyEnvelope]:
    """Return the events of a fact; one of them must be an irregularity."""
    stream, name = ("tables", table) if table else (kind.partition(".")[0], "")
    stream = {"slip": "cage", "credit": "cage", "marker": "cage", "count": "days"}.get(stream, stream)
    events: list[AnyEnvelope] = house.must(
        stream, name, person, kind, DAY if stream == "days" else None, _intent="fact", **data
    )
    assert any(event.type in IRREGULAR for event in events), events
    return events


def irregular(events: list[AnyEnvelope]) -> list[str]:
    return [event.data.kind for event in events if event.type in IRREGULAR]


def figures(house: StagedHouse, day: str = DAY) -> Any:
    return day_reports.make(house.store, PROPERTY, day, house.store.position()).figures


def shift(house: StagedHouse, day: str = DAY) -> Any:
    return figures(house, day)["tables"][0]["shifts"][-1]


# --- rounds -----------------------------------------------------------------------------------------------------------


def test_a_session_is_closed_while_a_round_is_undecided(house: StagedHouse) -> None:
    house.open("FR1")
    house.bets("FR1")
    events = fact(house, "FR1", "session.close", closer=OPENER)
    assert irregular(events) == ["round not ended", "bets on the layout"]
    assert (shift(house)["undecided_minor"], shift(house)["end_minor"]) == (1_000, 1_600_000)
    ended = fact(house, "FR1", "round.end")
    assert "round undecided" in irregular(ended)
    assert shift(house)["undecided_minor"] == 1_000, "what comes later changes it no more"
    house.at("FR1", ("session.open", {"gaming_day": NEXT, "opener": OPENER}))


def test_a_round_that_was_left_undecided_by_the_close_is_void_by_two(house: StagedHouse) -> None:
    house.open("FR1")
    house.bets("FR1")
    fact(house, "FR1", "session.close", closer=OPENER)
    decided = house.must("tables", "FR1", "ines", "round.void", round=1, reason="closed too early")
    assert decided[-1].type == "round.voided.v1"


def test_a_round_is_ended_over_bets_that_lie(house: StagedHouse) -> None:
    house.open("FR1")
    house.bets("FR1")
    events = fact(house, "FR1", "round.end")
    assert [event.type for event in events[:2]] == ["bet.settled.v1", "round.ended.v1"]
    assert (events[0].data.outcome, irregular(events)) == ("void", ["round undecided"])
    house.bets("FR1")


def test_a_round_is_opened_before_the_last_has_ended(house: StagedHouse) -> None:
    house.open("FR1")
    house.bets("FR1")
    events = fact(house, "FR1", "round.open")
    opened = next(event for event in events if event.type == "round.opened.v1")
    assert (opened.data.round, irregular(events)) == (2, ["round not ended", "round undecided"])
    assert {event.data.round for event in events if event.type in IRREGULAR} == {1}
    house.at("FR1", ("bet.place", {"bet": "n", "wager": "red", "amount_minor": 1_000, "player": "g-1", "seat": 1}))


@pytest.mark.parametrize("bet", ["b2", "nobody's"])
def test_a_payment_for_a_bet_that_was_taken_back_or_never_laid(house: StagedHouse, bet: str) -> None:
    house.open("FR1")
    house.bets("FR1")
    house.shut("FR1")
    house.decide("FR1")
    events = fact(house, "FR1", "payment.make", bet=bet, amount_minor=700)
    paid = events[0].data
    assert (paid.amount_minor, paid.due_minor, irregular(events)) == (700, 0, ["mispay"])
    assert shift(house)["paid_minor"] == 700


# --- boxes ------------------------------------------------------------------------------------------------------------


def test_a_box_is_put_before_the_session_opens(house: StagedHouse) -> None:
    assert irregular(fact(house, "FR1", "drop.put", drop_box="x1")) == ["box before the opening"]
    opened = house.must("tables", "FR1", "ines", "session.open", gaming_day=DAY, opener=OPENER)
    assert (opened[-1].type, opened[-1].data.drop_box) == ("drop.put.v1", "x1")
    house.at("FR1", ("buyin.make", {"seat": 1, "player": "g-1", "amount_minor": 5_000}))
    house.at("FR1", ("drop.remove", {"drop_box": "x1", "witness": "sid"}), ("session.close", {"closer": OPENER}))
    count(house, "x1", 5_000)
    assert [discrepancy["kind"] for discrepancy in figures(house)["discrepancies"]] == ["closer"]
    put = fact(house, "FR1", "drop.put", drop_box="y1")
    assert irregular(put) == ["box before the opening"]
    opened = house.must("tables", "FR1", "ines", "session.open", gaming_day=NEXT, opener=OPENER)
    assert opened[-1].data.drop_box == "y1", "it is the next session's"


def count(house: StagedHouse, box: str, cash: int, **intent: str) -> list[AnyEnvelope]:
    about: dict[str, Any] = {"table": "FR1", "drop_box": box, "cash": {"100": cash // 100}, **intent}
    first = house.must("days", "", "cora", "count.enter", DAY, **about)
    return [*first, *house.must("days", "", "carl", "count.verify", DAY, **about)]


def test_a_box_is_removed_that_nobody_has_put(house: StagedHouse) -> None:
    house.open("FR1")
    house.at("FR1", ("buyin.make", {"seat": 1, "player": "g-1", "amount_minor": 5_000}))
    events = fact(house, "FR1", "drop.remove", drop_box="x9", witness="sid")
    assert (events[0].type, irregular(events)) == ("drop.removed.v1", ["box never put"])
    house.close_table("FR1")
    count(house, "x9", 5_000)
    assert figures(house)["discrepancies"] == []
    assert (shift(house)["drop"]["cash_minor"], shift(house)["drop"]["counted"]) == (5_000, True)


def test_a_box_is_counted_that_still_hangs(house: StagedHouse) -> None:
    house.open("FR1")
    house.put_boxes("FR1")
    events = count(house, "x2", 5_000, _intent="fact")
    assert irregular(events) == ["box not taken", "box not taken"]
    assert "count.settled.v1" in [event.type for event in events]
    house.at("FR1", ("drop.remove", {"drop_box": "x2", "witness": "sid"}))


def test_a_box_is_put_over_another_which_is_taken_later(house: StagedHouse) -> None:
    house.open("FR1")
    house.put_boxes("FR1")
    assert irregular(fact(house, "FR1", "drop.put", drop_box="x3")) == ["two boxes"]
    house.at("FR1", ("buyin.make", {"seat": 1, "player": "g-1", "amount_minor": 700_00}))
    fact(house, "FR1", "drop.remove", drop_box="x2", witness="sid")
    state = house.state("FR1")
    assert state is not None
    assert (state.box, state.hanging) == ("x3", ())
    house.at("FR1", ("drop.remove", {"drop_box": "x3", "witness": "sid"}))
    for box, cash in (("x1", 5_000), ("x2", 5_000), ("x3", 700_00)):
        count(house, box, cash)
    assert figures(house)["discrepancies"] == []


# --- slips and the cage -----------------------------------------------------------------------------------------------


def with_slips(house: StagedHouse) -> None:
    house.at_cage("cage.open", gaming_day=DAY, **CAGE)
    house.open("FR1")
    house.carry_slips("FR1")


def test_a_fill_of_which_nothing_arrived(house: StagedHouse) -> None:
    with_slips(house)
    events = fact(house, "FR1", "fill.receive", slip=1, chips={})
    assert (events[0].data.amount_minor, irregular(events)) == (0, ["empty slip"])
    discrepancy = next(event.data for event in events if event.type == "discrepancy.found.v1")
    assert (discrepancy.kind, discrepancy.expected_minor, discrepancy.found_minor) == ("fill", 2_000, 0)
    slip = next(slip for slip in figures(house)["slips"] if (slip["kind"], slip["number"]) == ("fill", 1))
    assert (slip["status"], slip["received_minor"]) == ("received", 0)


def test_a_fill_arrives_after_its_table_was_closed(house: StagedHouse) -> None:
    with_slips(house)
    house.close_table("FR1")
    before = shift(house)
    events = fact(house, "FR1", "fill.receive", slip=1, chips={"500": 4})
    assert (events[0].type, irregular(events)) == ("fill.received.v1", ["after the close"])
    after = shift(house)
    assert after["fills_minor"] - before["fills_minor"] == 2_000
    assert after["expected_minor"] - before["expected_minor"] == 2_000
    assert (after["end_minor"], after["parts"]["inventory_minor"]) == (before["end_minor"], -2_000)
    assert house.state("FR1").float_minor == before["end_minor"], "the count stands"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("buyin.make", {"seat": 1, "player": "g-1", "amount_minor": 5_000}),
        ("fill.receive", {"slip": 1, "chips": {"500": 4}}),
        ("fill.receive", {"slip": 99, "chips": {"500": 4}}),
        ("credit.send", {"slip": 1, "chips": {"500": 4}}),
        ("payment.make", {"bet": "b1", "amount_minor": 700}),
        ("chips.exchange", {"chips_out": {"500": 1}, "chips_in": {"100": 4}}),
    ],
)
def test_once_the_day_is_closed_two_departments_say_so_and_it_is_restated(
    house: StagedHouse, kind: str, data: dict[str, Any]
) -> None:
    with_slips(house)
    house.play("FR1")
    house.close_table("FR1")
    house.at_cage("cage.close", **CAGE)
    house.close_day()
    before = figures(house)
    requested = house._sent(_at("FR1"), "ines", house.action(kind, _intent="fact", **data))
    assert [event.type for event in requested] == ["approval.requested.v1"], "one person does not"
    give = house.action("approval.give", request=requested[0].data.request, content=requested[0].data.content)
    same_department = house._sent(_at("FR1"), "paul", give)
    assert [event.type for event in same_department if not event.type.startswith("approval.")] == []
    give = house.action("approval.give", request=requested[0].data.request, content=requested[0].data.content)
    happened = house._sent(_at("FR1"), "anna", give)
    assert happened, house.last.detail
    assert happened[1].type not in IRREGULAR
    assert figures(house) == before
    event_ids = [event.id for event in happened if not event.type.startswith("approval.")]
    assert house.must("days", "", "anna", "day.amend", DAY, events=event_ids, reason="found later")
    assert figures(house)["restatement"] == 1


def _at(table: str) -> Any:
    return Target("tables", table)


def test_what_a_cage_does_between_two_days_belongs_to_its_next_day(house: StagedHouse) -> None:
    with_slips(house)
    house.at_cage("cage.close", **CAGE)
    closed = figures(house)["cage"]
    [request] = house.must("tables", "FR1", "ines", "fill.request", chips={"500": 2})
    issued = fact(house, "", "slip.issue", "cage", request=request.data.request, runner="sid")
    assert (issued[0].data.slip, irregular(issued)) == (4, ["cage not open"])
    fact(house, "", "cage.cash_out", "cage", chips={"500": 10}, player="g-1")
    fact(house, "", "marker.redeem", "cage", marker="m1", player="g-1", amount_minor=5_000)
    assert figures(house)["cage"] == closed
    held = {"500": 20_000 - 2 + 10, "100": 5_000}
    counted = {"chips": held, "cash_minor": 5_000_000 - 5_000 + 5_000, "marker_minor": 100_000 - 5_000}
    opened = house.at_cage("cage.open", gaming_day=NEXT, **counted)
    assert [event.type for event in opened] == ["cage.opened.v1"], "nothing is missing"


def test_a_house_whose_cage_never_opened_goes_on_without_one(house: StagedHouse) -> None:
    house.open("FR1")
    fact(house, "", "cage.cash_out", "cage", chips={"500": 10}, player="g-1")
    house.at("FR1", ("fill.receive", {"slip": 7, "chips": {"500": 4}}))


def test_a_credit_is_received_that_was_never_issued(house: StagedHouse) -> None:
    with_slips(house)
    before = house.books.cage.expected.chips_minor
    events = fact(house, "", "credit.receive", "cage", slip=99, chips={"500": 4})
    assert [event.type for event in events[:2]] == ["credit.received.v1", "discrepancy.found.v1"]
    assert (events[1].data.kind, irregular(events)) == ("unknown_slip", ["unknown_slip"])
    assert house.books.cage.expected.chips_minor - before == 2_000


# --- deals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_armed", [True, False])
def test_a_deal_is_completed_with_a_card_missing(house: StagedHouse, *, is_armed: bool) -> None:
    house.open("BJ1")
    house.bets("BJ1")
    if is_armed:
        sevens = {"bet": "p1", "wager": "blazing7s", "amount_minor": 500, "player": "g-1", "box": 1}
        house.at("BJ1", ("bet.place", sevens))
    house.shut("BJ1")
    house.at("BJ1", *([("progressive.arm", {})] if is_armed else []))
    house.at("BJ1", ("card.deal", dealt("7D", 1)), ("card.deal", dealt("7H")))
    before = meters(house)
    events = fact(house, "BJ1", "deal.complete")
    assert (events[0].type, irregular(events)) == ("deal.completed.v1", ["card not drawn"])
    assert [event.data.outcome for event in events if event.type == "bet.settled.v1"] == ["void"] * is_armed
    assert meters(house) == before, "what was fed stays"
    house.at("BJ1", ("card.deal", {"to": "box", "box": 1, "card": "TC"}), ("hand.stand", {"box": 1}))
    house.at("BJ1", ("card.deal", {"to": "dealer", "card": "TD"}), ("round.end", {"_intent": "ask"}))
    house.play("BJ1")


def meters(house: StagedHouse) -> Any:
    return figures(house)["progressives"]


def test_a_shift_that_was_run_before_is_counted_in_between(house: StagedHouse) -> None:
    house.open("FR1")
    counts: dict[str, Any] = {**COUNT, "next_shift": "day"}
    events = fact(house, "FR1", "shift.count", **counts)
    assert (events[0].type, irregular(events)) == ("table.counted.v1", ["shift again"])
