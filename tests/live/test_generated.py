"""A thousand cases of everything that can happen at a table, played there; more by `python -m tests.live`."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from events.games import cases as settle
from projections.figures_of_all_read_models_with_digest import books
from tests.live import playing_and_comparing_cases as playing
from tests.live.actions_over_http import over_http
from tests.live.generate import MAKERS, cases
from tests.live.live_table import Door
from tests.live.playing_and_comparing_cases import close_tables, house, play
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, serving
from tests.support.processes.scratch_databases import read_models

# (seed, cases, minor units to a case's unit): whole amounts, and some that the house rounds
RUNS = [(1, 400, 100), (2, 400, 2), (3, 450, 10)]


@pytest.mark.parametrize(("seed", "count", "unit"), RUNS)
def test_a_table_answers_every_case_as_settle_does(seed: int, count: int, unit: int) -> None:
    with house() as floor:
        played = play(floor, cases(seed, count), unit)
        won = close_tables(floor)
    assert not played.failures, "\n".join(map(str, played.failures[:20]))
    assert sum(played.unreachable.values()) < count * 0.03
    assert played.agree.keys() == MAKERS.keys()
    assert sum(played.refused.values()) > count * 0.03
    assert any(won.values())


def test_the_books_hold_what_settle_makes_of_the_cases(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> None:
    url = f"sqlite:///{tmp_path}/read.sqlite3"
    with house() as floor, django_db_blocker.unblock(), read_models(url) as alias:
        played = play(floor, cases(4, 150), 100)
        won = close_tables(floor)
        evening_with_everything.project(floor.house, alias)
        tables = {table["table"]: table for table in books(using=alias)["tables"]}
        opener = {table.name: floor.opener_minor(table) for table in floor.clean()}
    assert not played.failures
    assert won
    for name, gain in won.items():
        table = tables[name]
        assert (table["expected_minor"], table["event_win_minor"]) == (opener[name] + gain, gain)
        assert table["due_minor"] == table["paid_minor"]


@pytest.fixture
def web() -> Iterator[Callable[[House], Door]]:
    """A door over HTTP, into a web process whose desk is the house's."""
    with ExitStack() as served:

        def door(house_: House) -> Door:
            return over_http(served.enter_context(serving(house_)))

        yield door


@pytest.mark.django_db
def test_the_same_over_http(web: Callable[[House], Door]) -> None:
    with house(web) as floor:
        played = play(floor, cases(5, 80), 100)
        close_tables(floor)
    assert not played.failures, "\n".join(map(str, played.failures))


def test_a_table_that_differs_is_found_and_its_case_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    def generous(case: dict[str, Any]) -> dict[str, Any]:
        changed = settle.answer(case)
        changed["results"][0]["profit"] += 1
        return changed

    monkeypatch.setattr(playing, "answer", generous)
    laid = [{"id": "b", "type": "straight", "numbers": [7], "stake": 5}]
    case = {"id": "x", "ruleset": "roulette-american", "given": {"kind": "spin", "number": 7, "bets": laid}}
    with house() as floor:
        [failure] = play(floor, [case], 100).failures
    printed, why = str(failure).splitlines()[:2]
    assert settle.answer_line(printed)["result"]["net"] == 175
    assert "expected 17600, found 17500" in why
    assert json.loads(printed) == case
