"""Rows read, inserted and changed by statements that Django does not compose: the same as by Django's own."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from backoffice.kit import precomposed_row_statements
from backoffice.models import QueueEntry, TableDevice
from tests.support.processes.scratch_databases import as_default

NOW = datetime(2026, 11, 20, 21, 30, 0, 123_456, tzinfo=UTC)


@pytest.fixture
def device(using: str) -> Any:
    with as_default(using):
        made = {"made_by": "paul", "made_at": NOW, "ends_at": NOW}
        yield TableDevice.objects.create(id="d1", table="FR1", use="screen", secret="s", cookie="c", **made)


def entry(device: TableDevice, seq: int) -> QueueEntry:
    body, answer = f'{{"seq": {seq}, "name": "Ζωή %s \\""}}', '{"status": 200}'
    about = {"table": "FR1", "digest": "a" * 64, "session": "", "state": "done"}
    times = {"time": NOW - timedelta(hours=1), "received_at": NOW}
    return QueueEntry(device=device, seq=seq, body=body, signature="x", is_queued=True, answer=answer, **about, **times)


def test_an_inserted_row_is_that_which_django_inserts(device: TableDevice) -> None:
    entry(device, 1).save(force_insert=True)
    inserted = entry(device, 2)
    precomposed_row_statements.insert(inserted)
    saved, read = QueueEntry.objects.order_by("seq").values()
    assert inserted.pk == read["id"] == saved["id"] + 1
    assert read == {**saved, "id": inserted.pk, "seq": 2, "body": inserted.body}
    inserted.state = "held"
    inserted.save()  # which changes the row, and inserts no other one
    assert list(QueueEntry.objects.order_by("seq").values_list("state", flat=True)) == ["done", "held"]


def test_a_row_that_is_there_is_not_inserted_again(device: TableDevice) -> None:
    precomposed_row_statements.insert(entry(device, 1))
    with pytest.raises(IntegrityError), transaction.atomic():
        precomposed_row_statements.insert(entry(device, 1))
    assert QueueEntry.objects.count() == 1


def test_only_the_row_with_all_of_the_values_is_changed(device: TableDevice) -> None:
    where, after = {"id": "d1", "last_seq": 0}, NOW + timedelta(seconds=1)
    changes = {"last_seq": 1, "last_digest": "b" * 64, "seen_at": after}
    assert precomposed_row_statements.update(TableDevice, where, **changes) == 1
    assert precomposed_row_statements.update(TableDevice, where, **changes) == 0
    device.refresh_from_db()
    assert (device.last_seq, device.last_digest, device.seen_at) == (1, "b" * 64, after)


def test_rows_are_read_by_the_values_of_a_column(device: TableDevice) -> None:
    assert precomposed_row_statements.rows(TableDevice, "id", ["d1", "d2"]) == [device]
    assert precomposed_row_statements.rows(TableDevice, "id", ["d1"])[0].made_at == NOW
    assert precomposed_row_statements.rows(TableDevice, "id", []) == []
