"""Reports of the parts: what others see of a part through the database, on both databases."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connections

from backoffice.models import PartCount, PartReport
from backoffice.running.status_reports_of_parts_into_database import Reporter
from events.runtime import metric_counters
from tests.support.processes.scratch_databases import read_models


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/read.sqlite3"
    new_database: Callable[[], str] = request.getfixturevalue("new_database")
    return new_database()


@pytest.fixture
def alias(url: str, django_db_blocker: pytest.FixtureRequest) -> Iterator[str]:
    """Django's name of that database, with its tables."""
    with django_db_blocker.unblock(), read_models(url) as alias:  # type: ignore[attr-defined]
        yield alias


def test_a_part_reports_its_progress_and_adds_what_it_counted(url: str, alias: str) -> None:
    metric_counters.take_counts()
    reporter = Reporter("relay", url)
    reporter.report_state(position=12, waits="for Kafka")
    reporter.made_progress()
    metric_counters.server_is_away("kafka", "connection refused")
    for _ in range(2):
        metric_counters.count(metric_counters.RELAYED, amount=5)
        metric_counters.observe(metric_counters.APPEND, 0.003, "web")
        assert reporter.report()
    metric_counters.server_answers("kafka")
    report = PartReport.objects.using(alias).get()
    assert (report.part, report.waits, report.is_ended) == ("relay", "for Kafka", False)
    assert abs(report.progress_s - time.time()) < 60
    assert '"kafka":"connection refused"' in report.figures
    sums = {(count.metric, count.suffix): count.value for count in PartCount.objects.using(alias).all()}
    assert sums[metric_counters.RELAYED.name, ""] == 10
    assert sums[metric_counters.APPEND.name, "0.005"] == 2
    assert sums[metric_counters.APPEND.name, "count"] == 2
    assert sums[metric_counters.APPEND.name, "sum"] == pytest.approx(0.006)
    reporter.report_end()
    assert PartReport.objects.using(alias).get().is_ended


def test_what_cannot_be_reported_is_reported_later(url: str, alias: str) -> None:
    metric_counters.take_counts()
    reporter = Reporter("worker", url)
    with connections[alias].cursor() as cursor:
        cursor.execute("ALTER TABLE backoffice_partcount RENAME TO elsewhere")
    metric_counters.count(metric_counters.RELAYED, amount=3)
    assert not reporter.report(), "the database takes nothing"
    with connections[alias].cursor() as cursor:
        cursor.execute("ALTER TABLE elsewhere RENAME TO backoffice_partcount")
    assert reporter.report()
    assert PartCount.objects.using(alias).get().value == 3
    reporter.report_end()
    assert PartReport.objects.using(alias).count() == 1


def test_a_database_that_is_away_costs_no_line_and_no_count(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    metric_counters.take_counts()
    metric_counters.count(metric_counters.PROJECTED)
    for url in (f"sqlite:///{tmp_path}/none.sqlite3", "postgresql://nobody@127.0.0.1:1/none"):
        assert not Reporter("projector", url).report()
    assert not (tmp_path / "none.sqlite3").exists()
    assert metric_counters.take_counts()[metric_counters.PROJECTED.name, (), ""] == 1
    assert capfd.readouterr() == ("", "")
