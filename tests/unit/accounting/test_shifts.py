"""A table's day by shift, calculated to the cent through the real decider."""

from typing import Any

import pytest

from events.accounting.drop_box_content_structs import Content
from events.envelope import Who
from tests.support.houses.gaming_day_by_shift import counted, day_of, figures, parts
from tests.support.tables.in_memory_tables import TableInMemory, counted_only_table, roulette_table

BOSS = Who(person="paul", roles=frozenset({"pit boss"}), factor_s=0)
COUNT = Who(person="cora", roles=frozenset({"count"}), factor_s=0)
FIRST, SECOND = Content(cash=300_000, marker=50_000, promotional=10_000), Content(cash=120_000)


def chips(amount: int) -> dict[str, int]:
    """An amount in chips of 5.00."""
    assert amount % 500 == 0
    return {"500": amount // 500}


def buy(table: TableInMemory, amount: int, tender: str = "cash") -> None:
    table.ask("buyin.make", seat=1, player="Ann", amount_minor=amount, tender=tender)


def bet(table: TableInMemory, name: str, wager: str, amount: int) -> None:
    table.ask("bet.place", bet=name, wager=wager, amount_minor=amount, player="Ann", seat=1)


def red_falls(table: TableInMemory) -> TableInMemory:
    return spin(table, 1)


def spin(table: TableInMemory, number: int) -> TableInMemory:
    wheel = "cw" if table.state.play.turned == "ccw" else "ccw"
    table.ask("ball.launch", wheel=wheel, ball="ccw" if wheel == "cw" else "cw")
    return table.ask("bets.close").ask("ball.land", number=number)


def first_shift() -> TableInMemory:
    """Play the first shift up to its count, with an unsettled stake of 50.00 on the layout."""
    table = roulette_table().lead("drop.put", drop_box="one")
    for amount, tender in ((300_000, "cash"), (50_000, "marker"), (10_000, "promotional")):
        buy(table, amount, tender)
    table.lead("fill.receive", slip=1, chips=chips(100_000)).ask("round.open")
    bet(table, "a", "black", 245_000)
    bet(table, "b", "red", 130_000)
    red_falls(table).fact("payment.make", bet="b", amount_minor=132_000, irregular="house payment")
    table.ask("round.end").ask("round.open")
    bet(table, "c", "black", 5_000)
    return table


def count_first(table: TableInMemory, **fields: Any) -> TableInMemory:
    shift_count = {"chips": chips(1_853_000), "next_shift": "night", "witness": "sam", "drop_box": "two"}
    return table.lead("shift.count", **{**shift_count, **fields})


def second_shift(table: TableInMemory) -> TableInMemory:
    buy(table, 120_000)
    table.lead("credit.send", slip=2, chips=chips(50_000))
    red_falls(table).end().ask("round.open")
    bet(table, "d", "black", 85_000)
    bet(table, "e", "red", 140_000)
    red_falls(table).end()
    table.lead("session.close", closer=chips(1_630_500))
    return table.lead("drop.remove", drop_box="two", witness="sam")


@pytest.fixture
def table() -> TableInMemory:
    return second_shift(count_first(first_shift()))


def test_the_day_that_is_worked_out(table: TableInMemory) -> None:
    figures_ = figures(counted(day_of(table.events), one=FIRST, two=SECOND))
    first, second = figures_.shifts
    assert (first.shift, first.begin_minor, first.expected_minor, first.end_minor) == (
        "day",
        2_000_000,
        1_853_000,
        1_853_000,
    )
    assert (first.lost_minor, first.due_minor, first.paid_minor, first.undecided_minor) == (
        245_000,
        130_000,
        132_000,
        5_000,
    )
    assert (second.shift, second.expected_minor, second.end_minor) == ("night", 1_633_000, 1_630_500)
    wins = [(win.inventory_win_minor, win.event_win_minor) for win in (first, second, figures_.day)]
    assert wins == [(103_000, 115_000), (-52_500, -50_000), (50_500, 65_000)]
    rest = {"drop": 0, "rest": 0}
    assert parts(first) == {"mispay": -2_000, "promotional": -10_000, "inventory": 0, **rest}
    assert parts(second) == {"mispay": 0, "promotional": 0, "inventory": -2_500, **rest}
    assert parts(figures_.day) == {"mispay": -2_000, "promotional": -10_000, "inventory": -2_500, **rest}
    drops = [(win.drop.cash_minor + win.drop.marker_minor, win.drop.counted) for win in (first, second, figures_.day)]
    assert drops == [(350_000, True), (120_000, True), (470_000, True)]


def test_while_a_shift_runs_what_has_no_end_yet_is_not_known() -> None:
    figures_ = figures(day_of(first_shift().events))
    [running] = figures_.shifts
    assert (running.end_minor, running.inventory_win_minor, running.drop.counted) == (None, None, False)
    assert (running.expected_minor, running.event_win_minor, running.undecided_minor) == (1_853_000, 115_000, 5_000)
    assert parts(running) == {"mispay": -2_000, "promotional": -10_000, "drop": None, "inventory": None, "rest": None}


def test_until_every_box_is_counted_the_inventory_win_is_an_estimate(table: TableInMemory) -> None:
    figures_ = figures(counted(day_of(table.events), one=FIRST))
    first, second = figures_.shifts
    assert (first.drop.counted, second.drop.counted, figures_.day.drop.counted) == (True, False, False)
    assert (second.inventory_win_minor, second.parts.drop_minor, second.parts.rest_minor) == (-52_500, None, None)
    assert (figures_.day.inventory_win_minor, figures_.day.parts.rest_minor) == (50_500, None)


def test_what_a_box_holds_more_or_less_is_the_shift_s_in_which_it_was_put(table: TableInMemory) -> None:
    short = Content(cash=299_000, marker=50_000, promotional=10_000, chips=500)
    figures_ = figures(counted(day_of(table.events), two=SECOND, one=short))
    assert [shift.parts.drop_minor for shift in figures_.shifts] == [-500, 0]
    assert figures_.shifts[0].drop.chips_minor == 500


def test_a_recount_is_the_one_that_stands(table: TableInMemory) -> None:
    day = counted(day_of(table.events), one=FIRST, two=Content(cash=121_000))
    figures_ = figures(counted(day, two=SECOND))
    assert figures_.day.parts.drop_minor == 0


def test_a_payment_found_after_the_close_is_the_last_shift_s_and_the_count_stands() -> None:
    table = count_first(first_shift())
    red_falls(table).end().ask("round.open")
    bet(table, "e", "red", 140_000)
    red_falls(table).fact("round.end", irregular="house payment")
    table.lead("session.close", closer=chips(1_860_000))
    table.lead("drop.remove", drop_box="two", witness="sam")
    before = figures(day_of(table.events))
    report: dict[str, Any] = {
        "bet": "e",
        "amount_minor": 140_000,
        "won_in": table.state.round,
        "reason": "found on the tape",
    }
    table.fact("payment.report", who=BOSS, **report)
    after = figures(day_of(table.events))
    assert after.shifts[0] == before.shifts[0]
    assert (before.shifts[1].expected_minor, after.shifts[1].expected_minor) == (1_858_000, 1_718_000)
    assert (before.day.parts.inventory_minor, after.day.parts.inventory_minor) == (2_000, 142_000)
    assert (before.day.parts.mispay_minor, after.day.parts.mispay_minor) == (138_000, -2_000)
    assert before.day.end_minor == after.day.end_minor == 1_860_000


def test_a_count_in_between_goes_on_with_what_was_found_and_its_difference_is_the_shift_s() -> None:
    table = first_shift().lead("table.count", chips=chips(1_852_000), witness="dora")
    assert table.state.float_minor == 1_852_000
    count_first(table, chips=chips(1_851_000))
    [first, second] = figures(day_of(table.events)).shifts
    assert (first.expected_minor, first.end_minor, first.parts.inventory_minor) == (1_853_000, 1_851_000, -2_000)
    assert second.begin_minor == 1_851_000


def test_colour_chips_that_players_hold_are_taken_off_the_tray() -> None:
    table = count_first(first_shift(), chips=chips(1_855_000), colours_minor=2_000)
    [first, _] = figures(day_of(table.events)).shifts
    assert (first.end_minor, first.parts.inventory_minor) == (1_853_000, 0)


def test_a_house_without_boxes_of_its_own_counts_one_and_the_difference_is_the_last_shift_s() -> None:
    table = roulette_table()
    buy(table, 10_000)
    table.lead("shift.count", chips=chips(1_990_000), next_shift="night", witness="dora")
    buy(table, 20_000, "marker")
    table.lead("session.close", closer=chips(1_970_000)).lead("drop.remove", drop_box="b")
    assert [shift.drop.counted for shift in figures(day_of(table.events)).shifts] == [False, False]
    table.ask("drop.count", who=COUNT, drop_box="b", amount_minor=29_500)
    first, second = figures(day_of(table.events)).shifts
    assert (first.drop.cash_minor, first.parts.drop_minor) == (10_000, 0)
    assert (second.drop.marker_minor, second.drop.cash_minor, second.parts.drop_minor) == (20_000, -500, -500)


def test_a_table_that_is_counted_only_has_an_inventory_win_and_nothing_of_bets() -> None:
    table = counted_only_table()
    buy(table, 30_000)
    table.lead("shift.count", chips=chips(1_980_000), next_shift="night", witness="dora")
    table.lead("session.close", closer=chips(1_990_000)).lead("drop.remove", drop_box="b")
    table.ask("drop.count", who=COUNT, drop_box="b", amount_minor=30_500)
    figures_ = figures(day_of(table.events))
    first, second = figures_.shifts
    assert (figures_.recorded, first.inventory_win_minor, second.inventory_win_minor) == (False, 10_000, 10_500)
    assert (figures_.day.inventory_win_minor, figures_.day.drop.counted) == (20_500, True)
    assert parts(figures_.day) == {"mispay": None, "promotional": 0, "drop": 500, "inventory": None, "rest": None}
    of_bets = ("lost", "due", "paid", "commission", "promotional_stakes", "undecided", "expected", "event_win")
    assert {getattr(win, f"{name}_minor") for win in (first, second, figures_.day) for name in of_bets} == {None}


def test_a_stake_laid_with_a_voucher_that_is_lost_brings_no_chip_and_what_it_wins_is_paid() -> None:
    table = roulette_table().ask("round.open")
    for name, wager in (("a", "black"), ("b", "red")):
        data = {"bet": name, "wager": wager, "amount_minor": 4_000, "player": "Ann", "seat": 1}
        table.ask("bet.place", tender="promotional", **data)
    bet(table, "c", "black", 1_000)
    red_falls(table).end()
    assert table.state.float_minor == 2_000_000 + 1_000 - 4_000
    [running] = figures(day_of(table.events)).shifts
    assert (running.lost_minor, running.promotional_stakes_minor, running.due_minor) == (1_000, 4_000, 4_000)
    assert (running.expected_minor, running.event_win_minor) == (1_997_000, -3_000)


def test_a_voucher_that_lies_when_the_day_is_rolled_is_one_on_the_next_day() -> None:
    table = roulette_table().ask("round.open")
    data = {"bet": "a", "wager": "red", "amount_minor": 4_000, "player": "Ann", "seat": 1, "on_zero": "prison"}
    table.ask("bet.place", tender="promotional", **data)
    spin(table, 0).ask("round.end")
    after = table.roll("2026-11-21", **chips(2_000_000))
    spin(after.ask("round.open"), 2).ask("round.end")
    assert after.state.float_minor == 2_000_000
    [running] = figures(day_of(after.events)).shifts
    assert (running.lost_minor, running.promotional_stakes_minor, running.undecided_minor) == (0, 4_000, 0)


def test_the_stakes_of_a_void_round_come_back_whatever_they_were_laid_with() -> None:
    table = roulette_table().ask("round.open")
    data = {"bet": "a", "wager": "black", "amount_minor": 4_000, "player": "Ann", "seat": 1}
    table.ask("bet.place", tender="promotional", **data)
    red_falls(table)
    table.approved("round.void", round=1, reason="a chip on the wheel")
    assert table.state.float_minor == 2_000_000
    [running] = figures(day_of(table.events)).shifts
    assert (running.lost_minor, running.promotional_stakes_minor, running.expected_minor) == (0, 0, 2_000_000)
