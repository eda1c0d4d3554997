"""The journal of a table's days after every event, for any actions at a table of any game.

Every identity holds, and rounds leave no unpaid winnings. Later counts are posted on the right day.
"""

from random import Random

import pytest
from hypothesis import given, settings

from events.accounting.drop_box_content_structs import Content
from events.accounting.event_types.soft_count import CountSettled, Figures
from events.accounting.report.property_ledger_fold import Ledger
from tests.property.test_rolled_days import NEXT, until_it_can_roll
from tests.property.test_shifts import FoldedTableDay, content
from tests.property.test_tables import SEEDS, TABLES, act, some_step
from tests.property.test_tables_money import chips, mispay, money_moves
from tests.support.records.journals import account, holds, take
from tests.support.tables.in_memory_tables import DAY, PROPERTY


def play(random: Random, followed: FoldedTableDay, name: str) -> None:
    table, choose = followed.table, TABLES[name][1]
    for number in range(50):
        act(random, table, some_step(random, table, choose, number))
        if random.random() < 0.05:
            mispay(random, table)
        if number % 20 == 19:
            money_moves(random, table, slip=number)
        if random.random() < 0.06:
            followed.count(random)


def settled(name: str, counted: Content, before: Content | None = None) -> CountSettled:
    return CountSettled(
        table="T1",
        gaming_day=DAY,
        drop_box=name,
        shift="",
        counters=("cora", "carl"),
        counted=_figures(counted),
        cash_minor=counted.cash,
        chips_minor=counted.chips,
        before=None if before is None else _figures(before),
    )


def _figures(of: Content) -> Figures:
    return Figures(cash={1: of.cash}, marker_minor=of.marker, promotional_minor=of.promotional, chips={1: of.chips})


@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=8, deadline=None)
@given(random=SEEDS)
def test_every_identity_at_every_position(name: str, random: Random) -> None:
    ledger = Ledger()
    followed = FoldedTableDay(TABLES[name][0](), has_boxes=random.random() < 0.6)
    table = followed.table
    play(random, followed, name)
    until_it_can_roll(random, table)
    if table.state.float_minor < 100_000:
        table.lead("fill.receive", slip=9_000, chips=chips(200_000 - table.state.float_minor))
    after = table.roll(NEXT, **chips(table.state.float_minor + random.choice((0, -2_500))))
    position = take(ledger, table.state.stream, table.events, 1)
    assert account(ledger, "Liabilities:Winnings") == 0, "what a round left unpaid is no debt after it"
    position = take(ledger, after.state.stream, after.events, position)
    for box in followed.boxes:
        counted = content(random, ledger.tables[table.state.stream], box)
        again = Content(counted.cash + 100, counted.marker, counted.promotional, counted.chips)
        counts = [settled(box, counted), settled(box, again, counted)]
        position = take(ledger, f"{PROPERTY}/days/{DAY}", counts, position)
    holds(ledger)
    assert account(ledger, "Assets:DropBoxes") == (0 if followed.has_boxes else _bought_in(ledger))


def _bought_in(ledger: Ledger) -> int:
    return sum(shift.buyins.net for day in ledger.tables.values() for shift in day.shifts)
