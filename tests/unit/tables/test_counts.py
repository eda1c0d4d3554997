"""Counts of the tray, exchanges and boxes at a table: the refused actions, and the facts recorded all the same."""

from typing import Any

from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.envelope import Who
from events.tables.event_types.counts import ChipsExchanged, DropPut, ShiftCounted, TableCounted
from events.tables.event_types.money import DropRemoved
from events.tables.event_types.session import SessionOpened
from tests.support.tables.in_memory_tables import INSPECTOR, OPENER, TableInMemory, roulette_table

SHIFT = "house shift (NJ 1.21)"
DROP = "house drop (NIGC 542.31)"
ROOM = "house drop (WA 615)"
EXCHANGE = "house exchange (MD 36.05.03.02)"
COUNT: dict[str, Any] = {"chips": OPENER, "witness": "dora"}
BUYIN: dict[str, Any] = {"seat": 1, "player": "Ann", "amount_minor": 1_000}
SECURITY = Who(person="sam", roles=frozenset({"security"}), factor_s=0)


def led(table: TableInMemory, kind: str, *, clause: str, **data: Any) -> TableInMemory:
    """Refused when the inspector asks; recorded with an irregularity when it has happened."""
    return table.both(kind, who=INSPECTOR, clause=clause, **data)


def with_box() -> TableInMemory:
    return roulette_table().lead("drop.put", drop_box="one")


class TestAShift:
    def test_ends_with_a_count_and_the_next_one_has_another_name(self) -> None:
        table = roulette_table().lead("shift.count", next_shift="night", **COUNT)
        count = table.last(ShiftCounted)
        assert (count.shift, count.next_shift, count.amount_minor, count.expected_minor) == (
            "day",
            "night",
            2_000_000,
            2_000_000,
        )
        assert table.lead("table.count", **COUNT).last(TableCounted).shift == "night"
        for name in ("day", "night"):
            table.refused("shift.count", who=INSPECTOR, next_shift=name, **COUNT, clause=SHIFT)
        table.replays()

    def test_is_counted_by_two(self) -> None:
        table = roulette_table()
        led(table, "shift.count", clause=SHIFT, chips=OPENER, next_shift="two", witness="ines")
        led(table, "shift.count", clause=SHIFT, chips=OPENER, next_shift="three", witness="nobody")

    def test_takes_no_colour_chips_worth_more_than_the_tray(self) -> None:
        table = roulette_table()
        data: dict[str, Any] = {**COUNT, "next_shift": "night", "colours_minor": 2_000_001}
        table.invalid("shift.count", field="data.colours_minor", who=INSPECTOR, **data)


class TestABox:
    def test_is_put_once_a_day_and_one_at_a_time(self) -> None:
        table = with_box()
        table.refused("drop.put", who=INSPECTOR, drop_box="two", clause=DROP)
        table.lead("drop.remove", drop_box="one", witness="sam")
        table.refused("drop.put", who=INSPECTOR, drop_box="one", clause=DROP)
        table.lead("drop.put", drop_box="two").replays()

    def test_is_taken_away_by_two_people_one_of_security(self) -> None:
        table = with_box()
        table.refused("drop.remove", who=INSPECTOR, drop_box="one", clause=DROP)
        table.refused("drop.remove", who=INSPECTOR, drop_box="one", witness="ines", clause=DROP)
        led(table, "drop.remove", clause=DROP, drop_box="one", witness="dora")
        table.lead("drop.put", drop_box="two").ask("drop.remove", who=SECURITY, drop_box="two", witness="dora")

    def test_is_the_one_that_was_put(self) -> None:
        table = led(with_box(), "drop.remove", clause=DROP, drop_box="other", witness="sam")
        discrepancy = table.last(DiscrepancyFound)
        assert (discrepancy.kind, discrepancy.put_box, discrepancy.drop_box, discrepancy.counted_by) == (
            "box",
            "one",
            "other",
            ("ines", "sam"),
        )
        assert (discrepancy.expected_minor, discrepancy.found_minor, discrepancy.band) == (0, 0, "recorded")
        assert with_box().lead("drop.remove", drop_box="one", witness="sam").count(DiscrepancyFound) == 0
        table.refused("drop.remove", who=INSPECTOR, drop_box="one", witness="sam", clause=DROP)

    def test_is_never_one_that_was_taken_away_before(self) -> None:
        table = with_box().lead("drop.remove", drop_box="one", witness="sam").lead("drop.put", drop_box="two")
        taken: dict[str, Any] = {"witness": "sam", "clause": DROP}
        led(table, "drop.remove", drop_box="one", **taken)
        assert (table.count(DropRemoved), table.state.box) == (1, "two")
        led(table, "drop.remove", drop_box="other", **taken).lead("drop.put", drop_box="three")
        led(table, "drop.remove", drop_box="other", **taken)
        assert (table.count(DropRemoved), table.state.box) == (2, "three")
        table.refused("drop.put", who=INSPECTOR, drop_box="other", clause=DROP)
        table.lead("drop.remove", drop_box="three", witness="sam").replays()

    def test_of_a_day_that_puts_none_is_taken_when_the_table_is_closed(self) -> None:
        table = roulette_table()
        table.refused("drop.remove", who=INSPECTOR, drop_box="b", witness="sam", clause=DROP)
        table.lead("session.close", closer=OPENER).lead("drop.remove", drop_box="b")
        table.refused("drop.remove", who=INSPECTOR, drop_box="b", clause=DROP)

    def test_that_was_put_goes_after_the_close_too_and_no_one_person_counts_it(self) -> None:
        table = with_box().lead("session.close", closer=OPENER)
        table.refused("drop.remove", who=INSPECTOR, drop_box="one", clause=DROP)
        table.lead("drop.remove", drop_box="one", witness="sam")
        count = Who(person="cora", roles=frozenset({"count"}), factor_s=0)
        data: dict[str, Any] = {"drop_box": "one", "amount_minor": 0}
        table.refused("drop.count", who=count, clause="house count (WA 615)", **data)

    def test_is_changed_by_the_count_of_the_shift(self) -> None:
        table = with_box()
        data: dict[str, Any] = {**COUNT, "next_shift": "night", "drop_box": "two"}
        table.refused("shift.count", who=INSPECTOR, clause=DROP, **data)
        table.lead("shift.count", **{**data, "witness": "sam"}).ask("buyin.make", **BUYIN)
        gone, put = table.last(DropRemoved), table.last(DropPut)
        assert (gone.drop_box, gone.shift, put.drop_box, put.shift) == ("one", "day", "two", "night")

    def test_that_stays_takes_no_buy_in_of_the_next_shift(self) -> None:
        table = with_box().ask("buyin.make", **BUYIN)
        table.lead("shift.count", next_shift="night", **{**COUNT, "chips": {"500": 3_998}})
        table.both("buyin.make", clause=ROOM, **BUYIN)
        table.lead("drop.remove", drop_box="one", witness="sam")
        table.both("buyin.make", clause=ROOM, **BUYIN)
        table.lead("drop.put", drop_box="two").ask("buyin.make", **BUYIN)

    def test_goes_along_with_the_roll_of_the_day(self) -> None:
        table = with_box()
        data: dict[str, Any] = {"gaming_day": "2026-11-21", "closer": OPENER, "drop_box": "two"}
        table.refused("session.roll", who=INSPECTOR, clause=DROP, **data)
        table.act("session.roll", who=INSPECTOR, witness="sam", **data)
        assert isinstance(table.events[-2], DropRemoved)
        opened, put = table.elsewhere[0].event, table.elsewhere[-1].event
        assert isinstance(opened, SessionOpened)
        assert isinstance(put, DropPut)
        assert (opened.has_boxes, put.drop_box, put.gaming_day) == (True, "two", "2026-11-21")

    def test_is_wanted_on_the_next_day_too(self) -> None:
        after = with_box().roll("2026-11-21", **OPENER)
        after.both("buyin.make", clause=ROOM, **BUYIN)
        after.lead("drop.put", drop_box="two").ask("buyin.make", **BUYIN)


class TestAnExchange:
    def test_is_equal(self) -> None:
        table = roulette_table().ask("chips.exchange", chips_out={"2500": 1}, chips_in={"500": 5})
        before = table.state.float_minor
        table.both("chips.exchange", clause=EXCHANGE, chips_out={"2500": 1}, chips_in={"500": 4})
        exchange = table.last(ChipsExchanged)
        assert (exchange.amount_minor, exchange.came_minor, table.state.float_minor) == (2_500, 2_000, before)
        table.invalid("chips.exchange", field="data.chips_out", chips_out={}, chips_in={})


def test_a_day_that_was_counted_is_none_that_was_opened_by_mistake() -> None:
    table = roulette_table().lead("shift.count", next_shift="night", **COUNT)
    table.refused("session.void", who=INSPECTOR, reason="oops", clause="house void")
