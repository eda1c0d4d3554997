"""A transaction in one pipeline: all or nothing on either database, and the error names its failed statement."""

from collections.abc import Callable, Iterator

import pytest
from django.db import DataError, IntegrityError, OperationalError, connections, transaction
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from projections.engine.bulk_writer import FewerRowsChanged, WriteTarget
from projections.engine.models import PoisonedEvent, Reader, WaitingEvent
from projections.engine.pipelined_transaction import pipelined
from projections.eventlog.models import EventLog
from tests.support.processes.scratch_databases import read_models

RENAME = "UPDATE projections_reader SET version = 2 WHERE projection = %s"


def reader(using: str) -> Reader:
    return Reader.objects.using(using).create(projection="tables", version=1, property="athens")


def version(using: str) -> int:
    return Reader.objects.using(using).get(projection="tables").version


def waiting_positions(using: str) -> list[int]:
    return [*WaitingEvent.objects.using(using).order_by("position").values_list("position", flat=True)]


def put(target: WriteTarget, *positions: int, then: Callable[[], object] = lambda: None) -> None:
    """Insert a row for each position and call `then`, in one pipeline."""
    with pipelined(target):
        for position in positions:
            target.insert(WaitingEvent, [waiting(position)])
        then()


def waiting(position: int) -> tuple[object, ...]:
    return (f"tables/{position}", "tables", position, "athens/tables/R1/2026-11-20", "bet.placed.v1", b"{}")


def test_all_of_it_is_there_afterwards(using: str) -> None:
    reader(using)
    target = WriteTarget(using)
    with pipelined(target):
        target.insert(WaitingEvent, [waiting(1), waiting(2)])
        target.change(RENAME, ["tables"], 1)
        assert [row.position for row in target.select(WaitingEvent, "position > %s ORDER BY position", [0])] == [1, 2]
        target.insert(WaitingEvent, [waiting(3)])
    assert WaitingEvent.objects.using(using).count() == 3
    assert version(using) == 2


def test_every_column_of_the_log_arrives_also_where_there_is_nothing(using: str) -> None:
    target, now = WriteTarget(using), timezone.now()
    when = now if target.is_postgres else str(now.replace(tzinfo=None))
    there = {"position": 7, "stream": "σ, {}", "version": 1, "type": "t", "time": when, "recordedat": when}
    there |= {"actor": "d-1", "actorrole": "dealer", "amount_minor": -(2**63), "raw": b"\x00\xff"}
    names = [field.attname for field in EventLog._meta.concrete_fields]
    with pipelined(target):
        target.insert(EventLog, [[there.get(name) for name in names]])
    row = EventLog.objects.using(using).get()
    assert (row.stream, row.time, row.amount_minor, bytes(row.raw)) == ("σ, {}", now, -(2**63), b"\x00\xff")
    assert [getattr(row, name) for name in names if name not in there] == [None] * (len(names) - len(there))


@pytest.mark.parametrize("count", [0, 1, 40])
def test_what_fails_is_told_whatever_was_said_after_it_and_nothing_stays(using: str, count: int) -> None:
    target = WriteTarget(using)
    with pytest.raises(IntegrityError):
        put(target, 1, 1, *range(2, 2 + count))
    assert waiting_positions(using) == []
    put(target, 1)
    assert waiting_positions(using) == [1]


def test_who_reads_after_a_failure_is_told_of_it(using: str) -> None:
    target = WriteTarget(using)
    with pytest.raises(IntegrityError):
        put(target, 1, 1, then=lambda: target.select(PoisonedEvent, "position > %s", [0]))


def test_an_error_of_ours_undoes_what_was_said(using: str) -> None:
    with pytest.raises(ZeroDivisionError):
        put(WriteTarget(using), 1, then=lambda: 1 // 0)
    assert waiting_positions(using) == []


def test_fewer_rows_than_must_change_undo_it_all(using: str) -> None:
    reader(using)
    target = WriteTarget(using)
    with pytest.raises(FewerRowsChanged):
        put(target, 1, then=lambda: target.change(RENAME, ["tables"], 2))
    assert (version(using), waiting_positions(using)) == (1, [])


@pytest.fixture
def on_postgres(new_database: Callable[[], str], django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of fresh read models there."""
    with django_db_blocker.unblock(), read_models(new_database()) as alias:
        yield alias


@pytest.mark.postgres
def test_another_error_of_the_data_is_not_taken_for_that(on_postgres: str) -> None:
    target = WriteTarget(on_postgres)
    row = (*waiting(1)[:3], "a\x00b", "bet.placed.v1", b"{}")
    with pytest.raises(DataError):
        put(target, then=lambda: target.insert(WaitingEvent, [row]))


@pytest.mark.postgres
def test_a_lost_connection_is_told_as_that_and_the_next_one_serves(on_postgres: str) -> None:
    target = WriteTarget(on_postgres)
    with pytest.raises(OperationalError):
        put(target, 1, then=lambda: target.execute("SELECT pg_terminate_backend(pg_backend_pid())", ()))
    connections[on_postgres].close()
    assert waiting_positions(on_postgres) == []
    put(target, 1)
    assert waiting_positions(on_postgres) == [1]


@pytest.mark.postgres
def test_inside_another_transaction_it_is_a_part_of_that(on_postgres: str) -> None:
    target = WriteTarget(on_postgres)
    with transaction.atomic(using=on_postgres):
        put(target, 1)
        assert waiting_positions(on_postgres) == [1]
        transaction.set_rollback(True, using=on_postgres)
    assert waiting_positions(on_postgres) == []
