"""Requirements of regulators for a table's counts, boxes and shifts, clause by clause."""

from typing import Any

import pytest

from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.envelope import Who
from events.house.settings import HouseSettings
from events.tables.event_types.money import DropCounted, DropRemoved
from events.tables.event_types.session import IrregularityRecorded, SessionClosed, SessionOpened
from events.tables.table_session_state_structs import TableContext
from tests.support.houses.gaming_day_by_shift import day_of, figures
from tests.support.tables.in_memory_tables import DAY, INSPECTOR, OPENER, TableInMemory, roulette_table

NEXT = "2026-11-21"
COUNT = "house count (NJ 1.21)"
COUNTER = Who(person="cora", roles=frozenset({"count"}))


def chips(beyond: int = 0) -> dict[str, int]:
    """Return the opener, plus or minus an amount."""
    return {**OPENER, "500": 1_980, "100": 100 + beyond // 100}


def discrepancies_of(table: TableInMemory) -> list[tuple[str, int, int, str, str]]:
    discrepancies = [event for event in table.events if isinstance(event, DiscrepancyFound)]
    return [
        (
            discrepancy.kind,
            discrepancy.expected_minor,
            discrepancy.found_minor,
            discrepancy.band,
            discrepancy.shift or "",
        )
        for discrepancy in discrepancies
    ]


def count(beyond: int = 0, **fields: Any) -> dict[str, Any]:
    return {"chips": chips(beyond), "witness": "dora", **fields}


@pytest.mark.parametrize(
    ("out", "band"),
    [(-2_500, "recorded"), (-2_600, "reported"), (9_900, "reported"), (-10_000, "regulator"), (10_000, "regulator")],
)
def test_nj_1_21_opener_closer_discrepancy_bands(out: int, band: str) -> None:
    table = roulette_table().lead("session.close", closer=chips(out))
    assert discrepancies_of(table) == [("closer", 2_000_000, 2_000_000 + out, band, "day")]
    after = next_day(table, {**chips(out), "2500": 399})
    assert discrepancies_of(after) == [("opener", 2_000_000 + out, 2_000_000 + out - 2_500, "recorded", "day")]


def next_day(table: TableInMemory, opener: dict[str, int]) -> TableInMemory:
    """The table opens on the day after, with the day before at hand."""
    after = TableInMemory("roulette", "roulette-french")
    after.context = TableContext(last=table.state)
    return after.lead("session.open", gaming_day=DAY, opener=opener)


def test_nj_1_21_the_opener_is_the_last_closer_denomination_by_denomination() -> None:
    table = roulette_table().lead("session.close", closer=OPENER)
    assert discrepancies_of(next_day(table, OPENER)) == []
    after = next_day(table, {"500": 1_995, "2500": 401})
    assert discrepancies_of(after) == [("opener", 2_000_000, 2_000_000, "recorded", "day")]
    discrepancy = after.last(DiscrepancyFound)
    assert (discrepancy.expected, discrepancy.counted) == ({500: 2_000, 2_500: 400}, {500: 1_995, 2_500: 401})
    assert discrepancy.counted_by == ("ines",)


def test_nj_1_21_a_new_table_s_opener_is_none() -> None:
    assert discrepancies_of(roulette_table()) == []


def test_nj_1_21_the_bands_are_those_of_the_house() -> None:
    table = roulette_table()
    table.context = TableContext(settings=HouseSettings(reported_over_minor=100, regulator_from_minor=200))
    table.lead("table.count", **count(100)).lead("table.count", **count(300))
    assert [row[3] for row in discrepancies_of(table)] == ["recorded", "regulator"]


def test_nj_1_21_every_count_says_what_it_found_and_the_next_is_measured_from_it() -> None:
    table = roulette_table().lead("table.count", **count(-500))
    table.lead("shift.count", **count(-3_500, next_shift="night")).lead("shift.count", **count(-3_500, next_shift="3"))
    table.lead("session.close", closer=chips(-3_400))
    assert discrepancies_of(table) == [
        ("table_count", 2_000_000, 1_999_500, "recorded", "day"),
        ("shift_count", 1_999_500, 1_996_500, "reported", "day"),
        ("closer", 1_996_500, 1_996_600, "recorded", "3"),
    ]
    assert next(event.counted_by for event in table.events if isinstance(event, DiscrepancyFound)) == ("ines", "dora")
    inventory = [shift.parts.inventory_minor for shift in figures(day_of(table.events)).shifts]
    assert inventory == [-3_500, 0, 100]


def test_nj_1_21_the_roll_of_the_day_is_a_count_too() -> None:
    table = roulette_table()
    after = table.roll(NEXT, **chips(-500))
    assert discrepancies_of(table) == [("closer", 2_000_000, 1_999_500, "recorded", "day")]
    assert discrepancies_of(after) == []


def test_md_02_an_exchange_is_of_equal_value_and_an_unequal_one_is_found_by_the_next_count() -> None:
    clause = "house exchange (MD 36.05.03.02)"
    table = roulette_table().both("chips.exchange", clause=clause, chips_out={"2500": 1}, chips_in={"500": 4})
    assert discrepancies_of(table) == [("exchange", 2_500, 2_000, "recorded", "day")]
    discrepancy = table.last(DiscrepancyFound)
    assert (discrepancy.expected, discrepancy.counted) == ({2_500: 1}, {500: 4})
    table.lead("table.count", **count(-500))
    assert discrepancies_of(table)[1:] == [("table_count", 2_000_000, 1_999_500, "recorded", "day")]


def test_md_02_only_six_causes_move_what_the_tray_must_hold() -> None:
    table = roulette_table().ask("chips.exchange", chips_out={"2500": 1}, chips_in={"500": 5})
    table.ask("buyin.make", seat=1, player="Ann", amount_minor=20_000)
    table.lead("fill.receive", slip=1, chips={"500": 20}).lead("credit.send", slip=2, chips={"500": 10})
    table.ask("round.open").ask("bet.place", bet="a", wager="red", amount_minor=1_000, player="Ann", seat=1)
    assert table.state.float_minor == 2_000_000 - 20_000 + 10_000 - 5_000
    table.ask("ball.launch", wheel="cw", ball="ccw").ask("bets.close").ask("ball.land", number=2)
    assert table.state.float_minor == 1_985_000 + 1_000


def test_nigc_542_31_two_people_take_the_box_one_of_them_independent_of_the_pit() -> None:
    clause = "house drop (NIGC 542.31)"
    table = roulette_table().lead("drop.put", drop_box="one")
    table.refused("drop.remove", who=INSPECTOR, drop_box="one", clause=clause)
    table.refused("drop.remove", who=INSPECTOR, drop_box="one", witness="dora", clause=clause)
    table.lead("drop.remove", drop_box="one", witness="sam")
    assert table.last(DropRemoved).witness == "sam"


def test_nigc_542_31_two_agents_count_the_inventory() -> None:
    table = roulette_table()
    alone: dict[str, Any] = {"chips": chips(), "witness": "ines"}
    table.refused("shift.count", who=INSPECTOR, clause="house shift (NJ 1.21)", next_shift="night", **alone)
    table.refused("table.count", who=INSPECTOR, clause="house count (NJ 1.21)", **alone)


@pytest.mark.parametrize("witness", ["ines", "nobody-we-know"])
def test_nj_1_21_who_is_named_beside_whoever_counts_is_somebody_else_at_work_in_the_house(witness: str) -> None:
    new = TableInMemory("roulette", "roulette-french")
    opener: dict[str, Any] = {"gaming_day": DAY, "opener": OPENER}
    new.both("session.open", who=INSPECTOR, clause=COUNT, witness=witness, **opener)
    roulette_table().both("session.close", who=INSPECTOR, clause=COUNT, witness=witness, closer=chips())
    rolled: dict[str, Any] = {"gaming_day": "2026-11-21", "closer": chips()}
    roulette_table().refused("session.roll", who=INSPECTOR, clause=COUNT, witness=witness, **rolled)


def test_nj_1_21_opener_and_closer_say_by_which_two_they_were_counted() -> None:
    table = TableInMemory("roulette", "roulette-french")
    table.lead("session.open", gaming_day=DAY, opener=OPENER, witness="dora")
    table.lead("session.close", closer=chips(-2_500), witness="sam")
    discrepancy = table.last(DiscrepancyFound)
    assert (table.last(SessionOpened).witness, table.last(SessionClosed).witness) == ("dora", "sam")
    assert discrepancy.counted_by == ("ines", "sam")
    quiet = roulette_table().lead("session.close", closer=chips())
    assert quiet.last(SessionClosed).witness is None, "nobody was named: the dealer on duty stands in the sheet"


def test_nigc_542_31_who_takes_away_a_box_without_a_name_need_not_say_with_whom_but_not_with_anybody() -> None:
    table = roulette_table().lead("session.close", closer=chips())
    table.refused("drop.remove", who=INSPECTOR, drop_box="b", witness="dora", clause="house drop (NIGC 542.31)")
    table.lead("drop.remove", drop_box="b")
    count: dict[str, Any] = {"drop_box": "b", "amount_minor": 0}
    table.refused("drop.count", who=COUNTER, clause="house count (WA 610)", witness="sam", **count)
    table.ask("drop.count", who=COUNTER, witness="carl", **count)
    assert table.last(DropCounted).witness == "carl"


def test_wa_615_a_box_is_one_table_s_and_one_shift_s() -> None:
    clause = "house drop (WA 615)"
    table = roulette_table().lead("drop.put", drop_box="one")
    table.lead("shift.count", **count(next_shift="night"))
    buyin: dict[str, Any] = {"seat": 1, "player": "Ann", "amount_minor": 1_000}
    table.both("buyin.make", clause=clause, **buyin)
    assert table.last(IrregularityRecorded).kind == "no box"
    first, second = figures(day_of(table.events)).shifts
    assert (first.buyins.cash_minor, second.buyins.cash_minor) == (0, 1_000)


def test_nj_1_34_what_a_count_found_stands_beside_the_count_and_is_never_taken_back() -> None:
    table = roulette_table().lead("session.close", closer=chips(-2_500))
    closed = table.last(SessionClosed)
    assert (closed.amount_minor - closed.expected_minor, table.events[-1].TYPE) == (-2_500, "discrepancy.found.v1")
