"""The bench on PostgreSQL, so short that its figures mean nothing."""

import psycopg
import pytest
from pytest_django.plugin import DjangoDbBlocker

from tools.bench.benchmark_runner import run
from tools.bench.old_and_young_house_comparison import FIRST_HIT
from tools.bench.searching import index_write_cost, long_log_generation, search_benchmark
from tools.bench.turns_medians_and_percentiles import Options

SHORT = Options(seconds=0.05, turns=1, events=1_000, tables=16, tell=lambda text: None)


def databases(url: str) -> set[str]:
    """Return the names of the databases, without the template and the spare ones of the tests."""
    with psycopg.connect(url) as connection:
        names = {str(name) for (name,) in connection.execute("SELECT datname FROM pg_database")}
    return {name for name in names if name != "migrated" and not name.startswith("spare_")}


@pytest.mark.peers
def test_appends_and_rebuilds_on_a_server_that_runs_already(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> None:
    monkeypatch.setenv("PITLEDGER_STORE", postgres_url)
    before = databases(postgres_url)
    with django_db_blocker.unblock():
        report = run(["append", "rebuild"], SHORT)
    assert report.failed == {}
    assert all(line.ours > 0 for line in report.lines)
    against = {line.against for line in report.lines}
    assert against == {"row by row", "multi-row insert", "stock recorder", "bare COPY", ""}
    assert databases(postgres_url) == before, "a database was left behind"
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


@pytest.mark.peers
def test_search_is_measured_on_both_databases_in_a_log_that_is_made(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> None:
    monkeypatch.setenv("PITLEDGER_STORE", postgres_url)
    monkeypatch.setattr(long_log_generation, "DAYS", 1)
    monkeypatch.setattr(long_log_generation, "HOURS", 0.2)
    monkeypatch.setattr(search_benchmark, "PAGES", 2)
    monkeypatch.setattr(index_write_cost, "TURNS", 1)
    before = databases(postgres_url)
    with django_db_blocker.unblock():
        report = run(["search"], Options(log=4_000, tell=lambda text: None))
    assert report.failed == {}
    searches = {line.work.split(", ")[2] for line in report.lines if "events, " in line.work}
    assert {"table", "table + day", "player + type", "one round"} <= searches
    assert databases(postgres_url) == before, "a database was left behind"


@pytest.mark.peers
def test_a_life_is_measured_and_verified(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> None:
    monkeypatch.setenv("PITLEDGER_STORE", postgres_url)
    with django_db_blocker.unblock():
        report = run(["lives"], Options(sessions=FIRST_HIT, tell=lambda text: None))
    assert report.failed == {}
    works = [line.work.partition(": ")[2] for line in report.lines]
    assert {"reconcile", "verify", "a table's closed day looked at"} <= {*works}
