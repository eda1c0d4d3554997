"""Settlement cases played with fingers only at a table of their ruleset: the events pay what the cases expect."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.cases_at_tables.play import differences, table_of
from tests.support.cases_at_tables.tables import at_table, open_tables
from tests.support.tables.table_screens import Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FOLDER = Path(__file__).parents[1] / "data" / "cases"
CASES = int(os.environ.get("TABLE_CASES", "2"))  # of each ruleset; 0: all of them
RULESETS = ("roulette-american", "roulette-french", "baccarat", "blackjack-trilux", "craps-gr", "craps-by")


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as open_screens:
        open_tables(open_screens)
        yield open_screens


def cases_of(ruleset: str) -> list[dict[str, Any]]:
    lines = (Path(os.environ.get("TABLE_CASES_IN", FOLDER)) / f"{ruleset}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_cases_played_with_fingers_are_paid_as_expected(house: Screens, ruleset: str) -> None:
    """`TABLE_CASES=0` plays all of them, `TABLE_CASES_IN` those of another folder."""
    tables: dict[str, Any] = {}
    wrong, played = {}, 0
    for case in cases_of(ruleset):
        if CASES and played >= CASES:
            break
        table = table_of(case)
        robot, events = tables[table] = tables.get(table) or at_table(house, table)
        mispaid = differences(robot, events, case)
        if mispaid is None:
            continue
        played += 1
        if mispaid:
            wrong[case["id"]] = mispaid
    taps = sum(robot.taps for robot, _events in tables.values())
    print(f"{ruleset}: {played} cases played, {len(wrong)} differ, {taps} taps")
    assert wrong == {}
    assert played
