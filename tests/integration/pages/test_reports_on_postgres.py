"""The reports of a day and the hold on PostgreSQL: every line is the same as on SQLite, in the same order."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.days import system_state_for_day_close
from backoffice.days.hold import hold_entry_queries
from backoffice.days.luck.actual_against_theoretical_win import BY, LuckQuestion, luck_page
from backoffice.days.reports.catalogue import REPORTS
from backoffice.days.reports.variance_cash_hold_report_lines import report_subject
from backoffice.jobs.on_demand_jobs import Jobs
from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from events.house.settings import HouseSettings
from events.store import open_store
from projections.journal.journal_rows_from_events import JournalPosting
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, serving
from tests.support.houses.worked_day import WorkedDay
from tests.support.processes.scratch_databases import as_default, new_file, read_models

NOTHING = {"adjustments", "paid"}  # of that day: no jackpot, no meter put right


def lines_of_reports(house: WorkedDay, url: str) -> dict[str, list[object]]:
    """Every report's lines and the hold's, once the read models have all."""
    with read_models(url) as alias, as_default(alias):
        evening_with_everything.project(house)
        JournalPosting(house.store, PROPERTY).catch_up()
        subject = report_subject(DAY, ("accountant",))
        rows: dict[str, list[object]] = {report.name: [*report.rows(subject)] for report in REPORTS}
        return rows | {
            "tables": [*hold_entry_queries.of_tables(DAY, DAY, HouseSettings())],
            "bets": [*hold_entry_queries.of_bets(DAY, DAY)],
        }


def test_each_report_has_the_same_lines_on_both_databases(
    tmp_path: Path,
    new_database: Callable[[], str],
    django_db_blocker: DjangoDbBlocker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house = WorkedDay()
    well = SystemState(readers={}, head=10**9, aside={})
    monkeypatch.setattr(system_state_for_day_close, "read_system_state", lambda: well)
    checklist_system_state_source.register_source(house.store, lambda: well)
    with django_db_blocker.unblock(), serving(house):
        house.play()
        here, there = (lines_of_reports(house, url) for url in (new_file(tmp_path), new_database()))
    house.close()
    assert {name for name, lines in here.items() if not lines} == NOTHING
    for name, lines in here.items():
        assert sorted(map(str, there[name])) == sorted(map(str, lines)), name
        assert name == "bets" or there[name] == lines, name


def held(house: WorkedDay, url: str, folder: Path) -> dict[str, object]:
    """Return hold, and actual vs theoretical by every grouping, as their pages show them."""
    with read_models(url) as alias, as_default(alias), serving(house):
        evening_with_everything.project(house)
        outputs: dict[str, object] = {
            "tables": hold_entry_queries.of_tables(DAY, DAY, HouseSettings()),
            "bets": sorted(bets()),
        }
        with closing(Jobs(folder)) as jobs:
            for by in BY:
                question = LuckQuestion(day=DAY, by=by, table="", property_=PROPERTY, wait_s=60)
                answer = luck_page(house.store, jobs, question)
                assert answer.result is not None, by
                outputs[by] = (answer.lines, answer.result.courses, answer.result.house)
    return outputs


def bets() -> list[str]:
    """Those of the day by kind."""
    return [str(line) for line in hold_entry_queries.of_bets(DAY, DAY)]


def test_hold_and_luck_are_the_same_where_all_lies_on_postgres(
    tmp_path: Path, new_database: Callable[[], str], django_db_blocker: DjangoDbBlocker
) -> None:
    """The store as well as the read models."""
    outputs: list[dict[str, object]] = []
    for events, url in (("memory://", new_file(tmp_path)), (new_database(), new_database())):
        house = WorkedDay(open_store(events, lambda: f"{DAY}T20:00:00.000Z"))
        with django_db_blocker.unblock():
            house.play()
            outputs.append(held(house, url, tmp_path / str(len(outputs))))
        house.close()
    assert outputs[0] == outputs[1]
    assert {*outputs[0]} == {"tables", "bets", *BY}
    assert all(outputs[0][by] for by in outputs[0])
